#include "distributed/shared_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/operators/shared_propagation.hpp"
#include "distributed/split_rows.hpp"
#include "metrics/calibration.hpp"
#include "operators/foreign_columns.hpp"
#include "operators/propagation.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/warnings.hpp"
#include "tensor/row_ranges.hpp"
#include "tensor/rows.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

std::string shareable_methods() {
    std::string names;
    for (const MethodInfo& method : method_table()) {
        if (method.takes_blocks) names += (names.empty() ? "" : ", ") + method.name;
    }
    return names;
}

// What calibration found, for the processes that did not look.
struct FoundCalibration {
    Calibration calibration = {};
    bool has_threshold = false;
    Threshold threshold = {};
};

// The first process calibrates and measures by the labelled nodes of all.
void measure_labelled(const SharedTask& task, const DenseMatrix& labelled, const SplitRows& nodes,
                      const ExecutionControl& control, TrainedRun& run) {
    run.probabilities = labelled;
    for (std::string& note : notes_on_class_weights(task.part.graph.label_weights.of_classes, run.model))
        run.result.notes.push_back(std::move(note));
    const Dataset measured = nodes.dataset(task.part.graph.dataset);
    const Split split = nodes.split(task.split);
    calibrate_and_measure({measured, split, task.threshold}, control, run, run.result.notes);
    run.result.seed = task.seed;
}

// Everybody has counted its own nodes; the first process knows the labels of all.
void add_warnings(const SharedTask& task, TrainedRun& run) {
    const std::vector<std::int64_t> predicted = totals(task.part.partition->peers(), predicted_counts(run));
    if (task.part.partition->rank() != 0) return;
    const std::vector<std::string> warnings =
        warnings_about_result(task.part.graph.dataset, task.split, run, predicted);
    run.result.notes.insert(run.result.notes.end(), warnings.begin(), warnings.end());
}

// Accuracy on the test nodes, had the epoch been selected by the other rule.
std::optional<double> alternative_accuracy(const SharedTask& task, const TrainedRun& run,
                                           const ExecutionControl& control) {
    const TrainedModel& model = run.model;
    if (model.alternative_parameters.empty()) return std::nullopt;
    if (model.alternative_epoch == model.best_epoch) return run.result.test.accuracy;
    const DenseMatrix own = predict_nodes(task.part.graph, task.propagation, task.settings,
                                          model.alternative_parameters, control);
    const SplitRows nodes(*task.part.partition, task.split);
    DenseMatrix all = nodes.gather(own);
    if (task.part.partition->rank() != 0) return std::nullopt;
    if (!run.decision.is_plain()) calibrate(all, run.decision, run.temperature, control);
    const Split split = nodes.split(task.split);
    const Dataset labelled = nodes.dataset(task.part.graph.dataset);
    return compute_metrics(all, labelled.labels, split.test, control, {.decision = run.decision}).accuracy;
}

// Everybody calibrates what it has as the first process did.
void calibrate_own(const SharedTask& task, DenseMatrix own, const ExecutionControl& control,
                   TrainedRun& run) {
    FoundCalibration found{{run.temperature, run.decision.offset, run.decision.smoothing},
                           run.decision.threshold.has_value(),
                           run.decision.threshold.value_or(Threshold{})};
    broadcast(task.part.partition->peers(), 0, std::as_writable_bytes(std::span(&found, 1)));
    run.temperature = found.calibration.temperature;
    run.decision.offset = found.calibration.offset;
    run.decision.smoothing = found.calibration.smoothing;
    run.decision.threshold = found.has_threshold ? std::optional(found.threshold) : std::nullopt;
    run.decision.class_weights = run.model.class_weights;
    apply_calibration(own, found.calibration, control);
    run.probabilities = std::move(own);
}

}  // namespace

GraphPart read_part(const ShardReader& reader, const std::shared_ptr<const Partition>& partition) {
    const Index first = partition->first_node();
    const Index end = partition->end_node();
    Dataset outline = reader.outline();
    if (partition->rank() == 0) outline.node_ids = reader.ids(0, reader.nodes());
    const auto features = std::make_shared<const CsrMatrix<float>>(reader.features(first, end));
    PreparedFeatures prepared{features, features};
    if (outline.fitted_scaling) prepared.scaling = *outline.fitted_scaling;
    PreparedGraph graph{std::move(outline), Graph(0, {}), nullptr, std::move(prepared), reader.content()};
    graph.layout = partition;
    return {partition, std::move(graph), reader.adjacency(first, end)};
}

