#include "pipeline/shift.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/random_sample.hpp"
#include "base/text_file.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_compared = 5000;  // of more nodes, as many drawn at random
// How often all comparisons together may see something where nothing is.
constexpr double risk = 1e-3;
// Distances below these are no reason to distrust a model, however sure they are.
constexpr double least_distance = 0.3;
constexpr double least_class_distance = 0.2;
constexpr double least_ratio = 2;
constexpr std::size_t most_named = 3;

std::vector<Index> some_of(Index first, Index end) {
    std::vector<Index> nodes;
    for (const std::size_t place : random_sample(static_cast<std::size_t>(end - first), most_compared))
        nodes.push_back(first + static_cast<Index>(place));
    return nodes;
}

// Numbers of a sample that are not zero, and how many there are with the zeros.
struct Sample {
    std::vector<float> stored = {};
    std::size_t size = 0;

    double filled() const { return static_cast<double>(stored.size()) / static_cast<double>(size); }
    double mean() const {
        return std::accumulate(stored.begin(), stored.end(), 0.0) / static_cast<double>(size);
    }
    double deviation() const {
        const double centre = mean();
        double squares = static_cast<double>(size - stored.size()) * centre * centre;
        for (const float value : stored)
            squares += (static_cast<double>(value) - centre) * (static_cast<double>(value) - centre);
        return std::sqrt(squares / static_cast<double>(size));
    }
    double median() const {
        std::vector<float> all = stored;
        all.resize(size, 0.0F);
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(size / 2);
        std::ranges::nth_element(all, middle);
        return static_cast<double>(*middle);
    }
};

// Kolmogorov's and Smirnov's: the largest difference between the shares of both that are at most x.
double distance(const Sample& a, const Sample& b) {
    std::vector<std::pair<float, double>> steps = {{0.0F, b.filled() - a.filled()}};  // zeros of a less b's
    for (const float value : a.stored)
        steps.emplace_back(value, 1.0 / static_cast<double>(a.size));
    for (const float value : b.stored)
        steps.emplace_back(value, -1.0 / static_cast<double>(b.size));
    std::ranges::sort(steps, {}, &std::pair<float, double>::first);
    double difference = 0, largest = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        difference += steps[k].second;
        if (k + 1 == steps.size() || steps[k + 1].first != steps[k].first)
            largest = std::max(largest, std::abs(difference));
    }
    return largest;
}

// The distance that two samples of the same have with probability risk / tests at most, for large samples
// P(D > d) <= 2 exp(-2 d^2 n m / (n + m)); ties make it less likely.
double chance_distance(std::size_t n, std::size_t m, std::size_t tests) {
    const double size = static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(n + m);
    return std::sqrt(logarithm(2.0 * static_cast<double>(tests) / risk) / (2.0 * size));
}

// The old nodes and the new ones as they are compared.
class Comparison {
  public:
    Comparison(const PreparedGraph& graph, ConstMatrixView probabilities, const Decision& decision,
               const Split& split)
        : graph_(graph),
          probabilities_(probabilities),
          decision_(decision),
          split_(split),
          first_new_(graph.addition.original->dataset.nodes),
          old_(some_of(0, first_new_)),
          new_(some_of(first_new_, graph.dataset.nodes)),
          tests_(static_cast<std::size_t>(graph.features.scaled->columns + probabilities.columns) + 4) {}

    std::vector<std::string> findings() {
        if (old_.empty() || new_.empty()) return {};
        compare_counts(
            "degree", [&](Index node) { return old_graph().neighbors(node).size(); },
            [&](Index node) { return graph_.graph.neighbors(node).size(); });
        compare_features();
        compare_predictions();
        return std::move(findings_);
    }

  private:
    const Graph& old_graph() const { return graph_.addition.original->graph; }
    const CsrMatrix<float>& old_features() const { return *graph_.addition.original->features.scaled; }

    bool is_far(double found, double least, std::size_t n, std::size_t m) const {
        return found >= least && found > chance_distance(n, m, tests_);
    }

