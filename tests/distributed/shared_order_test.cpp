// Orders that several processes find together: those of one process.
#include "distributed/graph/shared_order.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "base/files/input_file.hpp"
#include "distributed/io/text_shards.hpp"
#include "distributed/thread_peers.hpp"
#include "graph/node_order.hpp"
#include "graph/random_graph.hpp"
#include "test_data.hpp"

namespace hwgcn::shared_order_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

OwnNeighbors lists_of(const Graph& graph, Index first, Index end) {
    OwnNeighbors lists;
    for (Index node = first; node < end; ++node) {
        const auto neighbors = graph.neighbors(node);
        lists.neighbors.insert(lists.neighbors.end(), neighbors.begin(), neighbors.end());
        lists.offsets.push_back(std::ssize(lists.neighbors));
    }
    return lists;
}

// Whatever the share of each process: some have no node.
bool is_that_of_one(const Graph& graph, Index block_size, int processes, std::uint64_t seed) {
    RandomStream random(seed, 0);
    std::vector<Index> firsts{0, graph.nodes()};
    for (int process = 1; process < processes; ++process)
        firsts.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(graph.nodes()) + 1)));
    std::ranges::sort(firsts);
    const NodeOrder expected = greedy_order(graph, block_size);
    std::atomic<int> same{0};
    run_as_threads(processes, [&](Peers& peers) {
        const NodeOrder found =
            shared_greedy_order(lists_of(graph, firsts[peers.rank()], firsts[peers.rank() + std::size_t{1}]),
                                firsts, block_size, peers);
        same += found.order == expected.order && found.blocks.bounds == expected.blocks.bounds ? 1 : 0;
    });
    return same == processes;
}

// Few edges leave many components and nodes without neighbors.
TEST(SharedGreedyOrder, IsThatOfOneProcess) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(1, 120);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const Graph graph(nodes, testing::random_edges(nodes, *rc::gen::inRange(0, 200), seed));
        const Index size = *rc::gen::inRange(1, 40);
        RC_ASSERT(is_that_of_one(graph, size, *rc::gen::element(1, 2, 3, 5), seed));
    });
    EXPECT_TRUE(holds);
}

TEST(SharedGreedyOrder, TakesPathsCommunitiesAndNothing) {
    std::vector<Edge> path;
    for (Index node = 0; node < 99; ++node)
        path.push_back({(node * 37) % 100, ((node + 1) * 37) % 100});
    const Dataset dataset = make_synthetic({.nodes = 3000, .mean_degree = 6});
    for (const Graph& graph : {Graph(100, path), Graph(dataset.nodes, dataset.edges), Graph(9, {})}) {
        for (const int processes : {2, 5, 8})
            EXPECT_TRUE(is_that_of_one(graph, 7, processes, 3));
    }
}

TEST(SharedGreedyOrder, AStopOfOneStopsAll) {
    const Dataset dataset = make_synthetic({.nodes = 300});
    const Graph graph(dataset.nodes, dataset.edges);
    std::atomic<int> interrupted{0};
    run_as_threads(3, [&](Peers& peers) {
        const std::atomic<bool> stop{peers.rank() == 1};
        const std::vector<Index> firsts{0, 100, 200, 300};
        try {
            shared_greedy_order(lists_of(graph, 100 * peers.rank(), 100 * peers.rank() + 100), firsts, 10,
                                peers, {1, nullptr, &stop});
        } catch (const Interrupted&) {
            ++interrupted;
        }
    });
    EXPECT_EQ(interrupted, 3);
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
    return files;
}

/// Tables in a folder.
struct Tables {
    TemporaryDirectory directory;
    CsvFiles files;

    Tables(const std::string& edges, const std::string& nodes, const std::string& features,
           Directions directions) {
        files.edges = directory / "edges.csv";
        testing::write_plainly(files.edges, edges);
        files.nodes = nodes.empty() ? fs::path() : directory / "nodes.csv";
        if (!nodes.empty()) testing::write_plainly(files.nodes, nodes);
        files.features = features.empty() ? fs::path() : directory / "features.csv";
        if (!features.empty()) testing::write_plainly(files.features, features);
        files.directions = directions;
    }

