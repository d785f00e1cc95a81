#include "hwgcn/dataset/synthetic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"
#include "base/random_stream.hpp"
#include "base/stopping.hpp"

// Every random decision here rests on integers, or on doubles made by + - * / and square roots alone. IEEE
// 754 rounds these correctly, so they have the same bits on every machine; std::pow, exp and log do not, and
// the last bit of one of them could move an edge.

namespace hwgcn {
namespace {

// The purposes that random numbers are drawn for; each has streams of its own.
enum class Purpose : std::uint64_t { order = 1, edges = 2, words = 3, noise = 4, weights = 5 };

RandomStream stream_for(const SyntheticOptions& options, Purpose purpose, Index node = 0) {
    return {options.seed, static_cast<std::uint64_t>(purpose) << 32 | static_cast<std::uint32_t>(node)};
}

// base^exponent for base >= 0 and exponent >= 0. Bit k after the point of the exponent stands for a factor
// base^(2^-k), which is what k square roots give.
double power(double base, double exponent) {
    double result = 1.0;
    while (exponent >= 1.0) {
        result *= base;
        exponent -= 1.0;
    }
    for (double root = base; exponent > 0.0;) {
        root = std::sqrt(root);
        exponent *= 2.0;
        if (exponent >= 1.0) {
            result *= root;
            exponent -= 1.0;
        }
    }
    return result;
}

// A distribution on [0, 1) that is sampled through its quantile function, tabulated and linear in between.
class QuantileTable {
  public:
    template <typename Quantile>
    explicit QuantileTable(const Quantile& quantile) {
        for (std::uint32_t k = 0; k <= steps; ++k)
            knots_[k] = std::clamp(quantile(static_cast<double>(k) / steps), 0.0, 1.0);
    }

    // A position in [0, size): the part of `size` at the quantile draw / 2^32.
    Index pick(std::uint32_t draw, Index size) const {
        const std::uint32_t k = draw >> fraction_bits;
        const double fraction = (draw & ((1u << fraction_bits) - 1)) * (1.0 / (1u << fraction_bits));
        const double quantile = knots_[k] + fraction * (knots_[k + 1] - knots_[k]);
        return std::min(static_cast<Index>(quantile * size), size - 1);
    }

  private:
    static constexpr std::uint32_t fraction_bits = 20;
    static constexpr std::uint32_t steps = 1u << (32 - fraction_bits);
    std::array<double, steps + 1> knots_{};
};

// Power-law expected degrees: the node at x in [0, 1) of its class, heaviest first, has the weight
// (x + h)^-a with a = 1/(exponent - 1). With b = 1 - a the distribution function is
//     F(x) = ((x + h)^b - h^b) / ((1 + h)^b - h^b).
// The head h keeps the largest expected degree near sqrt(nodes * mean_degree), beyond which two hubs would be
// joined more than once: the weight at 0 is about b h^-a times the mean weight, hence
//     h = (b * sqrt(mean_degree / nodes))^(1/a).
QuantileTable degree_quantiles(const SyntheticOptions& options) {
    const double a = 1.0 / (options.degree_exponent - 1.0);
    const double b = 1.0 - a;
    const double head =
        power(b * std::sqrt(options.mean_degree / options.nodes), options.degree_exponent - 1.0);
    const double low = power(head, b);
    const double high = power(1.0 + head, b);
    return QuantileTable([&](double u) { return power(low + u * (high - low), 1.0 / b) - head; });
}

// Zipf-Mandelbrot: the word of rank r in [0, size) has a weight near 1/(r + shift), and the distribution
// function is log((r + shift) / shift) / log((size + shift) / shift). The shift stands for the stop words
// that are removed from real texts: without it nearly all nodes would have the first few words.
QuantileTable word_quantiles(Index size) {
    constexpr double shift = 10.0;
    const double ratio = (size + shift) / shift;
    return QuantileTable([&](double u) { return (power(ratio, u) - 1.0) / (ratio - 1.0); });
}

// Nodes are placed by descending expected degree, and the classes take turns: the place p belongs to class
// p mod classes. Which node stands at a place is drawn at random.
struct Places {
    Index nodes;
    Index classes;

