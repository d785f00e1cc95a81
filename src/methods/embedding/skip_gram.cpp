#include "methods/embedding/skip_gram.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"
#include "base/stopping.hpp"
#include "methods/embedding/alias_table.hpp"
#include "methods/embedding/huffman_tree.hpp"
#include "methods/embedding/walk_pairs.hpp"
#include "tensor/finite.hpp"
#include "tensor/skip_gram.hpp"

namespace hwgcn {
namespace {

// What training shares out is decided by sizes alone, never by the number of threads.
constexpr std::size_t most_pairs_at_once = std::size_t{1} << 22;  // 32 MB
constexpr std::size_t pairs_per_batch = 64;
constexpr std::size_t nodes_per_bucket = 64;  // at least: negatives are many
constexpr std::size_t most_buckets = 8;

// Blocks change the order in which pairs are trained. Where that is done for a whole pass at once, accuracy
// suffers (Citeseer, sixteen buckets: by three points); within a 32nd part of a pass it does not.
std::size_t walks_at_once(std::size_t walks_of_pass, const WalkShape& shape) {
    return std::clamp<std::size_t>(walks_of_pass / 32, 1,
                                   std::max<std::size_t>(most_pairs_at_once / most_pairs(shape), 1));
}

// The vectors under training, and how far it has come.
struct Training {
    DenseMatrix centres;
    DenseMatrix contexts;
    SigmoidTable sigmoid;
    double rate;
    ExecutionControl control;

    // The rate falls evenly; it never is nothing.
    float rate_after(double done) const { return static_cast<float>(rate * std::max(1.0 - done, 1e-4)); }
};

// A share of all training: from one point to another, the whole being 0..1.
struct Span {
    double begin;
    double end;
};

// add_targets(context, targets) says what a pair's centre is compared with.
template <typename AddTargets>
void train_block(Training& training, std::span<const WalkPair> pairs, Span share,
                 const AddTargets& add_targets) {
    std::vector<Index> centres;
    std::vector<std::size_t> ends;
    std::vector<SkipGramTarget> targets;
    const double step =
        (share.end - share.begin) / static_cast<double>(std::max<std::size_t>(pairs.size(), 1));
    for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_per_batch) {
        throw_if_stopped(training.control);
        centres.clear();
        ends.clear();
        targets.clear();
        for (const WalkPair& pair : pairs.subspan(begin, std::min(pairs_per_batch, pairs.size() - begin))) {
            centres.push_back(pair.centre);
            add_targets(pair.context, targets);
            ends.push_back(targets.size());
        }
        train_skip_gram({centres, ends, targets}, training.sigmoid,
                        training.rate_after(share.begin + step * static_cast<double>(begin)),
                        training.centres, training.contexts);
    }
}

// Tells a context from nodes that are drawn in proportion to strength^0.75, as word2vec does. The nodes are
// dealt to buckets anew in every pass, and a negative comes from the bucket of the context: so blocks of
// pairs that share no bucket can be trained at the same time, and every bucket is like the whole graph.
class NegativeSampling {
  public:
    NegativeSampling(const RandomWalker& walker, std::vector<Index> nodes, int negatives)
        : by_strength_(std::move(nodes)), negatives_(negatives) {
        std::stable_sort(by_strength_.begin(), by_strength_.end(),
                         [&](Index a, Index b) { return walker.strength(a) > walker.strength(b); });
        for (const Index node : by_strength_)
            weights_.push_back(std::sqrt(walker.strength(node)) *
                               std::sqrt(std::sqrt(walker.strength(node))));
        const std::size_t wanted = std::max<std::size_t>(by_strength_.size() / nodes_per_bucket, 1);
        buckets_ = static_cast<int>(std::min(std::bit_floor(wanted), most_buckets));
    }

    int buckets() const { return buckets_; }
    Index context_rows(Index nodes) const { return nodes; }

    // Of every `buckets` nodes that follow each other in strength, each bucket gets one.
    void begin_pass(std::uint64_t seed, int pass, std::span<std::uint8_t> bucket_of) {
        RandomStream random = walk_stream(seed, WalkDraw::buckets, pass, 0);
        std::vector<std::uint8_t> deal(static_cast<std::size_t>(buckets_));
        std::iota(deal.begin(), deal.end(), std::uint8_t{0});
        std::vector<std::vector<Index>> members(deal.size());
        std::vector<std::vector<double>> weights(deal.size());
        for (std::size_t k = 0; k < by_strength_.size(); ++k) {
            if (k % deal.size() == 0) random.shuffle(std::span(deal));
            const std::uint8_t bucket = deal[k % deal.size()];
            bucket_of[by_strength_[k]] = bucket;
            members[bucket].push_back(by_strength_[k]);
            weights[bucket].push_back(weights_[k]);
        }
        tables_.clear();
        for (std::size_t bucket = 0; bucket < deal.size(); ++bucket)
            tables_.emplace_back(members[bucket], weights[bucket]);
        streams_.clear();
        for (int block = 0; block < buckets_ * buckets_; ++block)
            streams_.push_back(walk_stream(seed, WalkDraw::negatives, pass, block));
    }

    void train(Training& training, const PairBlocks& blocks, int centre_bucket, int context_bucket,
               Span share) {
        const AliasTable& table = tables_[context_bucket];
        RandomStream& random = streams_[static_cast<std::size_t>(centre_bucket) * buckets_ + context_bucket];
        train_block(training, blocks.block(centre_bucket, context_bucket), share,
                    [&](Index context, std::vector<SkipGramTarget>& targets) {
                        targets.push_back({context, 1.0F});
                        std::uint64_t bits = 0;
                        for (int k = 0; k < negatives_; ++k) {
                            bits = k % 2 == 0 ? random.bits() : bits >> 32;
                            const Index drawn = table.draw(static_cast<std::uint32_t>(bits));
                            if (drawn != context) targets.push_back({drawn, 0.0F});
                        }
                    });
    }

