#include "methods/trees/boosting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel_for.hpp"
#include "base/random_stream.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

// Labels that every class has in addition, for the scores without trees: no class is impossible.
constexpr double unseen_labels = 0.5;

// What each side of a split needs at most, as a share of what all labels weigh before the first round: few
// labels could not be split otherwise.
constexpr double least_share = 0.1;

constexpr std::int64_t rows_at_once = 512;

std::vector<double> bias_of(const LabelledTable& data, std::span<const std::uint32_t> rows) {
    std::vector<double> counts(static_cast<std::size_t>(data.classes), unseen_labels);
    double all = unseen_labels * data.classes;
    for (const std::uint32_t row : rows) {
        counts[data.labels[row]] += data.weight(row);
        all += data.weight(row);
    }
    for (double& count : counts)
        count = static_cast<double>(static_cast<float>(logarithm(count / all)));  // as a model keeps it
    return counts;
}

// Of the sum of weight p (1 - p), where p are the classes' shares.
std::vector<double> least_weights(const LabelledTable& data, std::span<const std::uint32_t> rows,
                                  std::span<const double> bias, double wanted) {
    double all = 0;
    for (const std::uint32_t row : rows)
        all += data.weight(row);
    std::vector<double> result;
    for (const double score : bias) {
        const double p = exponential(score);
        result.push_back(std::min(wanted, least_share * all * p * (1 - p)));
    }
    return result;
}

}  // namespace

Boosting::Boosting(const LabelledTable& data, std::vector<std::uint32_t> learned,
                   std::vector<std::uint32_t> judged, const BoostingOptions& options)
    : data_(data),
      options_(options),
      learned_(std::move(learned)),
      judged_(std::move(judged)),
      bias_(bias_of(data, learned_)),
      least_weights_(least_weights(data, learned_, bias_, options.tree.least_weight)) {
    for (Index c = 0; c < data.table.columns(); ++c) {
        if (!data.table.edges(c).empty()) usable_.push_back(c);
    }
    const auto rows = static_cast<std::size_t>(data.table.rows());
    for (const double bias : bias_)
        scores_.insert(scores_.end(), rows, bias);
    probabilities_.resize(scores_.size());
}

std::span<double> Boosting::numbers_of(std::vector<double>& all, Index c) const {
    const auto rows = static_cast<std::size_t>(data_.table.rows());
    return std::span(all).subspan(static_cast<std::size_t>(c) * rows, rows);
}

void Boosting::find_probabilities(const ExecutionControl& control) {
    const auto rows = static_cast<std::size_t>(data_.table.rows());
    const auto classes = static_cast<std::size_t>(data_.classes);
    const auto count = static_cast<std::int64_t>(learned_.size());
    parallel_for((count + rows_at_once - 1) / rows_at_once, 1, control, [&](int, std::int64_t piece) {
        for (std::int64_t k = piece * rows_at_once; k < std::min(count, (piece + 1) * rows_at_once); ++k) {
            const double* const scores = scores_.data() + learned_[static_cast<std::size_t>(k)];
            double* const p = probabilities_.data() + learned_[static_cast<std::size_t>(k)];
            double highest = scores[0], sum = 0;
            for (std::size_t c = 1; c < classes; ++c)
                highest = std::max(highest, scores[c * rows]);
            for (std::size_t c = 0; c < classes; ++c)
                sum += p[c * rows] = exponential(scores[c * rows] - highest);
            for (std::size_t c = 0; c < classes; ++c)
                p[c * rows] /= sum;
        }
    });
}

std::vector<Index> Boosting::columns_of_round() const {
    std::vector<Index> columns = usable_;
    const auto wanted =
        static_cast<std::size_t>(std::ceil(options_.column_share * static_cast<double>(columns.size())));
    if (wanted >= columns.size()) return columns;
    RandomStream random(options_.seed,
                        stream_for(StreamPurpose::columns, static_cast<std::uint64_t>(rounds())));
    random.shuffle(std::span(columns));
    columns.resize(wanted);
    std::ranges::sort(columns);
    return columns;
}

void Boosting::advance(const ExecutionControl& control) {
    const ExecutionControl quiet{control.threads, nullptr, control.stop};
    find_probabilities(quiet);
    const std::vector<Index> columns = columns_of_round();
    const Index trees = Forest::trees_of_a_round(data_.classes);
    const auto workers = static_cast<std::size_t>(thread_count(quiet));
    while (growers_.size() < workers)
        growers_.push_back(std::make_unique<TreeGrower>(data_.table, options_.tree));
    const std::size_t first = trees_.size();
    trees_.resize(first + static_cast<std::size_t>(trees));
    if (trees == 1) {
        grow(0, columns, *growers_[0], quiet);
        return;
    }
    parallel_for(trees, 1, quiet, [&](int worker, std::int64_t tree) {
        grow(static_cast<Index>(tree), columns, *growers_[worker], {1, nullptr, control.stop});
    });
}

void Boosting::grow(Index tree, std::span<const Index> columns, TreeGrower& grower,
                    const ExecutionControl& control) {
    const Index c = data_.classes == 2 ? 1 : tree;
    const std::span<const double> p = numbers_of(probabilities_, c);
    std::vector<double> first(p.size()), second(p.size());
    for (const std::uint32_t row : learned_) {
        first[row] = data_.weight(row) * (p[row] - (data_.labels[row] == c ? 1.0 : 0.0));
        second[row] = data_.weight(row) * p[row] * (1.0 - p[row]);
    }
    const std::size_t trees = static_cast<std::size_t>(Forest::trees_of_a_round(data_.classes));
    GrownTree& grown = trees_[trees_.size() - trees + static_cast<std::size_t>(tree)];
    grower.set_least_weight(least_weights_[c]);
    grown = grower.grow(learned_, quantized(first, second, learned_), columns, control);
    const std::span<double> scores = numbers_of(scores_, c);
    grower.add_to(scores);
    for (const std::uint32_t row : judged_)
        scores[row] += static_cast<double>(grown.value(data_.table, row));
}

std::vector<double> Boosting::losses() const {
    const auto rows = static_cast<std::size_t>(data_.table.rows());
    std::vector<double> result;
    for (const std::uint32_t row : judged_) {
        const double* const scores = scores_.data() + row;
        double highest = scores[0], sum = 0;
        for (std::size_t c = 1; c < bias_.size(); ++c)
            highest = std::max(highest, scores[c * rows]);
        for (std::size_t c = 0; c < bias_.size(); ++c)
            sum += exponential(scores[c * rows] - highest);
        const double own = scores[static_cast<std::size_t>(data_.labels[row]) * rows] - highest;
        result.push_back(data_.weight(row) * (logarithm(sum) - own));
    }
    return result;
}

Forest Boosting::forest(int rounds) const {
    Forest forest{bias_, {}, {}};
    const auto trees = static_cast<std::size_t>(rounds * Forest::trees_of_a_round(data_.classes));
    for (std::size_t k = 0; k < trees; ++k)
        trees_[k].append_to(forest, data_.table);
    return forest;
}

double boosting_work(double rows, double columns, double rounds, double classes,
                     const BoostingOptions& options) {
    const double levels = std::min<double>(options.tree.depth, std::ceil(std::log2(options.tree.leaves)));
    const double trees = classes == 2 ? 1 : classes;
    return rows * columns * options.column_share * rounds * trees * (1 + (levels - 1) / 2);
}

}  // namespace hwgcn
