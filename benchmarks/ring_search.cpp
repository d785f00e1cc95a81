#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "graph/summary.hpp"
#include "inputs.hpp"
#include "register.hpp"

namespace hwgcn::benchmarks {
namespace {

// All rings up to an order around every node, on one thread.
void search_rings(benchmark::State& state, const std::string& dataset, int order) {
    const Graph& graph = input(dataset).graph;
    std::int64_t pairs = 0;
    for (auto _ : state) {
        for (const RingSummary& ring : summarize_rings(graph, {.max_order = order}, {.threads = 1}))
            pairs += ring.pairs;
    }
    state.counters["pairs_per_second"] =
        benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate);
}

}  // namespace

void register_ring_search() {
    for (const std::string& dataset : datasets()) {
        const int order = dataset == "pubmed" ? 4 : 6;
        benchmark::RegisterBenchmark(fmt::format("rings/{}/order:{}", dataset, order).c_str(), search_rings,
                                     dataset, order)
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace hwgcn::benchmarks
