#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "graph/block_order.hpp"

#ifdef HWGCN_HAS_METIS
#include <metis.h>
#endif

namespace hwgcn {

#ifdef HWGCN_HAS_METIS
namespace {

constexpr idx_t seed = 1;

/// The graph in the numbers of METIS.
struct MetisGraph {
    std::vector<idx_t> offsets{0};
    std::vector<idx_t> neighbors;

    explicit MetisGraph(const Graph& graph) {
        std::int64_t entries = 0;
        for (Index node = 0; node < graph.nodes(); ++node)
            entries += std::ssize(graph.neighbors(node));
        constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
        if (entries > most) {
            throw InputError(fmt::format(
                "`order=metis`: {} neighbors in all, and this METIS has room for {}; `order=greedy` has no "
                "such limit",
                entries, most));
        }
        neighbors.reserve(static_cast<std::size_t>(entries));
        for (Index node = 0; node < graph.nodes(); ++node) {
            neighbors.insert(neighbors.end(), graph.neighbors(node).begin(), graph.neighbors(node).end());
            offsets.push_back(static_cast<idx_t>(neighbors.size()));
        }
    }
};

// A signal to end, which METIS catches while it works, is an error of METIS, too.
[[noreturn]] void fail_in_metis(int status) {
    if (status == METIS_ERROR_MEMORY)
        throw ExecutionError("METIS: not enough memory; `order=greedy` needs less");
    throw ExecutionError(fmt::format("METIS: failed or was stopped (status {})", status));
}

std::vector<Index> partition(const Graph& graph, Index blocks) {
    MetisGraph input(graph);
    std::vector<idx_t> part(static_cast<std::size_t>(graph.nodes()));
    idx_t nodes = graph.nodes();
    idx_t constraints = 1;
    idx_t parts = blocks;
    idx_t cut = 0;
    std::vector<idx_t> options(METIS_NOPTIONS);
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NUMBERING] = 0;
    const int status =
        METIS_PartGraphKway(&nodes, &constraints, input.offsets.data(), input.neighbors.data(), nullptr,
                            nullptr, nullptr, &parts, nullptr, nullptr, options.data(), &cut, part.data());
    if (status != METIS_OK) fail_in_metis(status);
    return {part.begin(), part.end()};
}

}  // namespace

bool has_metis() {
    return true;
}

void require_metis() {}

std::string version_of_metis() {
    return fmt::format("{}.{}.{}, {} bits", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR,
                       IDXTYPEWIDTH);
}

NodeOrder metis_order(const Graph& graph, Index block_size, const ExecutionControl& control) {
    const NodeBlocks even = even_blocks(graph.nodes(), block_size);
    const bool has_edges = graph.nodes() > 0 && graph.edges() > 0;
    if (even.count() < 2 || !has_edges) {  // METIS divides by zero
        NodeOrder kept{std::vector<Index>(static_cast<std::size_t>(graph.nodes())), even};
        std::iota(kept.order.begin(), kept.order.end(), 0);
        return kept;
    }
    throw_if_stopped(control);
    const std::vector<Index> block_of = partition(graph, even.count());
    throw_if_stopped(control);
    return ordered_by_blocks(block_of, block_numbers(edges_between(graph, block_of, even.count())));
}
#else
bool has_metis() {
    return false;
}

void require_metis() {
    throw InputError(
        "`order=metis`: this program was built without METIS; install libmetis-dev and build it with "
        "-DHWGCN_WITH_METIS=ON");
}

std::string version_of_metis() {
    return "not built in";
}

NodeOrder metis_order(const Graph&, Index, const ExecutionControl&) {
    require_metis();
    return {};
}
#endif

}  // namespace hwgcn