    Index class_of(Index place) const { return place % classes; }
    Index class_size(Index label) const { return (nodes - 1 - label) / classes + 1; }
    Index place(Index label, Index rank) const { return label + classes * rank; }
};

std::int64_t pairs_of(std::int64_t count) {
    return count * (count - 1) / 2;
}

struct EdgeCounts {
    std::int64_t inside = 0;    // both ends in the same class
    std::int64_t crossing = 0;  // ends in different classes
};

EdgeCounts possible_edges(const Places& places) {
    EdgeCounts possible;
    for (Index label = 0; label < places.classes; ++label)
        possible.inside += pairs_of(places.class_size(label));
    possible.crossing = pairs_of(places.nodes) - possible.inside;
    return possible;
}

EdgeCounts wanted_edges(const SyntheticOptions& options) {
    const std::int64_t total = std::llround(options.nodes * options.mean_degree / 2.0);
    const std::int64_t inside = std::llround(static_cast<double>(total) * options.homophily);
    return {inside, total - inside};
}

// Light edges that would repeat others are drawn again: there must be room for them.
constexpr double most_noise = 0.25;

template <typename Value>
void require_between(std::string_view option, Value value, Value lowest, Value highest) {
    if (value >= lowest && value <= highest) return;  // refuses NaN, too
    throw InputError(
        fmt::format("synthetic graph: {} is {}, expected {}..{}", option, value, lowest, highest));
}

void validate_options(const SyntheticOptions& options) {
    require_between<Index>("nodes", options.nodes, 1, std::numeric_limits<Index>::max());
    require_between<Index>("classes", options.classes, 1, options.nodes);
    require_between("homophily", options.homophily, 0.0, 1.0);
    require_between("mean_degree", options.mean_degree, 0.0, options.nodes - 1.0);
    require_between("degree_exponent", options.degree_exponent, 2.1, 100.0);
    require_between<Index>("vocabulary", options.vocabulary, 0, std::numeric_limits<Index>::max());
    require_between<Index>("words", options.words, 0, options.vocabulary);
    require_between("topic_share", options.topic_share, 0.0, 1.0);
    require_between("noise_edges", options.noise_edges, 0.0, most_noise * (options.nodes - 1.0));
    require_between("noise_weight", options.noise_weight, 1e-6, 1.0);

    const EdgeCounts wanted = wanted_edges(options);
    const EdgeCounts possible = possible_edges({options.nodes, options.classes});
    const auto require_pairs = [&](std::string_view where, std::int64_t edges, std::int64_t pairs) {
        if (edges <= pairs) return;
        throw InputError(fmt::format(
            "synthetic graph: mean_degree {} and homophily {} ask for {} edges {} classes, where {} nodes in "
            "{} classes have {} pairs",
            options.mean_degree, options.homophily, edges, where, options.nodes, options.classes, pairs));
    };
    require_pairs("inside", wanted.inside, possible.inside);
    require_pairs("between", wanted.crossing, possible.crossing);
}

// The unordered pairs seen so far: open addressing in a table of fixed size that stays at most half full.
class PairSet {
  public:
    explicit PairSet(std::int64_t most_pairs)
        : slots_(std::bit_ceil(2 * static_cast<std::size_t>(most_pairs) + 2), empty),
          shift_(64 - std::countr_zero(slots_.size())) {}

    // False where the pair was there already.
    bool insert(Index a, Index b) {
        const auto [low, high] = std::minmax(a, b);
        const std::uint64_t key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
        std::size_t slot = key * 0x9E3779B97F4A7C15u >> shift_;
        while (slots_[slot] != empty) {
            if (slots_[slot] == key) return false;
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = key;
        return true;
    }

  private:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    std::vector<std::uint64_t> slots_;
    int shift_;
};

// Draws that meet what is already there are repeated; after this many a draw from all possibilities alike
// takes their place: even a complete graph or a node with every word is finished soon.
constexpr int patience = 16;

class EdgeSampler {
  public:
    explicit EdgeSampler(const SyntheticOptions& options)
        : places_{options.nodes, options.classes},
          degrees_(degree_quantiles(options)),
          random_(stream_for(options, Purpose::edges)) {}