Split shared_split(Peers& peers, const std::function<Split()>& make) {
    Split split;
    on_first(peers, [&] { split = make(); });
    std::array<std::int64_t, 4> sizes{std::ssize(split.name), std::ssize(split.train),
                                      std::ssize(split.validation), std::ssize(split.test)};
    broadcast(peers, 0, std::as_writable_bytes(std::span(sizes)));
    split.name.resize(static_cast<std::size_t>(sizes[0]));
    broadcast(peers, 0, std::as_writable_bytes(std::span(split.name)));
    std::size_t k = 1;
    for (std::vector<Index>* const nodes : {&split.train, &split.validation, &split.test}) {
        nodes->resize(static_cast<std::size_t>(sizes[k++]));
        broadcast(peers, 0, std::as_writable_bytes(std::span(*nodes)));
    }
    return split;
}

Propagation make_shared_operator(const GraphPart& part, const MethodSettings& settings,
                                 const LearnedWeights& weights) {
    if (method_info(settings.method()).takes_weights)
        return shared_weighted_graph(part.partition, part.adjacency, weights);
    return build_shared_propagation(part.partition, part.adjacency, weights, settings.propagation());
}

void check_shared_training(const PreparedGraph& graph, const MethodSettings& settings) {
    const MethodInfo& method = method_info(settings.method());
    const auto refuse = [&](const std::string& what) {
        throw InputError(fmt::format("{}; hwgcn trains it on one machine", what));
    };
    if (!method.takes_blocks)
        refuse(fmt::format("{} cannot be trained by several processes (these can: {})", method.title,
                           shareable_methods()));
    const OperatorKind kind = settings.operator_kind();
    if (kind == OperatorKind::in || kind == OperatorKind::out)
        refuse(
            fmt::format("`operator={}` cannot be shared by several processes", settings.value("operator")));
    if (settings.fit().self_training > 0) refuse("`self_training` cannot be shared by several processes");
    if (graph.features.scaled->columns == 0 && (method.uses_features || kind == OperatorKind::higher_order))
        refuse(fmt::format("{}: the dataset has no features, and several processes make none from the graph",
                           graph.dataset.name));
}

TrainedRun train_shared(const SharedTask& task, const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    const Partition& partition = *task.part.partition;
    TrainedRun run{task.settings,
                   std::nullopt,
                   train(task.part.graph, task.propagation, task.settings, task.split, task.seed, control,
                         task.checkpoints),
                   {}};
    run.result.notes = run.model.notes;
    DenseMatrix own = predict_nodes(task.part.graph, task.propagation, task.settings, run.model, control);
    const SplitRows nodes(partition, task.split);
    const DenseMatrix labelled = nodes.gather(own);
    if (partition.rank() == 0) measure_labelled(task, labelled, nodes, control, run);
    calibrate_own(task, std::move(own), control, run);
    add_warnings(task, run);
    run.result.alternative_accuracy = alternative_accuracy(task, run, control);
    run.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return run;
}

std::vector<TrainableMatrix> own_parameters(const Partition& partition, const MethodSettings& settings,
                                            std::vector<TrainableMatrix> whole) {
    if (!method_info(settings.method()).knows_nodes) return whole;
    for (TrainableMatrix& matrix : whole) {
        DenseMatrix own(partition.nodes(), matrix.value.columns());
        gather_rows(matrix.value, own_nodes(partition), own);
        matrix.value = std::move(own);
    }
    return whole;
}

std::vector<TrainableMatrix> whole_parameters(const Partition& partition, const MethodSettings& settings,
                                              std::vector<TrainableMatrix> own) {
    if (!method_info(settings.method()).knows_nodes) return own;
    for (TrainableMatrix& matrix : own) {
        DenseMatrix whole(partition.rank() == 0 ? partition.blocks.bounds.back() : 0, matrix.value.columns());
        gather_parts(partition, matrix.value, [&](ConstMatrixView part, Index first) {
            copy(part, part_of(whole.view(), {first, first + part.rows}));
        });
        matrix.value = std::move(whole);
    }
    return own;
}

void gather_parts(const Partition& partition, ConstMatrixView own,
                  const std::function<void(ConstMatrixView part, Index first)>& take) {
    Peers& peers = partition.peers();
    if (peers.rank() != 0) {
        peers.transfer(0, std::as_bytes(std::span(own.data, own.size())), Peers::nobody, {});
        return;
    }
    take(own, 0);
    for (int rank = 1; rank < peers.size(); ++rank) {
        const Index first = partition.first_node_of(rank);
        DenseMatrix part(partition.first_node_of(rank + 1) - first, own.columns);
        peers.transfer(Peers::nobody, {}, rank, std::as_writable_bytes(part.numbers()));
        take(part, first);
    }
}

}  // namespace hwgcn
