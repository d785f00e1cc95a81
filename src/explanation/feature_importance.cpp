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

// A trained method of a run, and its share in what this predicts.
struct JudgedMethod {
    const Propagation& propagation;
    const MethodSettings& settings;
    std::span<const TrainableMatrix> parameters;
    MemberShare share = {};
};

// A trained method that predicts the judged nodes from whatever features it is given.
class Predictor {
  public:
    Predictor(const PreparedGraph& graph, const JudgedMethod& method, const std::vector<Index>& nodes)
        : graph_(graph), method_(method), features_(features_for(graph.features, method.settings)) {
        if (!method.settings.options().maker.network) {
            classic_ = make_classic_method(method.settings);
        } else {
            network_ = network_for(graph, method.settings);
            field_ = field_of(*network_, method.propagation, features_, nodes);
        }
        all_.resize(static_cast<std::size_t>(graph.graph.nodes()));
        std::iota(all_.begin(), all_.end(), Index{0});
        const std::vector<Index>& predicted = field_ ? *field_->outputs : all_;
        for (const Index node : nodes)
            rows_.push_back(
                static_cast<Index>(std::ranges::lower_bound(predicted, node) - predicted.begin()));
    }

    const MemberShare& share() const { return method_.share; }

    /// A row for each of the judged nodes, where node i has the column of node `origin[i]`.
    DenseMatrix judged(const FeatureColumn& column, const std::vector<Index>& origin,
                       const ExecutionControl& control) const {
        const ColumnPermutation permutation(*features_, column);
        const DenseMatrix all = probabilities(permutation.rows(inputs(), origin), control);
        DenseMatrix result(static_cast<Index>(rows_.size()), all.columns());
        for (Index row = 0; row < result.rows(); ++row)
            std::copy_n(all.row(rows_[row]), all.columns(), result.row(row));
        return result;
    }

    /// Roughly how many multiplications that takes.
    std::int64_t work() const {
        std::int64_t units = 1, weights = 0;
        for (const TrainableMatrix& parameter : method_.parameters) {
            units = std::max<std::int64_t>(units, parameter.value.columns());
            if (parameter.value.rows() < graph_.features.scaled->columns)
                weights += std::int64_t{parameter.value.rows()} * parameter.value.columns();
        }
        std::int64_t entries =
            field_ ? field_->features.matrix->entries() : graph_.features.scaled->entries();
        if (!field_) entries += 10 * method_.propagation.matrix->entries();
        for (const Step& step : field_ ? field_->steps : std::vector<Step>{})
            entries += step.forward.matrix->entries();
        return entries * units + static_cast<std::int64_t>(inputs().size()) * weights;
    }

  private:
    /// The nodes whose features it looks at.
    const std::vector<Index>& inputs() const { return field_ ? *field_->inputs : all_; }

    DenseMatrix probabilities(CsrMatrix<float> features, const ExecutionControl& control) const {
        if (classic_) {
            return classic_->probabilities(
                classic_view(method_.propagation, features, graph_.dataset.classes()), method_.parameters,
                control);
        }
        ReceptiveField field = *field_;
        field.features.matrix = std::make_shared<const CsrMatrix<float>>(std::move(features));
        return predict(*network_, method_.parameters, field, control);
    }

    const PreparedGraph& graph_;
    JudgedMethod method_;
    std::shared_ptr<const CsrMatrix<float>> features_;
    std::unique_ptr<ClassicMethod> classic_;
    std::unique_ptr<Network> network_;
    std::optional<ReceptiveField> field_;
    std::vector<Index> all_;   // nodes
    std::vector<Index> rows_;  // of the judged ones in what it predicts
};

// The methods of a run, and the labels that judge what they say together.
class Judge {
  public:
    Judge(const PreparedGraph& graph, std::span<const JudgedMethod> methods, const ShownScores& shown,
          const Split& split)
        : shown_(shown) {
        for (const JudgedMethod& method : methods)
            predictors_.emplace_back(graph, method, judging(split));
        for (const Index node : judging(split))
            labels_.push_back(graph.dataset.labels[node]);
        rows_.resize(labels_.size());
        std::iota(rows_.begin(), rows_.end(), Index{0});
        // What the run was selected by, where the nodes that judge allow it. A loss is no score that is lost.
        const Selection wanted = resolved_selection(methods.front().settings, graph.dataset, split);
        const Selection usable = usable_selection(wanted, labels_);
        selection_ = usable == Selection::loss ? Selection::accuracy : usable;
    }

    std::string metric() const { return selection_title(selection_); }

