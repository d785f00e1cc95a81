// Names: stage/dataset/parameter. benchmarks/compare runs them and prints the table of ratios.
#include <benchmark/benchmark.h>

#include "register.hpp"

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    hwgcn::benchmarks::register_ring_search();
    hwgcn::benchmarks::register_solver();
    hwgcn::benchmarks::register_weight_learning();
    hwgcn::benchmarks::register_dense_products();
    hwgcn::benchmarks::register_products();
    hwgcn::benchmarks::register_skip_gram();
    hwgcn::benchmarks::register_device_kernels();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
