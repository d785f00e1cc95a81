#include "training/fit.hpp"

#include <algorithm>
#include <utility>

#include "operators/propagation.hpp"
#include "tensor/block_sums.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/device.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/transfer.hpp"
#include "training/epochs.hpp"

namespace hwgcn {

namespace {

// Where nodes fall into blocks, those that are here, ascending, as sums over blocks want them.
std::vector<Index> own_part(std::span<const Index> nodes, const RowLayout* layout) {
    std::vector<Index> own(nodes.begin(), nodes.end());
    if (layout == nullptr) return own;
    std::erase_if(own, [&](Index node) { return !layout->has(node); });
    std::ranges::sort(own);
    return own;
}

// All matrices of a state, in a fixed order.
std::vector<DenseMatrix*> matrices_of(FitState& state) {
    std::vector<DenseMatrix*> result = {&state.average, &state.best_average};
    for (std::vector<TrainableMatrix>* const list : {&state.current, &state.best, &state.alternative}) {
        for (TrainableMatrix& parameter : *list)
            result.push_back(&parameter.value);
    }
    for (std::vector<DenseMatrix>* const list : {&state.mean, &state.square}) {
        for (DenseMatrix& matrix : *list)
            result.push_back(&matrix);
    }
    return result;
}

// Those of the runs, side by side on a device. All else is that of the first.
FitState state_on(gpu::Device& device, std::span<FitState> runs) {
    FitState there = runs.front();
    const std::vector<DenseMatrix*> targets = matrices_of(there);
    for (std::size_t k = 0; k < targets.size(); ++k) {
        if (targets[k]->rows() == 0) continue;
        std::vector<ConstMatrixView> copies;
        for (FitState& run : runs)
            copies.emplace_back(*matrices_of(run)[k]);
        *targets[k] = matrix_on(&device, targets[k]->rows(), targets[k]->columns());
        set_runs(copies, *targets[k]);
    }
    return there;
}

void bring_back(FitState& there, std::span<FitState> runs) {
    const std::vector<DenseMatrix*> sources = matrices_of(there);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k]->rows() == 0) continue;
        std::vector<DenseMatrix> copies = copies_of_runs(*sources[k]);
        for (std::size_t run = 0; run < runs.size(); ++run)
            *matrices_of(runs[run])[k] = std::move(copies[run]);
    }
}

// The runs on the host are as before until all is done.
void run_epochs_on(gpu::Device& device, std::span<const RunRecord> asked, const Network& network,
                   const LabelledField& train, const LabelledField& validation, const FitOptions& options,
                   const ExecutionControl& control, int epochs) {
    std::vector<FitState> runs;
    std::vector<std::uint64_t> seeds;
    for (const RunRecord& run : asked) {
        runs.push_back(*run.state);
        seeds.push_back(run.state->seed);
    }
    std::vector<RunRecord> records(asked.begin(), asked.end());
    for (std::size_t k = 0; k < runs.size(); ++k)
        records[k].state = &runs[k];
    const gpu::SideBySide together(device, seeds);
    FitState there = state_on(device, runs);
    const auto come_back = [&] {
        bring_back(there, runs);
        for (std::size_t k = 0; k < runs.size(); ++k)
            *asked[k].state = std::move(runs[k]);
    };
    try {
        run_epochs(there, records, network, train, validation, options, control, epochs);
    } catch (const Interrupted&) {
        come_back();
        throw;
    } catch (const Diverged&) {  // one of them; the others are finished
        come_back();
        throw;
    }
    come_back();
}

}  // namespace

LabelledField labelled_field(const Network& network, const Propagation& propagation,
                             const std::shared_ptr<const CsrMatrix<float>>& features,
                             std::span<const Index> nodes, std::span<const Index> labels, Extent extent) {
    LabelledField result;
    result.total = static_cast<std::int64_t>(nodes.size());
    const RowLayout* layout = propagation.layout.get();
    const std::vector<Index> own = own_part(nodes, layout);
    if (extent == Extent::all_nodes || network.needs_all_nodes()) {
        result.field = whole_field(propagation, features, network.steps());
        result.among_others = true;
        for (const Index node : own) {
            result.rows.push_back(layout != nullptr ? node - layout->first_node() : node);
            result.labels.push_back(labels[node]);
        }
        if (layout != nullptr) result.nodes = own;
    } else {
        result.field = field_of(network, propagation, features, own);
        for (const Index node : *result.field.outputs)
            result.labels.push_back(labels[node]);
    }
    return result;
}