    /// Where node i has the column of node `origin[i]`.
    double score(const FeatureColumn& column, const std::vector<Index>& origin,
                 const ExecutionControl& control) const {
        DenseMatrix shown = said(column, origin, control);
        calibrate(shown, shown_.decision, shown_.temperature, control);
        return criterion_value(
            selection_, compute_metrics(shown, labels_, rows_, control, {.decision = shown_.decision}));
    }

    /// Roughly how many multiplications a score takes.
    std::int64_t work() const {
        std::int64_t all = 0;
        for (const Predictor& predictor : predictors_)
            all += predictor.work();
        return all;
    }

  private:
    DenseMatrix said(const FeatureColumn& column, const std::vector<Index>& origin,
                     const ExecutionControl& control) const {
        if (predictors_.size() == 1) return predictors_.front().judged(column, origin, control);
        MemberMean mean(shown_.decision.class_weights);
        for (const Predictor& one : predictors_)
            mean.add(one.judged(column, origin, control), one.share());
        return mean.said();
    }

    std::vector<Predictor> predictors_;
    std::vector<Index> labels_;  // of the judged nodes
    std::vector<Index> rows_;    // all of these
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
        const std::vector<Index> origin =
            permutation(features.rows, options.seed, columns[k].features.front(), repeat);
        results[k].drops[static_cast<std::size_t>(repeat)] = score - judge.score(columns[k], origin, single);
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

namespace {

FeatureImportances measure(const PreparedGraph& graph, std::span<const JudgedMethod> methods,
                           std::span<const TrainableMatrix> parameters, const Split& split,
                           const ImportanceOptions& options, const ExecutionControl& control) {
    const Judge judge(graph, methods, options.shown, split);
    const std::vector<FeatureColumn> all = feature_columns(graph);
    FeatureImportances result;
    result.on = split.test.empty() ? "validation" : "test";
    result.nodes = static_cast<Index>(judging(split).size());
    result.metric = judge.metric();
    result.repeats = options.repeats;
    result.columns_in_all = static_cast<Index>(all.size());

    std::vector<Index> in_place(static_cast<std::size_t>(graph.graph.nodes()));
    std::iota(in_place.begin(), in_place.end(), Index{0});
    const auto shared_features = features_for(graph.features, methods.front().settings);
    result.score = judge.score({}, in_place, control);

    std::vector<FeatureColumn> measured;
    std::vector<std::size_t> order = by_weight(graph, all, parameters);
    order.resize(affordable_columns(all.size(), judge.work(), options));
    for (const std::size_t k : order)
        measured.push_back(all[k]);
    result.columns = permute(*shared_features, judge, result.score, measured, options, control);
    result.notes = columns_that_tell(graph, all_training_split(graph.dataset), control);
    if (measured.size() < all.size()) {
        result.notes.push_back(fmt::format(
            "Of {} columns the {} that the model weighs most were permuted; `columns` takes more.",
            all.size(), measured.size()));
    }
    return result;
}

}  // namespace

FeatureImportances measure_importances(const PreparedGraph& graph, const Propagation& propagation,
                                       const MethodSettings& settings,
                                       std::span<const TrainableMatrix> parameters, const Split& split,
                                       const ImportanceOptions& options, const ExecutionControl& control) {
    const std::string reason = why_no_importances(graph, settings, split);
    if (!reason.empty()) throw InputError("no feature importances: " + reason);
    const JudgedMethod method{propagation, settings, parameters};
    return measure(graph, {&method, 1}, parameters, split, options, control);
}

std::string why_no_importances(const PreparedGraph& graph, std::span<const Member> members,
                               const Split& split) {
    std::string reason;
    for (const Member& member : members) {
        reason = why_no_importances(graph, member.settings, split);
        if (reason.empty()) break;  // one that looks at features is enough
    }
    return reason;
}

FeatureImportances measure_importances(const PreparedGraph& graph, const OperatorSource& operators,
                                       std::span<const Member> members, const Split& split,
                                       const ImportanceOptions& options, const ExecutionControl& control) {
    const std::string reason = why_no_importances(graph, members, split);
    if (!reason.empty()) throw InputError("no feature importances: " + reason);
    std::vector<JudgedMethod> methods;
    std::vector<TrainableMatrix> parameters;
    for (const Member& member : members) {
        methods.push_back({operators(member.settings), member.settings, member.parameters, member.share});
        parameters.insert(parameters.end(), member.parameters.begin(), member.parameters.end());
    }
    return measure(graph, methods, parameters, split, options, control);
}

}  // namespace hwgcn
