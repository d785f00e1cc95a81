#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/pipeline/train_run.hpp"

#include "base/random_sample.hpp"
#include "base/safe_text.hpp"
#include "base/stopping.hpp"
#include "methods/linear/even_columns.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "models/feature_columns.hpp"
#include "models/known_labels.hpp"
#include "operators/propagation.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn {
namespace {

constexpr double nearly_perfect = 0.999;  // area under the ROC curve
constexpr Index enough_of_a_class = 20;   // nodes in it, and outside
constexpr std::size_t enough_labels = 200;
constexpr std::size_t most_labels = 5000;

// What a regression that is to show what can be told needs no choice of: hardly any penalty.
constexpr double strength = 0.01;
constexpr MinimizerOptions roughly{1e-5, 300};

// Nodes with a known label, and their features.
struct LabelledSample {
    CsrMatrix<float> features;
    std::vector<Index> labels;
    std::vector<Index> counts;  // by class

    bool is_enough(Index of_class) const {
        const auto others = static_cast<Index>(labels.size()) - counts[of_class];
        return std::min(counts[of_class], others) >= enough_of_a_class;
    }
};

LabelledSample sample_of(const PreparedGraph& graph, const Split& split) {
    const std::vector<Index> known = known_labels(graph.dataset, split);
    std::vector<Index> nodes, kept;
    for (Index node = 0; node < graph.dataset.nodes; ++node) {
        if (known[node] != unlabelled) nodes.push_back(node);
    }
    for (const std::size_t place : random_sample(nodes.size(), most_labels))
        kept.push_back(nodes[place]);
    LabelledSample sample{
        sparse_rows(*graph.features.scaled, kept), {}, std::vector<Index>(graph.dataset.class_names.size())};
    for (const Index node : kept) {
        sample.labels.push_back(known[node]);
        ++sample.counts[known[node]];
    }
    return sample;
}

// A column of the features as it ranks labelled nodes: the numbers that are stored, ascending, and the nodes
// without one at zero.
class RankedColumn {
  public:
    RankedColumn(const SparseRow<float>& column, const LabelledSample& sample)
        : sample_(sample), zeros_(sample.counts) {
        for (std::size_t e = 0; e < column.size(); ++e) {
            stored_.emplace_back(column.values[e], sample.labels[column.indices[e]]);
            --zeros_[stored_.back().second];
        }
        std::ranges::sort(stored_);
    }

    /// Of each class against the others: the share of pairs that are in order, those at the same place half.
    std::vector<double> areas() {
        const std::size_t classes = zeros_.size();
        pairs_.assign(classes, 0.0);
        lower_.assign(classes, 0.0);
        std::size_t next = 0;
        bool past_zero = false;
        while (next < stored_.size() || !past_zero) {
            if (!past_zero && (next == stored_.size() || stored_[next].first >= 0)) {
                past_zero = true;
                std::vector<Index> here = zeros_;
                for (; next < stored_.size() && stored_[next].first == 0; ++next)
                    ++here[stored_[next].second];
                pass(here);
                continue;
            }
            std::vector<Index> here(classes, 0);
            const float place = stored_[next].first;
            for (; next < stored_.size() && stored_[next].first == place; ++next)
                ++here[stored_[next].second];
            pass(here);
        }
        for (std::size_t c = 0; c < classes; ++c) {
            const double own = sample_.counts[c];
            pairs_[c] /= own * (static_cast<double>(sample_.labels.size()) - own);
        }
        return pairs_;
    }

  private:
    // Nodes at the same place, by class.
    void pass(const std::vector<Index>& here) {
        double all = 0;
        for (const Index count : here)
            all += count;
        for (std::size_t c = 0; c < here.size(); ++c)
            pairs_[c] += here[c] * (below_ - lower_[c] + 0.5 * (all - here[c]));
        for (std::size_t c = 0; c < here.size(); ++c)
            lower_[c] += here[c];
        below_ += all;
    }

    const LabelledSample& sample_;
    std::vector<Index> zeros_;                     // by class
    std::vector<std::pair<float, Index>> stored_;  // numbers and classes
    std::vector<double> pairs_, lower_;            // by class; so many were passed
    double below_ = 0;
};

// A column that tells a class by itself.
struct Telling {
    std::size_t column = 0;
    Index of_class = 0;
    double area = 0;
};

std::vector<Telling> single_telling_columns(const LabelledSample& sample,
                                            const std::vector<FeatureColumn>& columns,
                                            const ExecutionControl& control) {
    const CsrMatrix<float> by_feature = transposed(sample.features);
    std::vector<Telling> found;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        throw_if_stopped(control);
        Telling best{k, 0, 0};
        for (const Index f : columns[k].features) {
            if (by_feature.row(f).size() == 0) continue;
            const std::vector<double> areas = RankedColumn(by_feature.row(f), sample).areas();
            for (Index c = 0; c < static_cast<Index>(areas.size()); ++c) {
                const double area = std::max(areas[c], 1 - areas[c]);
                if (sample.is_enough(c) && area > best.area) best = {k, c, area};
            }
        }
        if (best.area >= nearly_perfect) found.push_back(best);
    }
    std::ranges::stable_sort(found, std::greater(), &Telling::area);
    return found;
}

// Half of the labels of each class to learn from, half to judge by.
struct Halves {
    std::vector<Index> learned, judged;  // rows of the sample
};

