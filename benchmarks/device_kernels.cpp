// What an OpenCL device does per second, kernel by kernel, and a plain copy in its memory: the floor of
// all that only reads and writes. `bytes_per_second` counts what a kernel must move at least.
#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "inputs.hpp"
#include "operators/propagation.hpp"
#include "register.hpp"
#include "tensor/devices.hpp"
#include "tensor/kept_lists.hpp"
#include "tensor/operations.hpp"

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

// Of several runs side by side, each has its own dense matrices.
void sparse_product(benchmark::State& state, const std::string& dataset, int order, Index columns,
                    std::size_t runs) {
    gpu::Device& device = gpu::Device::open(0);
    const std::vector<std::uint64_t> seeds(runs);
    const gpu::SideBySide together(device, seeds);
    const Input& data = input(dataset);
    LearnedWeights weights;
    if (order > 1) weights = learn_weights(data.graph, data.features, {.order = order});
    const Propagation propagation = build_propagation(data.graph, weights);
    const CsrMatrix<float>& matrix = *propagation.matrix;
    gpu::KeptLists lists(device);
    lists.add(matrix);
    const DenseMatrix h = matrix_on(&device, propagation.nodes(), columns);
    DenseMatrix out = matrix_on(&device, propagation.nodes(), columns);
    const double entries = static_cast<double>(matrix.entries()) * (sizeof(Index) + sizeof(float));
    measure(state, device, entries + static_cast<double>(runs) * (bytes_of(h) + bytes_of(out)),
            [&] { multiply(matrix, nullptr, h, out, Write::replace, control); });
    state.counters["entries"] = static_cast<double>(matrix.entries());
}

// What operations work on: rows x columns numbers each, and a list of all rows.
struct Operands {
    Index columns;
    gpu::Device& device;
    DenseMatrix x = matrix_on(&device, rows, columns);
    DenseMatrix y = matrix_on(&device, rows, columns);
    DenseMatrix z = matrix_on(&device, rows, columns);
    std::vector<Index> nodes = std::vector<Index>(rows);
    std::vector<Index> labels = std::vector<Index>(rows);  // all 0
    gpu::KeptLists lists{device};
    Workspace workspace{&device};

    Operands(Index width, gpu::Device& where) : columns(width), device(where) {
        std::iota(nodes.begin(), nodes.end(), Index{0});
        lists.add(nodes);
        lists.add(labels);
    }
    MatrixView scratch(Index height, Index width) { return workspace.matrix(height, width); }
    MatrixView one_row() { return scratch(1, columns); }
};

struct Operation {
    const char* name;
    Index columns;
    double matrices;  // of rows x columns that are read and written
    std::function<void(Operands& o)> run;
};

std::vector<Operation> matrix_operations() {
    const auto dense = [](Operands& o) {
        multiply(o.x, o.scratch(o.columns, o.columns), o.y, Write::replace, control);
    };
    return {
        {"copy", 256, 2, [](Operands& o) { copy(o.x, o.y); }},
        {"fill", 256, 1, [](Operands& o) { fill(o.y, 1.0F); }},
        {"gather_rows", 256, 2, [](Operands& o) { gather_rows(o.x, o.nodes, o.y); }},
        {"scatter_add_rows", 256, 3, [](Operands& o) { scatter_add_rows(o.x, o.nodes, o.y); }},
        {"add_row", 256, 2, [](Operands& o) { add_row(o.x, o.one_row(), o.y); }},
        {"column_sums", 256, 1, [](Operands& o) { add_column_sums(o.x, o.one_row()); }},
        {"transpose", 256, 2, [](Operands& o) { transpose(o.x, o.scratch(o.columns, rows)); }},
        {"draw_mask", 256, 1.0 / 32,
         [](Operands& o) {
             draw_mask(o.workspace, o.x.view().size(), 0.5, {1, 2});
         }},
        {"dropout", 256, 2,
         [](Operands& o) {
             const DropMask mask{o.workspace.words(o.x.view().size() / 64 + 2), 2.0F};
             apply_dropout(o.x, o.nodes, mask, o.y, Write::replace);
         }},
        {"dense_product", 16, 2, dense},
        {"dense_product", 256, 2, dense},
        {"transposed_dense_product", 16, 2,
         [](Operands& o) { add_transposed_product(o.x, o.y, o.scratch(o.columns, o.columns), control); }},
        {"transposed_dense_product", 256, 2,
         [](Operands& o) { add_transposed_product(o.x, o.y, o.scratch(o.columns, o.columns), control); }},
    };
}

std::vector<Operation> number_operations() {
    return {
        {"scale", 256, 2, [](Operands& o) { scale({2.0F}, o.x, o.y, Write::replace); }},
        {"relu", 256, 2, [](Operands& o) { activate(Activation::relu, o.x, o.y); }},
        {"relu_gradient", 256, 3,
         [](Operands& o) { activation_gradient(Activation::relu, o.x, o.y, o.z, Write::replace); }},
        {"gelu", 256, 2, [](Operands& o) { gelu(o.x, o.y, control); }},
        {"softmax", 7, 2, [](Operands& o) { activate(Activation::softmax, o.x, o.y); }},
        {"cross_entropy", 7, 2, [](Operands& o) { cross_entropy(o.x, o.labels, {}, o.y, o.scratch(1, 1)); }},
        {"count_correct", 7, 1, [](Operands& o) { count_correct(o.x, o.labels, o.scratch(1, 1)); }},
        {"dot", 256, 2, [](Operands& o) { add_dot(o.x, o.y, o.scratch(1, 1), 0); }},
        {"count_infinite", 256, 1,
         [](Operands& o) {
             const ConstMatrixView x = o.x;
             count_infinite({&x, 1}, o.scratch(1, 1));
         }},
        {"adam_step", 256, 6,
         [](Operands& o) {
             adam_step({0.01F, 1.0F, 0.9F, 0.999F, 1e-8F, 0.0F}, o.x, o.y, o.z, o.scratch(rows, o.columns));
         }},
        {"layer_normalize", 256, 2,
         [](Operands& o) {
             layer_normalize(o.x, o.one_row(), o.one_row(), o.scratch(2, rows), o.y, control);
         }},
    };
}

std::vector<Operation> operations() {
    std::vector<Operation> all = matrix_operations();
    std::ranges::move(number_operations(), std::back_inserter(all));
    return all;
}

void run_operation(benchmark::State& state, const Operation& operation) {
    gpu::Device& device = gpu::Device::open(0);
    Operands operands(operation.columns, device);
    measure(state, device, operation.matrices * bytes_of(operands.x), [&] {
        operands.workspace.reset();
        operation.run(operands);
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
    constexpr std::pair<Index, std::size_t> shapes[] = {{16, 1}, {64, 1}, {1600, 1}, {16, 100}};
    for (const std::string& dataset : datasets()) {
        for (const int order : {1, dataset == "pubmed" ? 5 : 6}) {
            for (const auto& [columns, runs] : shapes)
                benchmark::RegisterBenchmark(
                    fmt::format("device/sparse_product/{}/order:{}/columns:{}{}", dataset, order, columns,
                                runs > 1 ? fmt::format("/runs:{}", runs) : "")
                        .c_str(),
                    sparse_product, dataset, order, columns, runs)
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
        }
    }
}

}  // namespace hwgcn::benchmarks
