#include "hwgcn/evaluation/train.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "training/checkpoint.hpp"

namespace hwgcn {
namespace {

std::unique_ptr<Network> network_for(const PreparedGraph& graph, const MethodSettings& settings) {
    return make_network(settings.network, settings.shape,
                        {graph.features->columns_count, graph.dataset.classes()});
}

FitState first_state(const Network& network, std::uint64_t seed, const Checkpoints& checkpoints,
                     std::vector<std::string>& notes) {
    FitState fresh = start_fit(network, seed);
    std::error_code ignored;
    if (!checkpoints.resume || !std::filesystem::exists(checkpoints.file, ignored)) return fresh;
    try {
        FitState state = load_state(checkpoints.file, fresh.current);
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

}  // namespace

void check_trainable(const PreparedGraph& graph, const Split& split) {
    const std::string& name = graph.dataset.name;
    if (graph.features->columns_count == 0)
        fail_in_file(name, "the dataset has no features, and networks learn from features");
    if (graph.dataset.classes() == 0)
        fail_in_file(name, "the dataset has no labels, and training needs some");
    validate_split(split, graph.dataset);
    if (split.train.empty())
        fail_in_file(name, fmt::format("the split {} has no training nodes", split.name));
}

TrainedModel train(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
                   const Split& split, std::uint64_t seed, const RunControl& control,
                   const Checkpoints& checkpoints) {
    check_trainable(graph, split);
    const auto network = network_for(graph, settings);
    const auto field_of = [&](std::span<const Index> nodes) {
        return labelled_field(*network, propagation, graph.features, nodes, graph.dataset.labels);
    };
    const LabelledField train = field_of(split.train);
    const LabelledField validation = field_of(split.validation);

    TrainedModel model;
    FitState state = first_state(*network, seed, checkpoints, model.notes);
    model.resumed_after = state.epoch;
    const ProgressTask task(control, "training", settings.fit.epochs);
    if (control.progress != nullptr) control.progress->advance(state.epoch);
    const auto go_on = [&](int epochs) {
        continue_fit(state, *network, train, validation, settings.fit, control, epochs);
    };
    if (checkpoints.file.empty()) {
        go_on(settings.fit.epochs);
    } else {
        train_with_checkpoints(state, checkpoints, go_on);
    }
    model.parameters = std::move(state.best);
    model.history = std::move(state.history);
    model.best_epoch = state.best_epoch;
    return model;
}

DenseMatrix predict_nodes(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                          const RunControl& control) {
    const auto network = network_for(graph, settings);
    return predict(*network, parameters, whole_field(propagation, graph.features, network->steps()), control);
}

}  // namespace hwgcn
