#include "hwgcn/models/train.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "models/class_weights.hpp"
#include "models/known_labels.hpp"
#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "operators/propagation.hpp"
#include "tensor/devices.hpp"
#include "tensor/finite.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

ClassicGraph classic_view(const PreparedGraph& graph, const Propagation& weights,
                          const MethodSettings& settings) {
    const bool as_given = method_info(settings.method()).takes_given_features;
    return classic_view(weights, as_given ? *graph.features.given : *graph.features.scaled,
                        graph.dataset.classes());
}

LabelledNodes labelled(const std::vector<Index>& labels, const std::vector<Index>& nodes,
                       const std::vector<double>& class_weights, const std::vector<float>& own) {
    LabelledNodes result{nodes, {}, weights_of_labels(nodes, labels, class_weights, own)};
    for (const Index node : nodes)
        result.labels.push_back(labels[node]);
    return result;
}

TrainedModel train_classic(const PreparedGraph& graph, const Propagation& weights,
                           const MethodSettings& settings, const Split& split, std::uint64_t seed,
                           const ExecutionControl& control, const Groundwork* groundwork) {
    const auto method = make_classic_method(settings);
    const std::vector<double> class_weights =
        class_weights_for(graph.label_weights.of_classes, graph.dataset, split);
    const std::vector<Index>& labels = graph.dataset.labels;
    const KnownLabels known{labelled(labels, split.train, class_weights, graph.label_weights.of_nodes),
                            labelled(labels, split.validation, class_weights, {})};
    ClassicGraph view = classic_view(graph, weights, settings);
    view.groundwork = groundwork;
    ClassicModel learned = method->learn(view, known, seed, control);
    for (const TrainableMatrix& matrix : learned.parameters) {
        if (all_finite(matrix.value)) continue;
        throw Diverged(
            fmt::format("diverged: '{}' is not finite{}", matrix.name,
                        settings.reads("classifier_l2") ? "; a larger `classifier_l2` helps" : ""));
    }
    TrainedModel model;
    model.parameters = std::move(learned.parameters);
    model.class_weights = class_weights;
    model.summary = std::move(learned.summary);
    model.notes = std::move(learned.notes);
    return model;
}

TrainedModel train_network(const PreparedGraph& graph, const Propagation& propagation,
                           const MethodSettings& settings, const Split& split, std::uint64_t seed,
                           const ExecutionControl& control, const Checkpoints& checkpoints) {
    std::vector<std::string> notes;
    NetworkTraining training(graph, propagation, settings, split, seed, checkpoints, notes);
    const ProgressTask task(control, "training", training.most_epochs());
    if (control.progress != nullptr) control.progress->advance(training.epochs());
    training.advance_to(training.most_epochs(), control);
    TrainedModel model = training.model();
    model.notes = std::move(notes);
    add_statistics(graph, propagation, settings, model.parameters, control);
    return model;
}

DenseMatrix probabilities(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                          const ExecutionControl& control) {
    if (is_classic(settings)) {
        return make_classic_method(settings)->probabilities(classic_view(graph, propagation, settings),
                                                            parameters, control);
    }
    const auto network = network_for(graph, settings);
    return predict(*network, parameters,
                   whole_field(propagation, features_for(graph.features, settings), network->steps()),
                   control);
}

// Finite parameters can be so large that what is computed from them is not.
[[noreturn]] void fail_diverged(const MethodSettings& settings, int epoch) {
    const std::string place = epoch > 0 ? fmt::format(" at epoch {}", epoch) : "";
    throw Diverged(fmt::format("{}: training diverged{}: its probabilities are not finite{}",
                               method_label(settings), place, epoch > 0 ? "; a smaller `rate` helps" : ""));
}

// The device is there, and can do what is wanted.
void expect_device(const PreparedGraph& graph, const MethodSettings& settings) {
    if (!settings.reads("device") || !resolve_device(settings.fit().device)) return;
    if (!graph.layout || settings.fit().device.kind == DeviceChoice::Kind::automatic) return;
    throw InputError(
        fmt::format("`device={}`: {} is in blocks (shards), which are trained on the processor; `device=cpu` "
                    "does it",
                    device_text(settings.fit().device), graph.dataset.name));
}

}  // namespace

void check_trainable(const PreparedGraph& graph, const MethodSettings& settings, const Split& split) {
    const std::string& name = graph.dataset.name;
    const MethodInfo& method = method_info(settings.method());
    const bool higher_order = settings.operator_kind() == OperatorKind::higher_order;
    if (graph.features.scaled->columns == 0 && (method.uses_features || higher_order)) {
        fail_in_file(name,
                     fmt::format("the dataset has no features, and {} learns from features; "
                                 "the methods lp and deepwalk{} need none, and `structural_features=auto` "
                                 "makes some from the graph",
                                 higher_order ? "the higher-order operator" : method.title,
                                 higher_order && !method.uses_features ? " with `operator=plain`" : ""));
    }
    expect_directions(graph, settings);
    expect_device(graph, settings);
    if (graph.label_weights.any() && !method.weighs_labels) {
        fail_in_file(name, fmt::format("{} cannot weigh labels: weights of labels or classes need linear, "
                                       "diffusion, boosted or a network, such as gcn or hwgcn",
                                       method.title));
    }
    if (graph.dataset.classes() == 0)
        fail_in_file(name, "the dataset has no labels, and training needs some");
    validate_split(split, graph.dataset);
    if (split.train.empty())
        fail_in_file(name, fmt::format("the split {} has no training nodes", split.name));
}

