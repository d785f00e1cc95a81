#include "models/network_training.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "models/class_weights.hpp"
#include "models/known_labels.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/blocks/row_exchange.hpp"
#include "tensor/devices.hpp"
#include "training/checkpoint.hpp"
#include "training/fit_options.hpp"
#include "training/kept_fields.hpp"
#include "training/selection.hpp"
#include "training/self_training.hpp"

namespace hwgcn {
namespace {

std::string epochs_text(const TrainedModel& model, bool validated, Selection selection) {
    const bool named = selection != Selection::accuracy && selection != Selection::loss;
    const auto is_higher = [&](const EpochRecord& record) {
        return record.validation_selection >
               model.history[static_cast<std::size_t>(model.best_epoch) - 1].validation_selection;
    };
    const bool is_lower = named && model.best_epoch > 0 && std::ranges::any_of(model.history, is_higher);
    const std::string title = selection_title(selection);
    const std::string rank = is_lower ? fmt::format("was within the standard error of the best {}", title)
                             : named  ? "had the best " + title
                                      : "was the best";
    std::string text =
        validated ? fmt::format("Epoch {} of {} {} on the validation nodes{}", model.best_epoch,
                                model.history.size(), rank, is_lower ? ", with less loss" : "")
                  : fmt::format("The last of {} epochs, without validation nodes", model.history.size());
    if (model.resumed_after > 0) text += fmt::format("; continued after epoch {}", model.resumed_after);
    return text + ".";
}

// Blocks are for the processor: where the choice is free, it is that.
gpu::Device* device_for(const FitOptions& fit, const PreparedGraph& graph) {
    if (graph.layout && fit.device.kind == DeviceChoice::Kind::automatic) return nullptr;
    const std::optional<int> number = resolve_device(fit.device);
    return number ? &gpu::Device::open(*number) : nullptr;
}

// Some networks keep propagated features of groups of nodes: more memory than all else on graphs with many
// features.
void note_memory(const Network& network, const NetworkShape& shape, const std::string& label,
                 std::vector<std::string>& notes) {
    const std::optional<PropagatedInput> input = network.propagated_input();
    if (!input) return;
    const double bytes = 4.0 * input->groups * shape.nodes * static_cast<double>(row_stride(shape.features));
    if (bytes < 2e9) return;
    notes.push_back(
        fmt::format("{}: the propagated features of {} groups of nodes take {:.1f} GB; fewer "
                    "`node_groups` take less, and `method=hwgrand-sharp` none",
                    label, input->groups, bytes / 1e9));
}

// Of those who train together, and have the same state, one writes it.
void put_down(const FitState& state, const Checkpoints& checkpoints) {
    if (checkpoints.written && !checkpoints.file.empty()) save_state(checkpoints.file, state, checkpoints.of);
}

// Calls go_on(epochs) until `epochs` are done or the state is finished, and puts the state down in between
// and when interrupted.
template <typename GoOn>
void train_with_checkpoints(const FitState& state, const Checkpoints& checkpoints, int epochs,
                            const GoOn& go_on) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> pause(checkpoints.seconds);
    Clock::time_point last = Clock::now();
    try {
        while (!state.finished && epochs > 0) {
            const int now = std::min(epochs, checkpoints.epochs);
            go_on(now);
            epochs -= now;
            if (state.finished || Clock::now() - last < pause) continue;
            put_down(state, checkpoints);
            last = Clock::now();
        }
    } catch (const Interrupted&) {
        put_down(state, checkpoints);
        throw;
    }
}

}  // namespace

NetworkShape shape_of(const PreparedGraph& graph, const MethodSettings& settings) {
    return {graph.features.scaled->columns, graph.dataset.classes(), graph.dataset.nodes,
            operator_blocks(graph, settings)};
}

std::unique_ptr<Network> network_for(const PreparedGraph& graph, const MethodSettings& settings) {
    return make_network(settings, shape_of(graph, settings));
}

NetworkTraining::NetworkTraining(const PreparedGraph& graph, const Propagation& propagation,
                                 const MethodSettings& settings, const Split& split, std::uint64_t seed,
                                 Checkpoints checkpoints, std::vector<std::string>& notes, Extent extent)
    : graph_(&graph),
      propagation_(&propagation),
      settings_(settings),
      split_(&split),
      fit_(settings.fit()),
      device_(device_for(fit_, graph)),
      network_(network_for(graph, settings)),
      class_weights_(class_weights_for(graph.label_weights.of_classes, graph.dataset, split)),
      checkpoints_(std::move(checkpoints)),
      extent_(extent),
      state_(first_state(seed, notes)),
      resumed_after_(state_.epoch) {
    note_memory(*network_, shape_of(graph, settings), method_label(settings), notes);
    // A file system may show an old checkpoint, or none, to some of those who train together.
    if (RowExchange* const exchange = exchange_of(propagation.layout.get()))
        exchange->expect_same("checkpoint", fmt::format("epoch {}", state_.epoch));
}

// Made when they are first needed: of runs side by side, one needs them.
const std::shared_ptr<const CsrMatrix<float>>& NetworkTraining::features() const {
    if (!features_) features_ = features_for(graph_->features, settings_);
    return features_;
}

