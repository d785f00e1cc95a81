#include "hwgcn/explanation/feature_importance.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/parallel_for.hpp"
#include "base/parameter.hpp"
#include "base/random_stream.hpp"
#include "explanation/importance_parameters.hpp"
#include "explanation/permuted_features.hpp"
#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "pipeline/warnings.hpp"
#include "training/fit.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

// Test nodes, or validation nodes where there are none.
const std::vector<Index>& judging(const Split& split) {
    return split.test.empty() ? split.validation : split.test;
}

// A trained method that predicts the judged nodes from whatever features it is given.
class Judge {
  public:
    Judge(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
          std::span<const TrainableMatrix> parameters, const ShownScores& shown, const Split& split)
        : graph_(graph), propagation_(propagation), parameters_(parameters), shown_(shown) {
        const std::vector<Index>& nodes = judging(split);
        if (!settings.options().maker.network) {
            classic_ = make_classic_method(settings);
        } else {
            network_ = network_for(graph, settings);
            const auto features = features_for(graph.features, settings);
            field_ = field_of(*network_, propagation, features, nodes);
        }
        all_.resize(static_cast<std::size_t>(graph.graph.nodes()));
        std::iota(all_.begin(), all_.end(), Index{0});
        predicted_ = field_ ? *field_->outputs : all_;
        for (const Index node : predicted_)
            labels_.push_back(graph.dataset.labels[node]);
        for (const Index node : nodes) {
            const auto place = std::ranges::lower_bound(predicted_, node);
            rows_.push_back(static_cast<Index>(place - predicted_.begin()));
        }
        selection_ = criterion(settings, split);
    }

    /// The nodes whose features it looks at.
    const std::vector<Index>& inputs() const { return field_ ? *field_->inputs : all_; }

    std::string metric() const { return selection_title(selection_); }

    /// `features` has a row for each of the inputs.
    double score(CsrMatrix<float> features, const ExecutionControl& control) const {
        DenseMatrix shown = probabilities(std::move(features), control);
        calibrate(shown, shown_.decision, shown_.temperature, control);
        return criterion_value(
            selection_, compute_metrics(shown, labels_, rows_, control, {.decision = shown_.decision}));
    }

    /// Roughly how many multiplications a score takes.
    std::int64_t work() const {
        std::int64_t units = 1, weights = 0;
        for (const TrainableMatrix& parameter : parameters_) {
            units = std::max<std::int64_t>(units, parameter.value.columns());
            if (parameter.value.rows() < graph_.features.scaled->columns)
                weights += std::int64_t{parameter.value.rows()} * parameter.value.columns();
        }
        std::int64_t entries =
            field_ ? field_->features.matrix->entries() : graph_.features.scaled->entries();
        if (!field_) entries += 10 * propagation_.matrix->entries();
        for (const Step& step : field_ ? field_->steps : std::vector<Step>{})
            entries += step.forward.matrix->entries();
        return entries * units + static_cast<std::int64_t>(inputs().size()) * weights;
    }

  private:
    // What the run was selected by, where the nodes that judge allow it. A loss is no score that is lost.
    Selection criterion(const MethodSettings& settings, const Split& split) const {
        std::vector<Index> labels;
        for (const Index row : rows_)
            labels.push_back(labels_[row]);
        const Selection wanted = resolved_selection(settings, graph_.dataset, split);
        const Selection usable = usable_selection(wanted, labels);
        return usable == Selection::loss ? Selection::accuracy : usable;
    }

    DenseMatrix probabilities(CsrMatrix<float> features, const ExecutionControl& control) const {
        if (classic_) {
            return classic_->probabilities(classic_view(propagation_, features, graph_.dataset.classes()),
                                           parameters_, control);
        }
        ReceptiveField field = *field_;
        field.features.matrix = std::make_shared<const CsrMatrix<float>>(std::move(features));
        return predict(*network_, parameters_, field, control);
    }

    const PreparedGraph& graph_;
    const Propagation& propagation_;
    std::span<const TrainableMatrix> parameters_;
    std::unique_ptr<ClassicMethod> classic_;
    std::unique_ptr<Network> network_;
    std::optional<ReceptiveField> field_;
    std::vector<Index> all_;        // nodes
    std::vector<Index> predicted_;  // the nodes of the probabilities, ascending
    std::vector<Index> labels_;     // of these
    std::vector<Index> rows_;       // those of them that judge
    ShownScores shown_;
    Selection selection_ = Selection::accuracy;
};

// As many as are wanted and can be afforded, at least one.
std::size_t affordable_columns(std::size_t in_all, std::int64_t work, const ImportanceOptions& options) {
    const auto wanted = std::min(in_all, static_cast<std::size_t>(options.columns));
    if (options.most_work == 0) return wanted;
    const std::int64_t passes = options.most_work / std::max<std::int64_t>(1, work);
    return std::clamp<std::size_t>(static_cast<std::size_t>(passes / options.repeats), 1, wanted);
}

// Every worker holds features of its own.
ExecutionControl within_memory(const ExecutionControl& control, const CsrMatrix<float>& features) {
    constexpr std::int64_t most_bytes = 1'000'000'000;
    const std::int64_t bytes = 8 * features.entries() + 8 * std::int64_t{features.rows} + 1;
    ExecutionControl limited = control;
    limited.threads = static_cast<int>(
        std::clamp<std::int64_t>(most_bytes / bytes, 1, static_cast<std::int64_t>(thread_count(control))));
    return limited;
}