    std::map<std::string, std::string> written_by_one(Index block_size) const {
        const Dataset dataset = read_csv_dataset(files);
        const NodeOrder found = greedy_order(Graph(dataset.nodes, dataset.edges), block_size);
        write_shards(directory / "one", reordered(dataset, found.order), {found.blocks, "greedy"});
        return files_in(directory / "one");
    }

    std::map<std::string, std::string> written_by(int processes, Index block_size) const {
        std::error_code ignored;
        fs::remove_all(directory / "several", ignored);
        run_as_threads(processes, [&](Peers& peers) {
            TextShardOptions options{directory / "several", block_size};
            options.piece_bytes = processes % 2 == 1 ? 200 : 1 << 20;
            options.memory = processes % 2 == 0 ? 500 : 0;
            options.order = "greedy";
            options.find_order = [&](OwnNeighbors own, std::span<const Index> firsts, Index size) {
                return shared_greedy_order(std::move(own), firsts, size, peers);
            };
            shard_text(files, options, peers);
        });
        return files_in(directory / "several");
    }

    void expect_same_files() const {
        for (const Index block_size : {4, 17}) {
            std::error_code ignored;
            fs::remove_all(directory / "one", ignored);
            const std::map<std::string, std::string> expected = written_by_one(block_size);
            for (const int processes : {1, 2, 3, 5}) {
                SCOPED_TRACE(fmt::format("{} processes, blocks of {}", processes, block_size));
                EXPECT_TRUE(written_by(processes, block_size) == expected);
            }
        }
    }
};

// Loops, repeated edges in both directions, weights whose sum depends on its order, weights of 0, nodes
// without edges, small components.
std::string mixed_edges(bool weighted) {
    RandomStream random(11, 0);
    std::string edges = weighted ? "source,target,weight\n" : "source,target\n";
    const auto add = [&](std::uint64_t from, std::uint64_t to, int k) {
        const char* const weights[] = {"0.1", "1e-8", "0.7", "3.3333", "1e8", "1e-9", "0", "2"};
        edges += fmt::format("n{},n{}", from, to);
        edges += weighted ? fmt::format(",{}\n", weights[k % 8]) : "\n";
    };
    // In another order the sum is rounded to 16777218.
    if (weighted) edges += "n62,n63,16777216\nn62,n63,1\n";
    for (int k = 0; k < 150; ++k) {
        const std::uint64_t from = random.below(40);
        const std::uint64_t to = random.below(40);
        add(from, to, k);
        if (k % 3 == 0) add(to, from, k + 1);
        if (k % 4 == 0) add(from, to, k + 3);
    }
    for (std::uint64_t node = 40; node < 60; node += 2)
        add(node + 1, node, static_cast<int>(node));
    for (int k = 0; weighted && k < 4; ++k)
        edges += "n62,n63,9.313225746154785e-10\n";
    add(7, 7, 1);
    add(61, 61, 2);
    return edges;
}

TEST(TextShardsInGreedyOrder, AreThoseOfOneProcess) {
    std::string nodes = "id,label,x,city\n";
    std::string words = "n5,w0,16777216\nn5,w0,1\nn5,w0,1\n";
    for (int k = 0; k < 70; ++k) {
        const int id = (k * 29) % 70;
        nodes +=
            fmt::format("n{},{},{},c{}\n", id, k % 7 == 0 ? "" : fmt::to_string(k % 3), 0.37 * k - 5, k % 4);
        for (int j = 0; j < 4; ++j)
            words += fmt::format("n{},w{},{}\n", (k * 37 + j) % 70, (k * k + 7 * j) % 20, 0.1 * (1 + j));
    }
    for (const bool weighted : {false, true}) {
        for (const Directions directions : {Directions::as_found, Directions::kept}) {
            SCOPED_TRACE(fmt::format("weights {}, directions {}", weighted, directions == Directions::kept));
            Tables(mixed_edges(weighted), nodes, words, directions).expect_same_files();
        }
    }
    Tables(mixed_edges(true), nodes, "", Directions::as_found).expect_same_files();
    Tables(mixed_edges(true), "", "", Directions::as_found).expect_same_files();
}

}  // namespace
}  // namespace hwgcn::shared_order_test