FitState NetworkTraining::fresh(std::uint64_t seed) const {
    if (stages() == 1) return start_fit(*network_, seed);
    return start_teacher(*network_, seed, graph_->dataset.nodes, graph_->dataset.classes());
}

FitState NetworkTraining::first_state(std::uint64_t seed, std::vector<std::string>& notes) const {
    FitState fresh_state = fresh(seed);
    const std::filesystem::path& file = checkpoints_.file;
    std::error_code ignored;
    if (!checkpoints_.resume || !std::filesystem::exists(file, ignored)) return fresh_state;
    try {
        FitState state = load_state(file, fresh_state.current,
                                    {graph_->dataset.nodes, graph_->dataset.classes()}, checkpoints_.of);
        if (state.seed == seed) return state;
        notes.push_back(fmt::format("{}: is of seed {}, expected {}; training started anew", file.string(),
                                    state.seed, seed));
    } catch (const InputError& error) {
        notes.push_back(fmt::format("{}; training started anew", error.what()));
    }
    return fresh_state;
}

int NetworkTraining::epochs() const {
    return state_.epoch + (state_.taught.empty() ? 0 : fit_.epochs);
}

LabelledField NetworkTraining::train_field(const ExecutionControl& control) const {
    const bool everywhere = fit_.scheme == Scheme::consistency || !state_.taught.empty();
    LabelledField result =
        training_field(*network_, *propagation_, features(), split_->train, graph_->dataset.labels,
                       everywhere ? Extent::all_nodes : extent_, control);
    result.weights = weights_of(result, split_->train, graph_->label_weights.of_nodes);
    for (Index i = 0; i < static_cast<Index>(state_.taught.size()); ++i) {
        if (state_.taught[i] == unlabelled) continue;
        result.taught_rows.push_back(i);
        result.taught_labels.push_back(state_.taught[i]);
    }
    return result;
}

// Loss is judged as it is trained; weights of single labels are for training alone.
LabelledField NetworkTraining::validation_field() const {
    LabelledField result =
        labelled_field(*network_, *propagation_, features(), split_->validation, graph_->dataset.labels,
                       state_.is_teacher() ? Extent::all_nodes : extent_);
    result.weights = weights_of(result, split_->validation, {});
    return result;
}

// Of several processes, each has those of its own nodes.
std::vector<float> NetworkTraining::weights_of(const LabelledField& labelled, std::vector<Index> nodes,
                                               const std::vector<float>& own) const {
    const RowLayout* layout = propagation_->layout.get();
    if (!labelled.among_others || layout != nullptr) std::ranges::sort(nodes);  // as its labels are
    const std::vector<double> all = weights_of_labels(nodes, graph_->dataset.labels, class_weights_, own);
    std::vector<float> weights;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (layout == nullptr || layout->has(nodes[k])) weights.push_back(static_cast<float>(all[k]));
    }
    return weights;
}

void NetworkTraining::run_stage(int epochs, const ExecutionControl& control) {
    const LabelledField train = train_field(control);
    LabelledField validation = validation_field();
    if (train.field.groups) add_propagated_outputs(validation.field, *train.field.groups, control);
    std::optional<gpu::KeptLists> on_device;
    if (device_ != nullptr) {
        on_device.emplace(*device_);
        keep_field(*on_device, train.field);
        keep_field(*on_device, validation.field);
        keep_labels(*on_device, {&train, 1});
        keep_labels(*on_device, {&validation, 1});
    }
    const auto go_on = [&](int some) {
        continue_fit(state_, *network_, train, validation, fit_, control, some, device_);
    };
    if (checkpoints_.file.empty()) return go_on(epochs);
    try {
        train_with_checkpoints(state_, checkpoints_, epochs, go_on);
    } catch (const Interrupted&) {
        // All were interrupted together; none ends the job before the checkpoint is written.
        if (RowExchange* const exchange = exchange_of(propagation_->layout.get())) exchange->any(true);
        throw;
    } catch (const Diverged&) {
        throw;
    } catch (const ExecutionError&) {
        if (device_ != nullptr && state_.epoch > 0)
            put_down();  // it failed, and the state is from before that
        throw;
    }
}

void NetworkTraining::advance_to(int epochs, const ExecutionControl& control) {
    while (!finished() && this->epochs() < epochs) {
        if (!state_.finished) {
            run_stage(epochs - this->epochs(), control);
        } else if (epochs > fit_.epochs) {
            state_ = start_student(*network_, state_, split_->train, fit_.self_training);
        } else {
            return;  // a teacher that ran out of patience; its student comes later
        }
    }
}

void NetworkTraining::put_down() const {
    hwgcn::put_down(state_, checkpoints_);
}

TrainedModel NetworkTraining::model() const {
    std::vector<Index> judged;
    for (const Index node : split_->validation)
        judged.push_back(graph_->dataset.labels[node]);
    TrainedModel model;
    model.parameters = state_.best;
    model.history = state_.history;
    model.best_epoch = state_.best_epoch;
    model.alternative_parameters = state_.alternative;
    model.alternative_epoch = state_.alternative_epoch;
    model.class_weights = class_weights_;
    model.resumed_after = resumed_after_;
    model.summary = epochs_text(model, !judged.empty(), usable_selection(fit_.selection, judged));
    if (device_ != nullptr) model.summary += fmt::format(" Trained on {}.", device_->name());
    return model;
}

}  // namespace hwgcn