  private:
    std::vector<Index> by_strength_;
    std::vector<double> weights_;  // of the nodes in that order
    int negatives_;
    int buckets_ = 1;
    std::vector<AliasTable> tables_;     // per bucket
    std::vector<RandomStream> streams_;  // per block
};

// Finds a context in a tree of all nodes. All ways go through the inner nodes near the root, so there is
// nothing that could be trained at the same time.
class HierarchicalSoftmax {
  public:
    HierarchicalSoftmax(const RandomWalker& walker, Index nodes) : tree_(strengths(walker, nodes)) {}

    int buckets() const { return 1; }
    Index context_rows(Index) const { return tree_.inner_nodes(); }
    void begin_pass(std::uint64_t, int, std::span<std::uint8_t>) {}

    void train(Training& training, const PairBlocks& blocks, int, int, Span share) {
        train_block(
            training, blocks.block(0, 0), share,
            [&](Index context, std::vector<SkipGramTarget>& targets) { tree_.add_path(context, targets); });
    }

  private:
    static std::vector<double> strengths(const RandomWalker& walker, Index nodes) {
        std::vector<double> result;
        for (Index i = 0; i < nodes; ++i)
            result.push_back(walker.strength(i));
        return result;
    }

    HuffmanTree tree_;
};

// In round r, bucket b of the centres meets bucket b + r of the contexts: no two blocks of a round share a
// row, and after all rounds every block has been trained.
template <typename Objective>
void train_chunk(Training& training, const PairBlocks& blocks, Span share, Objective& objective,
                 const ExecutionControl& control) {
    const double step = (share.end - share.begin) / blocks.buckets;
    for (int round = 0; round < blocks.buckets; ++round) {
        const Span part{share.begin + step * round, share.begin + step * (round + 1)};
        parallel_for(blocks.buckets, 1, {control.threads, nullptr, control.stop},
                     [&](int, std::int64_t bucket) {
                         const int centres = static_cast<int>(bucket);
                         objective.train(training, blocks, centres, (centres + round) % blocks.buckets, part);
                     });
    }
}

// Uniform in +-0.5 / dimensions, as word2vec begins.
DenseMatrix first_vectors(Index nodes, std::span<const Index> walked, Index dimensions, std::uint64_t seed) {
    DenseMatrix vectors(nodes, dimensions);
    for (const Index node : walked) {
        RandomStream random = walk_stream(seed, WalkDraw::vectors, 0, node);
        for (Index j = 0; j < dimensions; ++j)
            vectors.at(node, j) = static_cast<float>((random.uniform() - 0.5) / dimensions);
    }
    return vectors;
}

template <typename Objective>
WalkEmbedding train_walks(const RandomWalker& walker, std::vector<Index> starts, Index nodes,
                          Objective objective, const DeepWalkOptions& options, std::uint64_t seed,
                          const ExecutionControl& control) {
    const WalkShape shape{options.walk_length, options.window};
    const std::size_t walks_per_chunk = walks_at_once(starts.size(), shape);
    const double all_walks = static_cast<double>(starts.size()) * options.walks;
    Training training{first_vectors(nodes, starts, options.dimensions, seed),
                      DenseMatrix(objective.context_rows(nodes), options.dimensions),
                      {},
                      options.walk_rate,
                      control};
    WalkEmbedding result{{}, static_cast<Index>(starts.size()), 0};
    const ProgressTask task(control, "random walks", static_cast<std::int64_t>(all_walks));
    std::vector<std::uint8_t> bucket_of(static_cast<std::size_t>(nodes));
    double done = 0;
    for (int pass = 0; pass < options.walks; ++pass) {
        RandomStream order = walk_stream(seed, WalkDraw::order, pass, 0);
        order.shuffle(std::span(starts));
        objective.begin_pass(seed, pass, bucket_of);
        for (std::size_t begin = 0; begin < starts.size(); begin += walks_per_chunk) {
            const auto chunk =
                std::span(starts).subspan(begin, std::min(walks_per_chunk, starts.size() - begin));
            const PairBlocks blocks =
                collect_pairs(walker, chunk, shape, seed, pass, bucket_of, objective.buckets(), control);
            const double after = done + static_cast<double>(chunk.size());
            train_chunk(training, blocks, {done / all_walks, after / all_walks}, objective, control);
            done = after;
            result.pairs += static_cast<std::int64_t>(blocks.pairs.size());
            if (control.progress != nullptr)
                control.progress->advance(static_cast<std::int64_t>(chunk.size()));
        }
    }
    result.vectors = std::move(training.centres);
    return result;
}

}  // namespace

WalkEmbedding embed_by_walks(const CsrMatrix<float>& weights, const DeepWalkOptions& options,
                             std::uint64_t seed, const ExecutionControl& control) {
    const RandomWalker walker(weights);
    std::vector<Index> starts = walker.starts();
    if (starts.empty()) throw InputError("the graph has no edges, and DeepWalk learns from nothing else");
    const Index nodes = weights.rows;
    WalkEmbedding result =
        options.objective == SkipGramObjective::negative_sampling
            ? train_walks(walker, starts, nodes, NegativeSampling(walker, starts, options.negatives), options,
                          seed, control)
            : train_walks(walker, starts, nodes, HierarchicalSoftmax(walker, nodes), options, seed, control);
    if (!all_finite(result.vectors))
        throw Diverged("the vectors of the walks diverged: they are not finite; a smaller `walk_rate` helps");
    return result;
}

}  // namespace hwgcn