// Permutation `repeat` of a column depends on nothing else: not on which other columns are permuted.
std::vector<Index> permutation(Index nodes, std::uint64_t seed, Index feature, int repeat) {
    std::vector<Index> origin(static_cast<std::size_t>(nodes));
    std::iota(origin.begin(), origin.end(), Index{0});
    const auto number = static_cast<std::uint64_t>(feature) << 16 | static_cast<std::uint64_t>(repeat);
    RandomStream(seed, stream_for(StreamPurpose::permutations, number)).shuffle(std::span(origin));
    return origin;
}

std::vector<FeatureImportance> permute(const CsrMatrix<float>& features, const Judge& judge, double score,
                                       const std::vector<FeatureColumn>& columns,
                                       const ImportanceOptions& options, const ExecutionControl& control) {
    std::vector<FeatureImportance> results;
    for (const FeatureColumn& column : columns) {
        results.push_back({column.name, column.features, {}, {}});
        results.back().drops.resize(static_cast<std::size_t>(options.repeats));
    }
    const auto passes = static_cast<std::int64_t>(columns.size()) * options.repeats;
    const ProgressTask task(control, "permuting features", passes);
    const ExecutionControl single{1, nullptr, control.stop};
    parallel_for(passes, 1, within_memory(control, features), [&](int, std::int64_t pass) {
        const auto k = static_cast<std::size_t>(pass / options.repeats);
        const auto repeat = static_cast<int>(pass % options.repeats);
        const ColumnPermutation column(features, columns[k]);
        const std::vector<Index> origin =
            permutation(features.rows, options.seed, columns[k].features.front(), repeat);
        results[k].drops[static_cast<std::size_t>(repeat)] =
            score - judge.score(column.rows(judge.inputs(), origin), single);
    });
    for (FeatureImportance& result : results)
        result.summary = summarize(result.drops);
    std::ranges::stable_sort(results, std::greater(),
                             [](const FeatureImportance& result) { return result.summary.mean; });
    return results;
}

}  // namespace

const std::vector<Parameter<ImportanceOptions>>& importance_parameters() {
    static const std::vector<Parameter<ImportanceOptions>> table = {
        number_parameter("repeats", &ImportanceOptions::repeats, Range<int>{1, 1000}, "N",
                         "how often each column is permuted, for the importances"),
        number_parameter("columns", &ImportanceOptions::columns, Range<int>{1, 1'000'000}, "N",
                         "how many columns are permuted, those with the largest weights in the model first"),
        number_parameter("seed", &ImportanceOptions::seed, Range<std::uint64_t>{0}, "N",
                         "of the permutations"),
    };
    return table;
}

std::string why_no_importances(const PreparedGraph& graph, const MethodSettings& settings,
                               const Split& split) {
    const MethodInfo& info = method_info(settings.method());
    if (!info.uses_features) return fmt::format("{} does not look at features.", info.title);
    if (graph.features.scaled->columns == 0) return "The nodes have no features.";
    if (split.test.empty() && split.validation.empty()) {
        return "All labels were trained on and none is left to judge features by; train with a "
               "`split` that keeps some back.";
    }
    return "";
}

FeatureImportances measure_importances(const PreparedGraph& graph, const Propagation& propagation,
                                       const MethodSettings& settings,
                                       std::span<const TrainableMatrix> parameters, const Split& split,
                                       const ImportanceOptions& options, const ExecutionControl& control) {
    const std::string reason = why_no_importances(graph, settings, split);
    if (!reason.empty()) throw InputError("no feature importances: " + reason);
    const Judge judge(graph, propagation, settings, parameters, options.shown, split);
    const std::vector<FeatureColumn> all = feature_columns(graph);
    FeatureImportances result;
    result.on = split.test.empty() ? "validation" : "test";
    result.nodes = static_cast<Index>(judging(split).size());
    result.metric = judge.metric();
    result.repeats = options.repeats;
    result.columns_in_all = static_cast<Index>(all.size());

    std::vector<Index> in_place(static_cast<std::size_t>(graph.graph.nodes()));
    std::iota(in_place.begin(), in_place.end(), Index{0});
    const auto shared_features = features_for(graph.features, settings);
    const CsrMatrix<float>& features = *shared_features;
    const ColumnPermutation none(features, {});
    result.score = judge.score(none.rows(judge.inputs(), in_place), control);

    std::vector<FeatureColumn> measured;
    std::vector<std::size_t> order = by_weight(graph, all, parameters);
    order.resize(affordable_columns(all.size(), judge.work(), options));
    for (const std::size_t k : order)
        measured.push_back(all[k]);
    result.columns = permute(features, judge, result.score, measured, options, control);
    result.notes = columns_that_tell(graph, all_training_split(graph.dataset), control);
    if (measured.size() < all.size()) {
        result.notes.push_back(fmt::format(
            "Of {} columns the {} that the model weighs most were permuted; `columns` takes more.",
            all.size(), measured.size()));
    }
    return result;
}

}  // namespace hwgcn
