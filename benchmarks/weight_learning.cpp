#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "inputs.hpp"
#include "register.hpp"

namespace hwgcn::benchmarks {
namespace {

// The whole of weight learning without the cache, on all cores or on one.
void learn(benchmark::State& state, const std::string& dataset, int order, int threads) {
    const Input& in = input(dataset);
    const WeightOptions options{.order = order};
    double worst_gap = 0;
    for (auto _ : state) {
        const LearnedWeights learned = learn_weights(in.graph, in.features, options, {.threads = threads});
        for (const OrderWeights& weights : learned.orders)
            worst_gap = std::max(worst_gap, weights.summary.worst_gap);
    }
    state.counters["worst_gap"] = worst_gap;
}

}  // namespace

void register_weight_learning() {
    for (const std::string& dataset : datasets()) {
        const int order = dataset == "pubmed" ? 5 : 6;
        for (const int threads : {1, 0}) {
            benchmark::RegisterBenchmark(
                fmt::format("weights/{}/order:{}/threads:{}", dataset, order, threads == 0 ? "all" : "1")
                    .c_str(),
                learn, dataset, order, threads)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime()
                ->Iterations(1);
        }
    }
}

}  // namespace hwgcn::benchmarks