std::shared_ptr<const Groundwork> lay_groundwork(const PreparedGraph& graph, const Propagation& propagation,
                                                 const MethodSettings& settings, std::uint64_t seed,
                                                 const ExecutionControl& control) {
    if (!is_classic(settings)) return nullptr;
    try {
        return make_classic_method(settings)->lay_groundwork(classic_view(graph, propagation, settings), seed,
                                                             control);
    } catch (const Diverged& failure) {
        throw Diverged(fmt::format("{}: {}", method_label(settings), failure.what()));
    }
}

TrainedModel train(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
                   const Split& split, std::uint64_t seed, const ExecutionControl& control,
                   const Checkpoints& checkpoints, const Groundwork* groundwork) {
    check_trainable(graph, settings, split);
    try {
        return is_classic(settings)
                   ? train_classic(graph, propagation, settings, split, seed, control, groundwork)
                   : train_network(graph, propagation, settings, split, seed, control, checkpoints);
    } catch (const Diverged& failure) {  // one of several methods, perhaps
        throw Diverged(fmt::format("{}: {}", method_label(settings), failure.what()));
    }
}

void check_takes_new_nodes(const PreparedGraph& graph, const MethodSettings& settings) {
    const auto sizes_on = [&](const PreparedGraph& any) {
        std::vector<std::pair<Index, Index>> sizes;
        for (const TrainableMatrix& matrix : empty_parameters(any, settings))
            sizes.emplace_back(matrix.value.rows(), matrix.value.columns());
        return sizes;
    };
    const MethodInfo& info = method_info(settings.method());
    // Embeddings of single nodes are as many as there were nodes.
    if (!info.knows_nodes && sizes_on(graph) == sizes_on(*graph.addition.original)) return;
    throw InputError(
        fmt::format("{} learns about the nodes that it is trained with and says nothing about new ones: "
                    "train again with them, or train a network such as hwgcn",
                    info.title));
}

std::vector<TrainableMatrix> empty_parameters(const PreparedGraph& graph, const MethodSettings& settings) {
    if (is_classic(settings))
        return make_classic_method(settings)->empty_parameters(shape_of(graph, settings));
    return network_for(graph, settings)->initial_parameters(0);
}

std::vector<TrainableMatrix> empty_statistics(const PreparedGraph& graph, const MethodSettings& settings) {
    if (is_classic(settings)) return {};
    return network_for(graph, settings)->empty_statistics();
}

bool lacks_statistics(const PreparedGraph& graph, const MethodSettings& settings,
                      std::span<const TrainableMatrix> parameters) {
    const std::size_t wanted = empty_statistics(graph, settings).size();
    return wanted > 0 && parameters.size() < empty_parameters(graph, settings).size() + wanted;
}

void add_statistics(const PreparedGraph& graph, const Propagation& propagation,
                    const MethodSettings& settings, std::vector<TrainableMatrix>& parameters,
                    const ExecutionControl& control) {
    if (!lacks_statistics(graph, settings, parameters)) return;
    const auto network = network_for(graph, settings);
    std::vector<TrainableMatrix> found = statistics_of(
        *network, parameters,
        whole_field(propagation, features_for(graph.features, settings), network->steps()), control);
    std::ranges::move(found, std::back_inserter(parameters));
}

DenseMatrix predict_nodes(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                          const ExecutionControl& control) {
    DenseMatrix result = probabilities(graph, propagation, settings, parameters, control);
    if (all_finite(result)) return result;
    throw ExecutionError(fmt::format("{}: the model gives probabilities that are not finite; train it anew",
                                     method_label(settings)));
}

DenseMatrix predict_nodes(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, const TrainedModel& model,
                          const ExecutionControl& control) {
    DenseMatrix result = probabilities(graph, propagation, settings, model.parameters, control);
    if (!all_finite(result)) fail_diverged(settings, model.best_epoch);
    divide_out_weights(result, model.class_weights, control);
    return result;
}

std::optional<double> alternative_test_accuracy(const PreparedGraph& graph, const Propagation& propagation,
                                                const MethodSettings& settings, const TrainedModel& model,
                                                const Split& split, double test_accuracy,
                                                const ExecutionControl& control, const Decision& decision,
                                                double temperature) {
    if (model.alternative_parameters.empty()) return std::nullopt;
    if (model.alternative_epoch == model.best_epoch) return test_accuracy;
    DenseMatrix other = probabilities(graph, propagation, settings, model.alternative_parameters, control);
    if (!all_finite(other)) fail_diverged(settings, model.alternative_epoch);
    if (!decision.is_plain()) calibrate(other, decision, temperature, control);
    return compute_metrics(other, graph.dataset.labels, split.test, control, {.decision = decision}).accuracy;
}

}  // namespace hwgcn
