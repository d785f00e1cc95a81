#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "graph/rings.hpp"
#include "inputs.hpp"
#include "oracle/ring_problem.hpp"
#include "oracle/smo.hpp"
#include "register.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn::benchmarks {
namespace {

/// A ring of about the wanted size in a real or synthetic graph.
struct Ring {
    std::vector<Index> members;
    SparseVector target;
};

Ring find_ring(const Input& in, std::size_t size) {
    RingSearch search(in.graph);
    RowSmoother smoother(in.graph, in.features);
    Ring best;
    const auto distance = [&](std::size_t other) { return other > size ? other - size : size - other; };
    for (int order = 2; order <= 5; ++order) {
        for (Index node = 0; node < in.graph.nodes(); node += 1 + in.graph.nodes() / 2000) {
            const auto members = search.ring(node, order);
            if (members.empty() ||
                (!best.members.empty() && distance(members.size()) >= distance(best.members.size())))
                continue;
            best.members.assign(members.begin(), members.end());
            best.target = smoother.smooth(node);
        }
    }
    return best;
}

testing::RingProblem dense_problem(const Input& in, const Ring& ring) {
    const auto features = static_cast<std::size_t>(in.features.columns);
    testing::RingProblem problem{"", {}, std::vector<double>(features, 0.0)};
    for (std::size_t e = 0; e < ring.target.columns.size(); ++e) {
        problem.target[ring.target.columns[e]] = ring.target.values[e];
    }
    for (const Index member : ring.members) {
        std::vector<double> dense(features, 0.0);
        const auto row = in.features.row(member);
        for (std::size_t e = 0; e < row.size(); ++e)
            dense[row.indices[e]] = row.values[e];
        problem.rows.push_back(std::move(dense));
    }
    return problem;
}

void solve_with_hwgcn(benchmark::State& state, const std::string& dataset, std::size_t size) {
    const Input& in = input(dataset);
    const Ring ring = find_ring(in, size);
    RingSolver solver(in.features);
    for (auto _ : state) {
        solver.load(ring.members, ring.target);
        const Solution& solution = solver.solve_simplex({});
        state.counters["gap"] = solution.gap;
        state.counters["support"] = static_cast<double>(solution.support.size());
    }
    state.counters["ring"] = static_cast<double>(ring.members.size());
}

// dlib's SMO on the Gram matrix, which it needs and which is part of its price; the same tolerance on the
// gap.
void solve_with_smo(benchmark::State& state, const std::string& dataset, std::size_t size) {
    const Input& in = input(dataset);
    const Ring ring = find_ring(in, size);
    const testing::RingProblem problem = dense_problem(in, ring);
    for (auto _ : state)
        benchmark::DoNotOptimize(testing::solve_by_smo(problem, 1e-7, 10'000'000).u.data());
    state.counters["ring"] = static_cast<double>(ring.members.size());
}

}  // namespace

void register_solver() {
    for (const std::string& dataset : datasets()) {
        if (dataset == "citeseer") continue;
        for (const std::size_t size : {30U, 300U, 1500U}) {
            const std::string name = fmt::format("{}/ring:{}", dataset, size);
            benchmark::RegisterBenchmark(("solver/hwgcn/" + name).c_str(), solve_with_hwgcn, dataset, size)
                ->Unit(benchmark::kMicrosecond);
            benchmark::RegisterBenchmark(("solver/smo/" + name).c_str(), solve_with_smo, dataset, size)
                ->Unit(benchmark::kMicrosecond);
        }
    }
}

}  // namespace hwgcn::benchmarks
