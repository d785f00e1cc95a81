#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "peak.hpp"
#include "register.hpp"
#include "tensor/products.hpp"

namespace hwgcn::benchmarks {
namespace {

// OpenBLAS, where it is installed (Debian: libopenblas0-pthread) or HWGCN_OPENBLAS names its file. It is
// opened here: neither the benchmarks nor anything else need it.
class OpenBlas {
  public:
    OpenBlas() {
        const char* file = std::getenv("HWGCN_OPENBLAS");
        void* library = dlopen(file != nullptr ? file : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        sgemm_ = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
        set_threads_ = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
    }
    bool is_there() const { return sgemm_ != nullptr && set_threads_ != nullptr; }

    // out = A B, or out += A' B.
    void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, bool transposed, int threads) const {
        constexpr int row_major = 101, plain = 111, flipped = 112;
        set_threads_(threads);
        sgemm_(row_major, transposed ? flipped : plain, plain, out.rows, out.columns, b.rows, 1.0F, a.data,
               static_cast<int>(a.stride()), b.data, static_cast<int>(b.stride()), transposed ? 1.0F : 0.0F,
               out.data, static_cast<int>(out.stride()));
    }

  private:
    using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                           float*, int);
    using SetThreads = void (*)(int);
    Sgemm sgemm_ = nullptr;
    SetThreads set_threads_ = nullptr;
};

const OpenBlas& open_blas() {
    static const OpenBlas library;
    return library;
}

DenseMatrix filled(Index rows, Index columns) {
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>((i * 31 + j) % 17 - 8) / 17.0F;
    }
    return matrix;
}

void count_operations(benchmark::State& state, double per_round) {
    state.counters["operations"] =
        benchmark::Counter(per_round, benchmark::Counter::kIsIterationInvariantRate);
}

// A layer of a wide network: A is rows x width, the weights are width x width.
struct Layer {
    Index rows, width;
    bool transposed;  // A' G, the gradient of the weights
    bool ours;
    int threads;
};

void multiply_layer(benchmark::State& state, const Layer& layer) {
    if (!layer.ours && !open_blas().is_there())
        return state.SkipWithError(
            "OpenBLAS is not there: install libopenblas0-pthread or set HWGCN_OPENBLAS");
    const DenseMatrix a = filled(layer.rows, layer.width);
    const DenseMatrix b = filled(layer.transposed ? layer.rows : layer.width, layer.width);
    DenseMatrix out(layer.transposed ? layer.width : layer.rows, layer.width);
    const ExecutionControl control{.threads = layer.threads};
    for (auto _ : state) {
        if (!layer.ours) {
            open_blas().multiply(a, b, out, layer.transposed, layer.threads);
        } else if (layer.transposed) {
            add_transposed_product(a, b, out, control);
        } else {
            multiply(a, b, out, Write::replace, control);
        }
        benchmark::DoNotOptimize(out.numbers().data());
    }
    count_operations(state, 2.0 * layer.rows * layer.width * layer.width);
}

void peak(benchmark::State& state, int threads) {
    double operations = 0;
    for (auto _ : state) {
        parallel_for(threads, 1, {.threads = threads}, [&](int worker, std::int64_t) {
            const double done = fused_multiply_adds(1'000'000);
            if (worker == 0) operations = done;
        });
    }
    count_operations(state, operations * threads);
}

// One thread is timed by the processor's clock, which other programs do not disturb; several by that on the
// wall.
void time_it(benchmark::internal::Benchmark* entry, int threads) {
    entry->Unit(benchmark::kMillisecond);
    if (threads > 1) entry->UseRealTime();
}

}  // namespace

void register_dense_products() {
    for (const int threads : {1, 2}) {
        const std::string suffix = fmt::format("/threads:{}", threads);
        time_it(benchmark::RegisterBenchmark(("dense/peak" + suffix).c_str(), peak, threads), threads);
        for (const Index width : {64, 128, 256, 512}) {
            for (const bool transposed : {false, true}) {
                for (const bool ours : {true, false}) {
                    const std::string name =
                        fmt::format("dense/{}/{}/11758x{}x{}{}", ours ? "hwgcn" : "openblas",
                                    transposed ? "AtG" : "AB", width, width, suffix);
                    const Layer layer{11758, width, transposed, ours, threads};
                    time_it(benchmark::RegisterBenchmark(name.c_str(), multiply_layer, layer), threads);
                }
            }
        }
    }
}

}  // namespace hwgcn::benchmarks
