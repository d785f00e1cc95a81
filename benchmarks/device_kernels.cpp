// What an OpenCL device does per second, kernel by kernel, beside a plain copy in its memory: the floor of
// all that only reads and writes. `bytes_per_second` counts what a kernel must move at least.
#include <functional>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "hwgcn/linalg/devices.hpp"
#include "hwgcn/propagation/propagation.hpp"

#include "inputs.hpp"
#include "linalg/gpu/device.hpp"
#include "linalg/operations.hpp"
#include "register.hpp"

namespace hwgcn::benchmarks {
namespace {

constexpr ExecutionControl control{1};
constexpr Index rows = 19'717;  // Pubmed's

// Kernels are started several at a time: waiting for one costs as much as a small one takes.
void measure(benchmark::State& state, gpu::Device& device, double bytes, const std::function<void()>& work) {
    constexpr int at_a_time = 20;
    work();
    device.wait();
    for (auto _ : state) {
        for (int k = 0; k < at_a_time; ++k)
            work();
        device.wait();
    }
    state.counters["seconds_per_call"] = benchmark::Counter(
        at_a_time, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["bytes_per_second"] =
        benchmark::Counter(at_a_time * bytes, benchmark::Counter::kIsIterationInvariantRate);
}

double bytes_of(ConstMatrixView matrix) {
    return static_cast<double>(matrix.size()) * sizeof(float);
}

void sparse_product(benchmark::State& state, const std::string& dataset, int order, Index columns) {
    gpu::Device& device = gpu::Device::open(0);
    const Input& data = input(dataset);
    LearnedWeights weights;
    if (order > 1) weights = learn_weights(data.graph, data.features, {.order = order});
    const Propagation propagation = build_propagation(data.graph, weights);
    const CsrMatrix<float>& matrix = *propagation.matrix;
    gpu::KeptLists lists(device);
    lists.add(matrix);
    const DenseMatrix h(propagation.nodes(), columns, &device);
    DenseMatrix out(propagation.nodes(), columns, &device);
    const double entries = static_cast<double>(matrix.entries()) * (sizeof(Index) + sizeof(float));
    measure(state, device, entries + bytes_of(h) + bytes_of(out),
            [&] { multiply(matrix, nullptr, h, out, Write::replace, control); });
    state.counters["entries"] = static_cast<double>(matrix.entries());
}

struct Operation {
    const char* name;
    Index columns;
    double matrices;  // of rows x columns that are read and written
    std::function<void(const DenseMatrix& x, DenseMatrix& y, Workspace& workspace)> run;
};

std::vector<Operation> operations() {
    using In = const DenseMatrix&;
    using Out = DenseMatrix&;
    const auto dense = [](In x, Out y, Workspace& workspace) {
        multiply(x, workspace.matrix(x.columns(), y.columns()), y, Write::replace, control);
    };
    return {
        {"copy", 256, 2, [](In x, Out y, Workspace&) { copy(x, y); }},
        {"scale", 256, 2, [](In x, Out y, Workspace&) { scale({2.0F}, x, y, Write::replace); }},
        {"relu", 256, 2, [](In x, Out y, Workspace&) { activate(Activation::relu, x, y); }},
        {"softmax", 7, 2, [](In x, Out y, Workspace&) { activate(Activation::softmax, x, y); }},
        {"column_sums", 256, 1,
         [](In x, Out, Workspace& workspace) { add_column_sums(x, workspace.matrix(1, x.columns())); }},
        {"transpose", 256, 2,
         [](In x, Out, Workspace& workspace) { transpose(x, workspace.matrix(x.columns(), x.rows())); }},
        {"draw_mask", 256, 1.0 / 32,
         [](In x, Out, Workspace& workspace) {
             draw_mask(workspace, x.view().size(), 0.5, {1, 2});
         }},
        {"dense_product", 16, 2, dense},
        {"dense_product", 256, 2, dense},
        {"transposed_dense_product", 256, 2,
         [](In x, Out y, Workspace& workspace) {
             add_transposed_product(x, y, workspace.matrix(x.columns(), y.columns()), control);
         }},
    };
}

void run_operation(benchmark::State& state, const Operation& operation) {
    gpu::Device& device = gpu::Device::open(0);
    const DenseMatrix x(rows, operation.columns, &device);
    DenseMatrix y(rows, operation.columns, &device);
    Workspace workspace(&device);
    measure(state, device, operation.matrices * bytes_of(x), [&] {
        workspace.reset();
        operation.run(x, y, workspace);
    });
}

}  // namespace

void register_device_kernels() {
    if (devices().empty()) return;
    for (const Operation& operation : operations()) {
        benchmark::RegisterBenchmark(
            fmt::format("device/{}/columns:{}", operation.name, operation.columns).c_str(), run_operation,
            operation)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    }
    for (const std::string& dataset : datasets()) {
        for (const int order : {1, dataset == "pubmed" ? 3 : 6}) {
            for (const Index columns : {16, 64, 1600})
                benchmark::RegisterBenchmark(
                    fmt::format("device/sparse_product/{}/order:{}/columns:{}", dataset, order, columns)
                        .c_str(),
                    sparse_product, dataset, order, columns)
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
        }
    }
}

}  // namespace hwgcn::benchmarks