Halves halves_of(const LabelledSample& sample) {
    std::vector<Index> order = all_indices(static_cast<Index>(sample.labels.size()));
    std::ranges::stable_sort(order, {}, [&](Index row) { return sample.labels[row]; });
    Halves halves;
    for (std::size_t k = 0; k < order.size(); ++k)
        (k % 2 == 0 ? halves.learned : halves.judged).push_back(order[k]);
    return halves;
}

struct SeenApart {
    DenseMatrix theta;
    double area = 0;
};

SeenApart regression_on(const CsrMatrix<float>& features, const LabelledSample& sample, const Halves& halves,
                        const ExecutionControl& control) {
    const EvenColumns columns(features, halves.learned);
    const CsrMatrix<float> rows = columns.rows(features, halves.learned);
    std::vector<Index> labels;
    for (const Index row : halves.learned)
        labels.push_back(sample.labels[row]);
    const auto classes = static_cast<Index>(sample.counts.size());
    const Minimum minimum =
        minimize_logistic_loss({rows, labels, classes}, {strength / rows.rows, strength / rows.rows},
                               std::vector<double>((static_cast<std::size_t>(columns.columns()) + 1) *
                                                   static_cast<std::size_t>(classes)),
                               roughly, control);
    SeenApart result{columns.for_given_features(minimum.x, classes)};
    const DenseMatrix probabilities = classify(features, result.theta, control);
    result.area = compute_metrics(probabilities, sample.labels, halves.judged, control).roc_auc;
    return result;
}

CsrMatrix<float> only(CsrMatrix<float> features, std::span<const Index> kept) {
    std::vector<char> is_kept(static_cast<std::size_t>(features.columns), 0);
    for (const Index f : kept)
        is_kept[f] = 1;
    for (std::size_t e = 0; e < features.indices.size(); ++e) {
        if (is_kept[features.indices[e]] == 0) features.values[e] = 0;
    }
    return features;
}

std::string quoted(const FeatureColumn& column) {
    return fmt::format("'{}'", safe_text(column.name));
}

const char* advice(const PreparedGraph& graph, bool several) {
    if (graph.features.scaling.given.empty()) return "";  // no table
    return several ? " `ignore` leaves columns out" : " `ignore` leaves it out";
}

std::string sentence_on(const std::vector<Telling>& found, const std::vector<FeatureColumn>& columns,
                        const LabelledSample& sample, const PreparedGraph& graph) {
    constexpr std::size_t most_names = 3;
    std::string names;
    for (std::size_t k = 0; k < std::min(found.size(), most_names); ++k)
        names += (k == 0 ? "" : ", ") + quoted(columns[found[k].column]);
    if (found.size() > most_names) names += fmt::format(" and {} more", found.size() - most_names);
    const std::vector<std::string>& classes = graph.dataset.class_names;
    const std::string told = classes.size() == 2 ? std::string("the classes apart")
                                                 : fmt::format("'{}' from the other classes",
                                                               safe_text(classes[found.front().of_class]));
    const bool several = found.size() > 1;
    return fmt::format(
        "{} {} alone {} {} (ROC AUC {:.2f} % on {} known labels): {} known before the label is?{}",
        several ? "columns" : "column", names, several ? "each tell" : "tells",
        several && classes.size() > 2 ? "a class from the others" : told,
        std::floor(1e4 * found.front().area) / 100, sample.labels.size(), several ? "are they" : "is it",
        advice(graph, several));
}

// What all features tell together, and the fewest columns that do nearly as well: at most three.
std::string sentence_on_all(const PreparedGraph& graph, const std::vector<FeatureColumn>& columns,
                            const LabelledSample& sample, const ExecutionControl& control) {
    const Halves halves = halves_of(sample);
    const SeenApart all = regression_on(sample.features, sample, halves, control);
    if (!(all.area >= nearly_perfect)) return "";
    const std::array parameters{TrainableMatrix{"theta", all.theta, true}};
    const std::vector<std::size_t> order = by_weight(graph, columns, parameters);
    std::string names;
    bool found = false;
    std::vector<Index> features;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()) && !found; ++k) {
        const FeatureColumn& column = columns[order[k]];
        names += (k == 0 ? "" : ", ") + quoted(column);
        features.insert(features.end(), column.features.begin(), column.features.end());
        found =
            regression_on(only(sample.features, features), sample, halves, control).area >= nearly_perfect;
    }
    return fmt::format(
        "{} tell the classes apart (ROC AUC {:.2f} % on {} labels that a logistic regression had not seen): "
        "are "
        "they known before the label is?{}",
        found ? fmt::format("columns {} together", names) : "the features alone",
        std::floor(1e4 * all.area) / 100, halves.judged.size(), advice(graph, true));
}

}  // namespace

std::vector<std::string> columns_that_tell(const PreparedGraph& graph, const Split& split,
                                           const ExecutionControl& control) {
    if (graph.features.structural || graph.features.scaled->columns == 0 ||
        graph.features.scaled->rows != graph.dataset.nodes)
        return {};
    const LabelledSample sample = sample_of(graph, split);
    bool enough = false;
    for (Index c = 0; c < graph.dataset.classes(); ++c)
        enough = enough || sample.is_enough(c);
    if (!enough) return {};
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const std::vector<FeatureColumn> columns = feature_columns(graph);
    const std::vector<Telling> alone = single_telling_columns(sample, columns, silent);
    if (!alone.empty()) return {sentence_on(alone, columns, sample, graph)};
    if (sample.labels.size() < enough_labels) return {};
    std::string sentence = sentence_on_all(graph, columns, sample, silent);
    if (sentence.empty()) return {};
    return {std::move(sentence)};
}

}  // namespace hwgcn