    // Two different places, of one class or of two.
    std::pair<Index, Index> draw(bool inside, bool by_degree) {
        for (;;) {
            const std::uint64_t bits = random_.bits();
            const auto pick = [&](std::uint64_t half, Index size) {
                const auto draw = static_cast<std::uint32_t>(half);
                return by_degree ? degrees_.pick(draw, size) : static_cast<Index>(half * size >> 32);
            };
            const Index first = pick(bits >> 32, places_.nodes);
            const Index label = places_.class_of(first);
            const std::uint64_t rest = bits & 0xFFFFFFFFu;
            const Index second = inside ? places_.place(label, pick(rest, places_.class_size(label)))
                                        : pick(rest, places_.nodes);
            if (first != second && (places_.class_of(second) == label) == inside) return {first, second};
        }
    }

  private:
    Places places_;
    QuantileTable degrees_;
    RandomStream random_;
};

// `node_at` says which node stands at a place.
std::vector<Edge> draw_edges(const SyntheticOptions& options, std::span<const Index> node_at,
                             const ExecutionControl& control) {
    const EdgeCounts wanted = wanted_edges(options);
    const std::int64_t total = wanted.inside + wanted.crossing;
    PairSet seen(total);
    EdgeSampler sampler(options);
    std::vector<Edge> edges;
    edges.reserve(static_cast<std::size_t>(total));
    for (std::int64_t count = 0; count < total; ++count) {
        throw_if_stopped(control);
        const bool inside = count < wanted.inside;
        auto [first, second] = sampler.draw(inside, true);
        for (int attempt = 1; !seen.insert(first, second); ++attempt)
            std::tie(first, second) = sampler.draw(inside, attempt < patience);
        edges.push_back({node_at[first], node_at[second]});
    }
    return edges;
}

// Light edges between any two nodes that are not connected yet.
void add_noise(const SyntheticOptions& options, std::vector<Edge>& edges, const ExecutionControl& control) {
    const std::int64_t wanted = std::llround(options.nodes * options.noise_edges / 2.0);
    PairSet seen(std::ssize(edges) + wanted);
    for (const Edge& edge : edges)
        seen.insert(edge.from, edge.to);
    RandomStream random = stream_for(options, Purpose::noise);
    for (std::int64_t count = 0; count < wanted;) {
        throw_if_stopped(control);
        const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(options.nodes)));
        const auto b = static_cast<Index>(random.below(static_cast<std::uint64_t>(options.nodes)));
        if (a == b || !seen.insert(a, b)) continue;
        edges.push_back({a, b});
        ++count;
    }
}

// From half to one and a half times what an edge of its kind weighs on average; heavy ones come first.
std::vector<float> draw_weights(const SyntheticOptions& options, std::size_t heavy, std::size_t all) {
    RandomStream random = stream_for(options, Purpose::weights);
    std::vector<float> weights;
    weights.reserve(all);
    for (std::size_t e = 0; e < all; ++e) {
        const double mean = e < heavy ? 1.0 : options.noise_weight;
        weights.push_back(static_cast<float>(mean * (0.5 + random.uniform())));
    }
    return weights;
}

// Each class has a topic: the vocabulary in its natural order, from a word of its own on and round the end.
// The background ranks the same words by large steps: its frequent ones fall in all topics alike.
class WordSampler {
  public:
    explicit WordSampler(const SyntheticOptions& options)
        : options_(options),
          ranks_(word_quantiles(options.vocabulary)),
          topic_threshold_(static_cast<std::uint64_t>(options.topic_share * 0x1p32)),
          step_(static_cast<std::uint64_t>(options.vocabulary * 0.6180339887)) {
        while (std::gcd(step_, static_cast<std::uint64_t>(options.vocabulary)) != 1)
            ++step_;
    }

