#include "hwgcn/methods/train.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"
#include "hwgcn/training/selection.hpp"

#include "linalg/finite.hpp"
#include "methods/method_table.hpp"
#include "training/checkpoint.hpp"
#include "training/self_training.hpp"

namespace hwgcn {
namespace {

bool is_classic(const MethodSettings& settings) {
    return method_info(settings.method()).kind == MethodKind::classic;
}

NetworkShape shape_of(const PreparedGraph& graph, const MethodSettings& settings) {
    return {graph.features->columns, graph.dataset.classes(), graph.graph.nodes(),
            operator_blocks(graph, settings)};
}

std::unique_ptr<Network> network_for(const PreparedGraph& graph, const MethodSettings& settings) {
    return make_network(settings, shape_of(graph, settings));
}

ClassicGraph classic_view(const PreparedGraph& graph, const Propagation& weights) {
    return {*weights.matrix, *graph.features, graph.dataset.classes()};
}

LabelledNodes labelled(const PreparedGraph& graph, std::vector<Index> nodes) {
    LabelledNodes result{std::move(nodes), {}};
    for (const Index node : result.nodes)
        result.labels.push_back(graph.dataset.labels[node]);
    return result;
}

TrainedModel train_classic(const PreparedGraph& graph, const Propagation& weights,
                           const MethodSettings& settings, const Split& split, std::uint64_t seed,
                           const ExecutionControl& control, const Groundwork* groundwork) {
    const auto method = make_classic_method(settings);
    const KnownLabels known{labelled(graph, split.train), labelled(graph, split.validation)};
    ClassicGraph view = classic_view(graph, weights);
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
    model.summary = std::move(learned.summary);
    model.notes = std::move(learned.notes);
    return model;
}

// Weights divided by their mean, so that only their ratios count.
std::vector<float> mean_one(const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights)
        sum += weight;
    const double mean = sum / static_cast<double>(weights.size());
    std::vector<float> result;
    for (const double weight : weights)
        result.push_back(static_cast<float>(weight / mean));
    return result;
}

// One training of a network: what does not change from epoch to epoch.
struct NetworkTraining {
    const PreparedGraph& graph;
    const Propagation& propagation;
    const Split& split;
    FitOptions fit;
    std::unique_ptr<Network> network;
    std::vector<double> class_weights;

    bool has_teacher() const { return fit.self_training > 0; }

    FitState fresh(std::uint64_t seed) const {
        if (!has_teacher()) return start_fit(*network, seed);
        return start_teacher(*network, seed, graph.graph.nodes(), graph.dataset.classes());
    }

    LabelledField field(const std::vector<Index>& nodes, Extent extent) const {
        return labelled_field(*network, propagation, graph.features, nodes, graph.dataset.labels, extent);
    }

    LabelledField train_field(const FitState& state) const {
        const bool everywhere = fit.scheme == Scheme::consistency || !state.taught.empty();
        LabelledField result = field(split.train, everywhere ? Extent::all_nodes : Extent::as_needed);
        result.weights = weights_of(result, graph.label_weights);
        for (Index i = 0; i < static_cast<Index>(state.taught.size()); ++i) {
            if (state.taught[i] == unlabelled) continue;
            result.taught_rows.push_back(i);
            result.taught_labels.push_back(state.taught[i]);
        }
        return result;
    }

    // Loss is judged as it is trained; weights of single labels are for training alone.
    LabelledField validation_field(const FitState& state) const {
        LabelledField result =
            field(split.validation, state.is_teacher() ? Extent::all_nodes : Extent::as_needed);
        result.weights = weights_of(result, {});
        return result;
    }

    // What each label counts: its own weight times that of its class, 1 on average; none where there are none.
    std::vector<float> weights_of(const LabelledField& labelled, const std::vector<float>& own) const {
        if ((own.empty() && class_weights.empty()) || labelled.labels.empty()) return {};
        const std::vector<Index>& nodes = labelled.rows.empty() ? *labelled.field.outputs : labelled.rows;
        std::vector<double> weights;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const double weight = own.empty() ? 1.0 : static_cast<double>(own[nodes[k]]);
            weights.push_back(class_weights.empty() ? weight : weight * class_weights[labelled.labels[k]]);
        }
        return mean_one(weights);
    }
};

FitState first_state(const NetworkTraining& training, std::uint64_t seed, const Checkpoints& checkpoints,
                     std::vector<std::string>& notes) {
    FitState fresh = training.fresh(seed);
    std::error_code ignored;
    if (!checkpoints.resume || !std::filesystem::exists(checkpoints.file, ignored)) return fresh;
    try {
        FitState state = load_state(checkpoints.file, fresh.current,
                                    {training.graph.graph.nodes(), training.graph.dataset.classes()});
        if (state.seed == seed) return state;
        notes.push_back(fmt::format("{}: is of seed {}, expected {}; training started anew",
                                    checkpoints.file.string(), state.seed, seed));
    } catch (const InputError& error) {
        notes.push_back(fmt::format("{}; training started anew", error.what()));
    }
    return fresh;
}

