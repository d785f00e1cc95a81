#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"
#include "base/parameter.hpp"
#include "base/random_sample.hpp"
#include "methods/linear/strength_choice.hpp"
#include "methods/method_definition.hpp"
#include "methods/trees/boosting_choice.hpp"
#include "methods/trees/neighbor_statistics.hpp"
#include "methods/trees/tree_shapley.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

struct BoostedOptions {
    NeighborColumns neighbor_columns = NeighborColumns::chosen;
    std::vector<int> leaves = {16};
    int depth = 6;
    int rounds = 300;
    double rate = 0.05;
    int patience = 20;
    double l2 = 1;
    double least_weight = 1;
    double column_share = 0.5;
    int training_rows = 100'000;
};

enum Slot : std::size_t { places_slot, bias_slot };

constexpr std::size_t most_cells = std::size_t{1} << 28;  // of the binned table: 256 MB
constexpr std::size_t most_judges = 20'000;

std::vector<TrainableMatrix> parameters_of(DenseMatrix places, DenseMatrix bias) {
    return {{"trees", std::move(places), false, true}, {"bias", std::move(bias), false}};
}

TableLayout layout_of(const ClassicGraph& graph, const BoostedOptions& options) {
    return table_layout(graph.features.columns, graph.blocks - 1, options.neighbor_columns);
}

Forest forest_of(std::span<const TrainableMatrix> parameters, const TableLayout& layout) {
    return forest_from(parameters[places_slot].value, parameters[bias_slot].value, layout.columns());
}

void softmax(std::span<double> scores) {
    const double highest = *std::ranges::max_element(scores);
    double sum = 0;
    for (double& score : scores)
        sum += score = exponential(score - highest);
    for (double& score : scores)
        score /= sum;
}

// Rows of labelled nodes, those to learn from first.
struct Examples {
    std::vector<Index> nodes, labels;
    std::vector<double> weights;

    void add(const LabelledNodes& more) {
        nodes.insert(nodes.end(), more.nodes.begin(), more.nodes.end());
        labels.insert(labels.end(), more.labels.begin(), more.labels.end());
        if (more.weights.empty()) weights.insert(weights.end(), more.nodes.size(), 1.0);
        weights.insert(weights.end(), more.weights.begin(), more.weights.end());
    }
};

// Which columns of the table say how much, and what these are made of.
class ForestTracer final : public ScoreTracer {
  public:
    ForestTracer(const ClassicGraph& graph, const TableLayout& layout, Forest forest,
                 const ExecutionControl& control)
        : table_(graph, layout, control), forest_(std::move(forest)), expected_(forest_.bias) {
        for (std::size_t tree = 0; tree < forest_.roots.size(); ++tree)
            expected_[forest_.class_of(tree)] += expected_value(forest_, tree);
        cost_ = static_cast<std::int64_t>(per_place * static_cast<double>(forest_.places.size()) +
                                          layout.features * mean_ways(graph));
    }

    std::vector<double> scores(Index node) const override {
        std::vector<double> result(forest_.bias.size());
        forest_.scores(row_of(node), result);
        return result;
    }

    double offset(Index winner, Index other) const override { return expected_[winner] - expected_[other]; }

    std::vector<TracedTerm> terms(Index node, Index winner, Index other) const override {
        const std::vector<float> row = row_of(node);
        std::vector<double> values(row.size(), 0.0);
        for (std::size_t tree = 0; winner != other && tree < forest_.roots.size(); ++tree) {
            const Index c = forest_.class_of(tree);
            if (c == winner || c == other)
                add_shapley_values(forest_, tree, row, c == winner ? 1.0 : -1.0, values);
        }
        std::map<std::pair<Index, Index>, double> sums;
        for (Index column = 0; column < table_.layout().columns(); ++column) {
            if (values[column] == 0) continue;
            for (const NeighborTable::Source& source : table_.sources(node, column))
                sums[{source.node, source.feature}] += source.share * values[column];
        }
        std::vector<TracedTerm> terms;
        for (const auto& [place, sum] : sums)
            terms.push_back({place.first, place.second, sum});
        return terms;
    }

    std::int64_t cost() const override { return cost_; }

  private:
    static constexpr double per_place = 200;  // every leaf looks at the path to it, several times