    // Fills `row` with distinct words, ascending. `last_user` has per word the node that used it last.
    void draw(Index node, Index label, std::span<Index> row, std::span<Index> last_user) const {
        RandomStream random = stream_for(options_, Purpose::words, node);
        for (Index& word : row) {
            word = draw_word(random, label);
            for (int attempt = 1; last_user[word] == node; ++attempt) {
                word = attempt < patience ? draw_word(random, label)
                                          : static_cast<Index>(random.below(options_.vocabulary));
            }
            last_user[word] = node;
        }
        std::sort(row.begin(), row.end());
    }

  private:
    Index draw_word(RandomStream& random, Index label) const {
        const std::uint64_t bits = random.bits();
        const auto size = static_cast<std::uint64_t>(options_.vocabulary);
        const auto rank = static_cast<std::uint64_t>(
            ranks_.pick(static_cast<std::uint32_t>(bits >> 32), options_.vocabulary));
        if ((bits & 0xFFFFFFFFu) >= topic_threshold_) return static_cast<Index>(rank * step_ % size);
        const std::uint64_t first_word = static_cast<std::uint64_t>(label) * size / options_.classes;
        return static_cast<Index>((first_word + rank) % size);
    }

    SyntheticOptions options_;
    QuantileTable ranks_;
    std::uint64_t topic_threshold_;
    std::uint64_t step_;  // without a common divisor with the vocabulary: a permutation
};

CsrMatrix<float> draw_words(const SyntheticOptions& options, std::span<const Index> labels,
                            const ExecutionControl& control) {
    const auto words = static_cast<std::size_t>(options.words);
    CsrMatrix<float> features{options.nodes, options.vocabulary, {}, {}, {}};
    features.offsets.resize(labels.size() + 1);
    for (std::size_t node = 0; node <= labels.size(); ++node)
        features.offsets[node] = static_cast<std::int64_t>(node * words);
    features.indices.resize(labels.size() * words);
    features.values.assign(labels.size() * words, 1.0f);
    if (words == 0) return features;

    const WordSampler sampler(options);
    std::vector<std::vector<Index>> last_user(static_cast<std::size_t>(thread_count(control)));
    parallel_for(options.nodes, 1024, control, [&](int worker, std::int64_t index) {
        if (last_user[worker].empty()) last_user[worker].assign(options.vocabulary, -1);
        const auto node = static_cast<Index>(index);
        const std::span<Index> row(features.indices.data() + node * words, words);
        sampler.draw(node, labels[node], row, last_user[worker]);
    });
    return features;
}

std::vector<Index> random_order(const SyntheticOptions& options) {
    std::vector<Index> order(static_cast<std::size_t>(options.nodes));
    std::iota(order.begin(), order.end(), 0);
    RandomStream random = stream_for(options, Purpose::order);
    for (std::size_t rest = order.size(); rest > 1; --rest)
        std::swap(order[rest - 1], order[random.below(rest)]);
    return order;
}

}  // namespace

Dataset make_synthetic(const SyntheticOptions& options, const ExecutionControl& control) {
    validate_options(options);
    const std::vector<Index> node_at = random_order(options);

    Dataset synthetic;
    synthetic.name = "synthetic";
    synthetic.source = "built-in";
    synthetic.nodes = options.nodes;
    const Places places{options.nodes, options.classes};
    synthetic.labels.resize(node_at.size());
    for (Index place = 0; place < options.nodes; ++place)
        synthetic.labels[node_at[place]] = places.class_of(place);
    for (Index label = 0; label < options.classes; ++label)
        synthetic.class_names.push_back(fmt::format("class_{}", label));

    const ProgressTask task(control, "making a synthetic graph", options.nodes);
    synthetic.edges = draw_edges(options, node_at, control);
    if (options.noise_edges > 0) {
        const std::size_t heavy = synthetic.edges.size();
        add_noise(options, synthetic.edges, control);
        synthetic.edge_weights = draw_weights(options, heavy, synthetic.edges.size());
    }
    synthetic.features = draw_words(options, synthetic.labels, control);
    return synthetic;
}

}  // namespace hwgcn