// Calls go_on(epochs) until the state is finished, and puts it down in between and when interrupted.
template <typename GoOn>
void train_with_checkpoints(FitState& state, const Checkpoints& checkpoints, const GoOn& go_on) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> pause(checkpoints.seconds);
    Clock::time_point last = Clock::now();
    try {
        while (!state.finished) {
            go_on(checkpoints.epochs);
            if (state.finished || Clock::now() - last < pause) continue;
            save_state(checkpoints.file, state);
            last = Clock::now();
        }
    } catch (const Interrupted&) {
        save_state(checkpoints.file, state);
        throw;
    }
}

void run_stage(const NetworkTraining& training, FitState& state, const ExecutionControl& control,
               const Checkpoints& checkpoints) {
    const FitOptions& options = training.fit;
    const LabelledField train = training.train_field(state);
    const LabelledField validation = training.validation_field(state);
    const auto go_on = [&](int epochs) {
        continue_fit(state, *training.network, train, validation, options, control, epochs);
    };
    if (checkpoints.file.empty()) {
        go_on(options.epochs);
    } else {
        train_with_checkpoints(state, checkpoints, go_on);
    }
}

std::string epochs_text(const TrainedModel& model, bool validated, Selection selection) {
    const bool named = selection != Selection::accuracy && selection != Selection::loss;
    std::string text =
        validated ? fmt::format("Epoch {} of {} {} on the validation nodes", model.best_epoch,
                                model.history.size(),
                                named ? "had the best " + selection_title(selection) : "was the best")
                  : fmt::format("The last of {} epochs, without validation nodes", model.history.size());
    if (model.resumed_after > 0) text += fmt::format("; continued after epoch {}", model.resumed_after);
    return text + ".";
}

TrainedModel train_network(const PreparedGraph& graph, const Propagation& propagation,
                           const MethodSettings& settings, const Split& split, std::uint64_t seed,
                           const ExecutionControl& control, const Checkpoints& checkpoints) {
    const NetworkTraining training{graph,
                                   propagation,
                                   split,
                                   settings.fit(),
                                   network_for(graph, settings),
                                   class_weights_for(graph.class_weights, graph.dataset, split)};
    TrainedModel model;
    model.class_weights = training.class_weights;
    FitState state = first_state(training, seed, checkpoints, model.notes);
    model.resumed_after = state.epoch;
    const int stages = training.has_teacher() ? 2 : 1;
    const ProgressTask task(control, "training", std::int64_t{stages} * training.fit.epochs);
    if (control.progress != nullptr)
        control.progress->advance(state.epoch + (state.taught.empty() ? 0 : training.fit.epochs));
    if (state.is_teacher()) {
        run_stage(training, state, control, checkpoints);
        state = start_student(*training.network, state, split.train, training.fit.self_training);
    }
    run_stage(training, state, control, checkpoints);
    model.parameters = std::move(state.best);
    model.history = std::move(state.history);
    model.best_epoch = state.best_epoch;
    model.alternative_parameters = std::move(state.alternative);
    model.alternative_epoch = state.alternative_epoch;
    model.summary = epochs_text(
        model, !split.validation.empty(),
        usable_selection(training.fit.selection, labelled(graph, split.validation).labels));
    return model;
}

DenseMatrix probabilities(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                          const ExecutionControl& control) {
    if (is_classic(settings)) {
        return make_classic_method(settings)->probabilities(classic_view(graph, propagation), parameters,
                                                            control);
    }
    const auto network = network_for(graph, settings);
    return predict(*network, parameters, whole_field(propagation, graph.features, network->steps()), control);
}

// Finite parameters can be so large that what is computed from them is not.
[[noreturn]] void fail_diverged(const MethodSettings& settings, int epoch) {
    const std::string place = epoch > 0 ? fmt::format(" at epoch {}", epoch) : "";
    throw Diverged(fmt::format("{}: training diverged{}: its probabilities are not finite{}",
                               method_label(settings), place, epoch > 0 ? "; a smaller `rate` helps" : ""));
}

}  // namespace

void check_trainable(const PreparedGraph& graph, const MethodSettings& settings, const Split& split) {
    const std::string& name = graph.dataset.name;
    const MethodInfo& method = method_info(settings.method());
    const bool higher_order = settings.operator_kind() == OperatorKind::higher_order;
    if (graph.features->columns == 0 && (method.uses_features || higher_order)) {
        fail_in_file(name,
                     fmt::format("the dataset has no features, and {} learns from features; "
                                 "the methods lp and deepwalk{} need none, and `structural_features=auto` "
                                 "makes some from the graph",
                                 higher_order ? "the higher-order operator" : method.title,
                                 higher_order && !method.uses_features ? " with `operator=plain`" : ""));
    }
    expect_directions(graph, settings);
    if ((!graph.label_weights.empty() || graph.class_weights.any()) && method.kind == MethodKind::classic) {
        fail_in_file(name,
                     fmt::format("{} cannot weigh labels: weights of labels or classes need a network, such "
                                 "as gcn or hwgcn",
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
        return make_classic_method(settings)->lay_groundwork(classic_view(graph, propagation), seed, control);
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
    if (!info.knows_nodes && sizes_on(graph) == sizes_on(*graph.original)) return;
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
