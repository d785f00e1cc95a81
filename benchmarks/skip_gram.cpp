#include "methods/embedding/skip_gram.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "inputs.hpp"
#include "operators/propagation.hpp"
#include "register.hpp"

namespace hwgcn::benchmarks {
namespace {

void embed(benchmark::State& state, const std::string& dataset, const DeepWalkOptions& options) {
    const Propagation weights = weighted_graph(input(dataset).graph);
    std::int64_t pairs = 0;
    for (auto _ : state)
        pairs = embed_by_walks(*weights.matrix, options, 0, {1}).pairs;
    state.counters["pairs_per_second"] =
        benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

void register_skip_gram() {
    for (const std::string& dataset : datasets()) {
        for (const bool tree : {false, true}) {
            for (const int dimensions : {64, 128}) {
                DeepWalkOptions options;
                options.walks = 1;
                options.dimensions = dimensions;
                if (tree) options.objective = SkipGramObjective::hierarchical_softmax;
                benchmark::RegisterBenchmark(
                    fmt::format("skip_gram/{}/{}/dimensions:{}", dataset,
                                tree ? "hierarchical-softmax" : "negative-sampling", dimensions)
                        .c_str(),
                    embed, dataset, options)
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

}  // namespace hwgcn::benchmarks
