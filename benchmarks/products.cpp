#include "tensor/products.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "inputs.hpp"
#include "operators/propagation.hpp"
#include "register.hpp"

namespace hwgcn::benchmarks {
namespace {

DenseMatrix filled(Index rows, Index columns) {
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>((i * 31 + j) % 17) / 17.0F;
    }
    return matrix;
}

// P H with 16 columns, the work that an epoch does three times. The order is 1 for the plain operator.
void propagate(benchmark::State& state, const std::string& dataset, int order) {
    const Input& data = input(dataset);
    LearnedWeights weights;
    if (order > 1) weights = learn_weights(data.graph, data.features, {.order = order});
    const Propagation propagation = build_propagation(data.graph, weights);
    const DenseMatrix h = filled(propagation.nodes(), 16);
    DenseMatrix out(propagation.nodes(), 16);
    for (auto _ : state) {
        multiply(*propagation.matrix, nullptr, h, out, Write::replace, {1});
        benchmark::DoNotOptimize(out.numbers().data());
    }
    const auto entries = static_cast<double>(propagation.matrix->entries());
    state.counters["entries"] = entries;
    state.counters["seconds_per_entry"] = benchmark::Counter(
        entries, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void register_products() {
    for (const std::string& dataset : datasets()) {
        for (const int order : {1, dataset == "pubmed" ? 3 : 6}) {
            benchmark::RegisterBenchmark(fmt::format("product/{}/order:{}", dataset, order).c_str(),
                                         propagate, dataset, order)
                ->Unit(benchmark::kMicrosecond);
        }
    }
}

}  // namespace hwgcn::benchmarks