LabelledField training_field(const Network& network, const Propagation& propagation,
                             const std::shared_ptr<const CsrMatrix<float>>& features,
                             std::span<const Index> nodes, std::span<const Index> labels, Extent extent,
                             const ExecutionControl& control) {
    LabelledField result = labelled_field(network, propagation, features, nodes, labels, extent);
    add_training_input(result.field, network, propagation, features, control);
    return result;
}

FitState start_fit(const Network& network, std::uint64_t seed) {
    FitState state;
    state.seed = seed;
    state.current = network.initial_parameters(seed);
    state.best = state.alternative = state.current;
    for (const TrainableMatrix& parameter : state.current) {
        state.mean.emplace_back(parameter.value.rows(), parameter.value.columns());
        state.square.emplace_back(parameter.value.rows(), parameter.value.columns());
    }
    return state;
}

FitState start_teacher(const Network& network, std::uint64_t seed, Index nodes, Index classes) {
    FitState state = start_fit(network, seed);
    state.average = DenseMatrix(nodes, classes);
    state.best_average = state.average;
    return state;
}

void continue_fit(FitState& state, const Network& network, const LabelledField& train,
                  const LabelledField& validation, const FitOptions& options, const ExecutionControl& control,
                  int epochs, gpu::Device* device) {
    const RunRecord run = run_record(state, validation, options.selection);
    const std::span<const RunRecord> alone(&run, 1);
    if (device == nullptr)
        return run_epochs(state, alone, network, train, validation, options, control, epochs);
    run_epochs_on(*device, alone, network, train, validation, options, control, epochs);
}

bool can_train_side_by_side(const Network& network, const FitOptions& options) {
    const bool draws_nodes = options.scheme == Scheme::consistency && network.sampled_nodes() > 0;
    return !draws_nodes && !network.propagated_input() && options.self_training == 0;
}

void continue_side_by_side(std::span<FitState* const> states, const Network& network,
                           std::span<const LabelledField> train, std::span<const LabelledField> validation,
                           const FitOptions& options, const ExecutionControl& control, gpu::Device& device) {
    std::vector<RunRecord> runs;
    for (std::size_t k = 0; k < states.size(); ++k)
        runs.push_back(run_record(*states[k], validation[k], options.selection));
    run_epochs_on(device, runs, network, train.front(), validation.front(), options, control, options.epochs);
}

FitState fit(const Network& network, const LabelledField& train, const LabelledField& validation,
             const FitOptions& options, std::uint64_t seed, const ExecutionControl& control) {
    FitState state = start_fit(network, seed);
    continue_fit(state, network, train, validation, options, control);
    return state;
}

std::vector<TrainableMatrix> statistics_of(const Network& network,
                                           std::span<const TrainableMatrix> parameters,
                                           const ReceptiveField& whole_field,
                                           const ExecutionControl& control) {
    Workspace workspace;
    Tape tape(workspace, control, false, whole_field.layout.get());
    Pass pass(tape, whole_field, put_on(tape, parameters, {}), std::nullopt);
    return network.statistics(pass);
}

DenseMatrix predict(const Network& network, std::span<const TrainableMatrix> parameters,
                    const ReceptiveField& field, const ExecutionControl& control) {
    Workspace workspace;
    Tape tape(workspace, control, false, field.layout.get());
    Pass pass(tape, field, put_on(tape, parameters, {}), std::nullopt);
    const ConstMatrixView scores = tape.value(network.scores(pass));
    DenseMatrix probabilities(scores.rows, scores.columns);
    activate(Activation::softmax, scores, probabilities);
    return probabilities;
}

}  // namespace hwgcn