    // A graph without some of its nodes has smaller degrees than with them: only a clear ratio counts.
    template <typename CountOld, typename CountNew>
    void compare_counts(const char* what, const CountOld& count_old, const CountNew& count_new) {
        Sample before{{}, old_.size()}, after{{}, new_.size()};
        for (const Index node : old_)
            before.stored.push_back(static_cast<float>(count_old(node)));
        for (const Index node : new_)
            after.stored.push_back(static_cast<float>(count_new(node)));
        const double ratio = (after.median() + 1) / (before.median() + 1);
        if (std::max(ratio, 1 / ratio) <= least_ratio) return;
        if (is_far(distance(before, after), least_distance, before.size, after.size))
            findings_.push_back(
                fmt::format("{}: median {}, training {}", what, after.median(), before.median()));
    }

    void compare_features() {
        if (old_features().columns == 0) return;
        const std::int64_t all = std::int64_t{old_features().rows} * std::int64_t{old_features().columns};
        constexpr std::int64_t sparse = 4;
        if (sparse * old_features().entries() < all) {
            compare_counts(
                "features of a node that are not 0",
                [&](Index node) { return old_features().row(node).size(); },
                [&](Index node) { return graph_.features.scaled->row(node).size(); });
            find_unseen();
        }
        compare_columns();
    }

    // Of the entries of a further sample of the training nodes, as many are in a column that the others do
    // not have as there are entries alone in theirs (Good 1953).
    void find_unseen() {
        constexpr std::int64_t enough = 50;
        constexpr double least_more = 0.2;
        std::vector<Index> nodes_with(static_cast<std::size_t>(old_features().columns), 0);
        for (const Index column : old_features().indices)
            ++nodes_with[column];
        std::int64_t unseen = 0, entries = 0;
        for (const Index node : new_) {
            for (const Index column : graph_.features.scaled->row(node).indices) {
                ++entries;
                unseen += nodes_with[column] == 0 ? 1 : 0;
            }
        }
        if (entries < enough) return;
        const double expected = static_cast<double>(std::ranges::count(nodes_with, 1)) /
                                static_cast<double>(std::max<std::int64_t>(old_features().entries(), 1));
        const double found = static_cast<double>(unseen) / static_cast<double>(entries);
        if (found < expected + least_more) return;
        findings_.push_back(fmt::format(
            "{:.0f} % of their features that are not 0 are in no node of the training", 100 * found));
    }

    using Columns = std::unordered_map<Index, Sample>;

    static Columns columns_of(const CsrMatrix<float>& features, const std::vector<Index>& nodes) {
        Columns columns;
        for (const Index node : nodes) {
            const SparseRow<float> row = features.row(node);
            for (std::size_t e = 0; e < row.size(); ++e) {
                if (row.values[e] == 0) continue;
                Sample& column = columns[row.indices[e]];
                column.size = nodes.size();
                column.stored.push_back(row.values[e]);
            }
        }
        return columns;
    }

    void compare_columns() {
        const Columns before = columns_of(old_features(), old_);
        const Columns after = columns_of(*graph_.features.scaled, new_);
        std::vector<std::pair<double, Index>> far;
        for (Index column = 0; column < old_features().columns; ++column) {
            const Sample a = of(before, column, old_.size());
            const Sample b = of(after, column, new_.size());
            if (std::max(a.filled(), b.filled()) < least_distance) continue;  // so is the distance
            const double found = distance(a, b);
            if (is_far(found, least_distance, a.size, b.size)) far.emplace_back(-found, column);
        }
        std::ranges::sort(far);
        for (std::size_t k = 0; k < std::min(far.size(), most_named); ++k) {
            const Index column = far[k].second;
            findings_.push_back(
                fmt::format("column '{}': {}", name_of(column),
                            difference(of(before, column, old_.size()), of(after, column, new_.size()))));
        }
        if (far.size() > most_named)
            findings_.push_back(fmt::format("and {} more column{}", far.size() - most_named,
                                            far.size() > most_named + 1 ? "s" : ""));
    }