    // Over how many ways of two steps a node has a mean, on average.
    static double mean_ways(const ClassicGraph& graph) {
        double ways = 0;
        for (Index row = 0; row < graph.weights.rows; ++row)
            ways += std::pow(static_cast<double>(graph.weights.row(row).size()), 2);
        return ways / std::max<Index>(1, graph.nodes());
    }

    std::vector<float> row_of(Index node) const {
        std::vector<float> row(static_cast<std::size_t>(table_.layout().columns()));
        table_.fill(node, row);
        return row;
    }

    NeighborTable table_;
    Forest forest_;
    std::vector<double> expected_;
    std::int64_t cost_ = 0;
};

class Boosted final : public ClassicMethod {
  public:
    explicit Boosted(BoostedOptions options) : options_(std::move(options)) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return parameters_of(DenseMatrix(0, columns_of_a_place), DenseMatrix(1, shape.classes));
    }

    double tree_work(NetworkShape shape, Index relations, Index training, Index validation) const override {
        const TableLayout layout = chosen_layout(shape.features, relations, options_.neighbor_columns);
        if (layout.width() > most_table_columns) return std::numeric_limits<double>::infinity();
        return choice_work(static_cast<double>(affordable_rows(layout.columns(), training)), validation,
                           layout.columns(), shape.classes, boosting(0), choice());
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t seed,
                       const ExecutionControl& control) const override {
        ClassicModel model;
        check_size(graph.classes);
        const TableLayout layout = layout_of(graph, options_);
        const NeighborTable statistics(graph, layout, control);
        const LabelledNodes train = affordable(known.train, layout.columns(), model.notes);
        Examples examples;
        examples.add(train);
        examples.add(thinned(known.validation, std::min(most_judges, train.nodes.size() + 1000)));
        const BinnedTable table(
            static_cast<std::int64_t>(examples.nodes.size()), static_cast<std::int64_t>(train.nodes.size()),
            layout.columns(),
            [&](std::int64_t row, std::span<float> numbers) {
                statistics.fill(examples.nodes[row], numbers);
            },
            control);
        const LabelledTable data{table, examples.labels, graph.classes, examples.weights};
        const ChosenForest chosen = choose_forest(data, static_cast<std::uint32_t>(train.nodes.size()),
                                                  boosting(seed), choice(), control);
        model.parameters = parameters_of(matrix_of_places(chosen.forest), matrix_of_bias(chosen.forest));
        describe(chosen, layout, train.nodes.size(), model);
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const TableLayout layout = layout_of(graph, options_);
        const Forest forest = forest_of(parameters, layout);
        const NeighborTable table(graph, layout, control);
        DenseMatrix result(graph.nodes(), graph.classes);
        parallel_for(graph.nodes(), 64, {control.threads, nullptr, control.stop},
                     [&](int, std::int64_t number) {
                         const auto node = static_cast<Index>(number);
                         std::vector<float> row(static_cast<std::size_t>(layout.columns()));
                         std::vector<double> scores(forest.bias.size());
                         table.fill(node, row);
                         forest.scores(row, scores);
                         softmax(scores);
                         for (Index c = 0; c < graph.classes; ++c)
                             result.at(node, c) = static_cast<float>(scores[c]);
                     });
        return result;
    }

    std::unique_ptr<ScoreTracer> tracer(const ClassicGraph& graph,
                                        std::span<const TrainableMatrix> parameters,
                                        const ExecutionControl& control) const override {
        const TableLayout layout = layout_of(graph, options_);
        return std::make_unique<ForestTracer>(graph, layout, forest_of(parameters, layout), control);
    }

  private:
    BoostingOptions boosting(std::uint64_t seed) const {
        return {{options_.leaves.front(), options_.depth, options_.l2, options_.least_weight, options_.rate},
                options_.column_share,
                seed};
    }

    // Of a forest that grows as large as it may.
    void check_size(Index classes) const {
        constexpr double most_places = 0x1p28;
        const int leaves = std::ranges::max(options_.leaves);
        const double places = (2.0 * leaves - 1) * options_.rounds * Forest::trees_of_a_round(classes);
        if (places <= most_places) return;
        throw InputError(fmt::format(
            "Boosted: `rounds={}` with `leaves={}` and {} classes would be up to {:.3g} places of trees, at "
            "most {:.3g} are possible; fewer `rounds` or `leaves` are enough",
            options_.rounds, leaves, classes, places, most_places));
    }

    BoostingChoiceOptions choice() const { return {options_.leaves, options_.rounds, options_.patience}; }

    std::size_t affordable_rows(Index columns, std::size_t labels) const {
        const std::size_t fitting = most_cells / static_cast<std::size_t>(std::max<Index>(columns, 1));
        return std::min({labels, static_cast<std::size_t>(options_.training_rows), fitting});
    }

    LabelledNodes affordable(const LabelledNodes& train, Index columns,
                             std::vector<std::string>& notes) const {
        const std::size_t most = affordable_rows(columns, train.nodes.size());
        if (most == train.nodes.size()) return train;
        notes.push_back(fmt::format("Boosted learns from {} of {} labels, drawn at random; {}", most,
                                    train.nodes.size(),
                                    static_cast<int>(most) == options_.training_rows
                                        ? "`training_rows` takes more"
                                        : "its table would not fit into memory otherwise"));
        return thinned(train, most);
    }

    void describe(const ChosenForest& chosen, const TableLayout& layout, std::size_t labels,
                  ClassicModel& model) const {
        const Forest& forest = chosen.forest;
        model.summary = fmt::format(
            "{} round{} of trees with up to {} leaves, {} leaves in all, over {} columns{}.", forest.rounds(),
            forest.rounds() == 1 ? "" : "s", chosen.leaves, (forest.places.size() + forest.roots.size()) / 2,
            layout.columns(), chosen.judges.empty() ? "" : ", by the log loss of " + chosen.judges);
        if (options_.neighbor_columns == NeighborColumns::chosen && layout.kept == NeighborColumns::means) {
            model.notes.push_back(
                fmt::format("{} features are many: of the statistics of neighbors Boosted takes means alone; "
                            "`neighbor_columns=all` takes all",
                            layout.features));
        }
        if (chosen.is_better) return;
        model.notes.push_back(fmt::format(
            "{} labels are too few for trees: {}; Linear and Diffusion need fewer", labels,
            chosen.judges.empty() ? "none could be held out to tell how many rounds are good"
                                  : "they tell held-out labels hardly better than the classes' shares do"));
    }

    BoostedOptions options_;
};

