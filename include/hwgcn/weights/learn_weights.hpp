#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/graph/graph.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

class WeightCache;

/// How the members of a ring get their weights.
enum class Weighting {
    learned,  ///< the simplex problem: few members, chosen by similarity to the target
    uniform,  ///< every member gets the scale alpha
    lasso,    ///< non-negative Lasso with the penalty `lambda`
};

/// No graph is that wide; guards against a mistyped number.
inline constexpr int max_order = 64;

struct WeightOptions {
    int order = 2;  ///< learn orders 2..order
    Neighborhood neighborhood = Neighborhood::distance;
    Weighting weighting = Weighting::learned;
    double tolerance = 1e-7;        ///< on every gap
    double lambda = 1e-3;           ///< for lasso only
    std::int64_t max_ring = 0;      ///< members that may carry weight, nearest first; 0: all
    std::vector<double> keep = {};  ///< for orders 2,3,..: share of the ring to keep; empty: all
    double min_weight = 0;          ///< rings are searched among edges of this weight or more; 0: all
    std::int64_t sample_ring = 0;   ///< members that a ring is cut to before it is read; 0: all
};

/// Throws InputError where a value is out of its range.
void validate_options(const WeightOptions& options);

/// What happened while the weights of one order were learned.
struct OrderSummary {
    int order = 0;
    std::int64_t problems = 0;    ///< rings with a positive total
    std::int64_t ring_pairs = 0;  ///< members over all rings, of samples where rings were cut to them
    std::int64_t largest_ring = 0;
    std::int64_t support = 0;        ///< members with a weight, before `keep`
    std::int64_t kept = 0;           ///< and after it: the entries of the matrix
    std::int64_t unfinished = 0;     ///< solves that did not reach the tolerance
    std::int64_t capped_rings = 0;   ///< rings larger than max_ring
    std::int64_t capped_pairs = 0;   ///< members left out by it
    std::int64_t sampled_rings = 0;  ///< rings cut to sample_ring members, or searched from one that was
    std::int64_t iterations = 0;     ///< over all solves
    double worst_gap = 0;
    Index worst_node = -1;  ///< the node that has it; -1 where nothing was solved
    double seconds = 0;     ///< of the run that solved it
    /// Share (%) of ring members whose weight lies in (0,1e-5) .. (1e-1,inf); no weight counts as the first.
    std::array<double, 6> statistics_percent{};
};

/// An operator is as good as its solves: throws ExecutionError where some did not reach the tolerance.
void check_solved(const OrderSummary& order, const WeightOptions& options);

/// The weight matrix of one order: row i holds the weights of the members of the ring of node i.
struct OrderWeights {
    CsrMatrix<double> matrix;
    std::vector<Index> ring_sizes;  ///< per node
    OrderSummary summary;
    bool cached = false;  ///< read from the cache, not solved now
};

struct LearnedWeights {
    std::vector<OrderWeights> orders;  ///< orders 2..K
    std::vector<std::string> notes;    ///< damaged cache entries and the like
};

/// Learns the weights of the orders 2..options.order. `features` are scaled (`scale_features`).
/// The result is the same bit for bit at any thread count. With a cache, orders found there are not solved
/// again and new ones are added as soon as they are finished. `content` names graph and features there;
/// empty: WeightCache::content_hash.
LearnedWeights learn_weights(const Graph& graph, const CsrMatrix<float>& features,
                             const WeightOptions& options, const ExecutionControl& control = {},
                             const WeightCache* cache = nullptr, const std::string& content = {});

/// Weights for a graph that has grown: the rows of `nodes`, ascending, every new one among them, are solved
/// on the new graph with the scaled `features` of all its nodes; the others stay as `known` has them. Signed
/// features have a constant one beside them, whose size is the largest |x_j| of the graph before, so that no
/// new node changes the weights of another by its length: `longest`, or 0 for that of the features here.
LearnedWeights extend_weights(const LearnedWeights& known, const Graph& graph,
                              const CsrMatrix<float>& features, const WeightOptions& options,
                              std::span<const Index> nodes, const ExecutionControl& control = {},
                              double longest = 0);

/// Keeps the heaviest ceil(share * ring size) entries of each row (ties: smaller column first).
CsrMatrix<double> keep_heaviest(const CsrMatrix<double>& weights, const std::vector<Index>& ring_sizes,
                                double share);

/// The sum of the orders' matrices: what the operator adds to A.
CsrMatrix<double> combined_weights(const LearnedWeights& weights);

/// Finished weight matrices on disk, one entry per order, named by the content of graph, features and
/// options. Orders that lie there in blocks (`learn_blocks`) are found, too, and never changed.
class WeightCache {
  public:
    /// Entries are looked for in `saved` first, where there is such a folder, and written to `directory`,
    /// unless that is empty.
    explicit WeightCache(std::filesystem::path directory, std::filesystem::path saved = {});

    /// SHA-256 (hex) of a graph and its features.
    static std::string content_hash(const Graph& graph, const CsrMatrix<float>& features);

    /// Names the weights of one order: depends on the content and on all options that change them (not on
    /// `keep`, which is applied afterwards).
    static std::string key(const std::string& content_hash, const WeightOptions& options, int order);

    /// The entry, or nothing. A damaged entry counts as missing and is reported in `notes`.
    std::optional<OrderWeights> find(const std::string& key, Index nodes,
                                     std::vector<std::string>& notes) const;

    /// Whether new entries are written.
    bool is_written() const { return !directory_.empty(); }

    /// Adds an entry, atomically. A full or read-only disk is reported in `notes`, not thrown: returns false.
    bool store(const std::string& key, const OrderWeights& weights, std::vector<std::string>& notes) const;

    /// The file that holds, or would hold, the entry.
    std::filesystem::path entry_path(const std::string& key) const;

  private:
    std::optional<OrderWeights> find_in(const std::filesystem::path& directory, const std::string& key,
                                        Index nodes, std::vector<std::string>& notes) const;

    std::filesystem::path directory_;
    std::filesystem::path saved_;
};

}  // namespace hwgcn