    static Sample of(const Columns& columns, Index column, std::size_t size) {
        const auto found = columns.find(column);
        return found == columns.end() ? Sample{{}, size} : found->second;
    }

    std::string name_of(Index column) const {
        const std::vector<std::string>& names = graph_.addition.original->dataset.feature_names;
        return names.empty() ? fmt::to_string(column) : excerpt(names[static_cast<std::size_t>(column)]);
    }

    // In what they differ: where they are zero, where they lie, or how far they spread.
    static std::string difference(const Sample& before, const Sample& after) {
        if (std::abs(after.filled() - before.filled()) >= 0.9 * distance(before, after))
            return fmt::format("not 0 at {:.0f} %, training {:.0f} %", 100 * after.filled(),
                               100 * before.filled());
        const double spread = before.deviation();
        const double shift = spread > 0 ? (after.mean() - before.mean()) / spread : 0;
        if (std::abs(shift) >= 0.5)
            return fmt::format("{:.1f} deviations {}", std::abs(shift), shift > 0 ? "above" : "below");
        return fmt::format("deviation {:.2f}, training {:.2f}", after.deviation(), spread);
    }

    // Nodes that trained are surer than others.
    void compare_predictions() {
        std::vector<char> trained(static_cast<std::size_t>(first_new_), 0);
        for (const Index node : split_.train)
            trained[node] = 1;
        std::vector<Index> others;
        for (const Index node : old_) {
            if (trained[node] == 0) others.push_back(node);
        }
        if (others.empty()) return;
        Sample before{{}, others.size()}, after{{}, new_.size()};
        const std::vector<double> shares_before = predict(others, before);
        const std::vector<double> shares_after = predict(new_, after);
        if (is_far(distance(before, after), least_distance, before.size, after.size))
            findings_.push_back(fmt::format("confidence: mean {:.1f} %, training graph {:.1f} %",
                                            100 * after.mean(), 100 * before.mean()));
        std::size_t farthest = 0;
        const auto change = [&](std::size_t c) { return std::abs(shares_after[c] - shares_before[c]); };
        for (std::size_t c = 1; c < shares_after.size(); ++c)
            farthest = change(c) > change(farthest) ? c : farthest;
        if (!is_far(change(farthest), least_class_distance, before.size, after.size)) return;
        findings_.push_back(fmt::format("predicted '{}': {:.1f} %, training graph {:.1f} %",
                                        excerpt(graph_.dataset.class_names[farthest]),
                                        100 * shares_after[farthest], 100 * shares_before[farthest]));
    }

    // The shares of the classes that are predicted; `confidence` gets that of each node.
    std::vector<double> predict(const std::vector<Index>& nodes, Sample& confidence) const {
        std::vector<double> shares(static_cast<std::size_t>(probabilities_.columns), 0.0);
        for (const Index node : nodes) {
            const Index predicted = decide(probabilities_, node, decision_);
            shares[static_cast<std::size_t>(predicted)] += 1.0 / static_cast<double>(nodes.size());
            confidence.stored.push_back(probabilities_.at(node, predicted));
        }
        return shares;
    }

    const PreparedGraph& graph_;
    ConstMatrixView probabilities_;
    const Decision& decision_;
    const Split& split_;
    Index first_new_;
    std::vector<Index> old_;
    std::vector<Index> new_;
    std::size_t tests_;
    std::vector<std::string> findings_;
};

}  // namespace

std::string warning_about_new_nodes(const PreparedGraph& graph, ConstMatrixView probabilities,
                                    const Decision& decision, const Split& split) {
    if (!graph.addition.original) return "";
    const std::vector<std::string> findings = Comparison(graph, probabilities, decision, split).findings();
    if (findings.empty()) return "";
    return fmt::format(
        "the new nodes are unlike those of the training, and their probabilities are not "
        "calibrated: {}",
        fmt::join(findings, "; "));
}

}  // namespace hwgcn