std::vector<Parameter<BoostedOptions>> parameters() {
    using Options = BoostedOptions;
    return {
        choice_parameter("neighbor_columns", &Options::neighbor_columns,
                         {{"auto", NeighborColumns::chosen},
                          {"all", NeighborColumns::all},
                          {"means", NeighborColumns::means},
                          {"none", NeighborColumns::none}},
                         "statistics of the neighbors' features; auto: all, means alone of many features"),
        list_parameter("leaves", &Options::leaves, Range<int>{2, 1024}, "N,N,..",
                       "leaves of a tree at most; of several, the best by held-out labels", 1),
        number_parameter("depth", &Options::depth, Range<int>{1, deepest_tree - 1}, "N",
                         "splits above each other in a tree at most"),
        number_parameter("rounds", &Options::rounds, Range<int>{1, 10'000}, "N",
                         "rounds of trees at most; held-out labels end them earlier"),
        number_parameter("shrinkage", &Options::rate, Range<double>{0.0, 1.0, true}, "RATE",
                         "what the values of trees are multiplied by"),
        number_parameter("rounds_patience", &Options::patience, Range<int>{1, 10'000}, "N",
                         "rounds without a lower loss of held-out labels before the end"),
        number_parameter("leaf_l2", &Options::l2, Range<double>{0.0, 1e6}, "L",
                         "weight of the penalty half the squared value of a leaf"),
        number_parameter("leaf_weight", &Options::least_weight, Range<double>{0.0, 1e6, true}, "W",
                         "sum of weight p (1 - p) that each side of a split needs"),
        number_parameter("column_share", &Options::column_share, Range<double>{0.0, 1.0, true}, "SHARE",
                         "share of the columns that a round may look at, drawn anew each time"),
        number_parameter("training_rows", &Options::training_rows, Range<int>{1, 10'000'000}, "N",
                         "labels that are learned from at most, drawn at random"),
    };
}

}  // namespace

MethodDefinition boosted_method() {
    return classic_method<Boosted>(
        {.name = "boosted",
         .title = "Boosted",
         .description = "gradient-boosted trees on the features and on statistics of the neighbors'",
         .separate_operators = true,
         .takes_given_features = true,
         .weighs_labels = true},
        parameters());
}

}  // namespace hwgcn
