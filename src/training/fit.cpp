#include "training/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/training/selection.hpp"

#include "linalg/block_sums.hpp"
#include "linalg/elementwise.hpp"
#include "linalg/finite.hpp"
#include "linalg/rows.hpp"
#include "linalg/transfer.hpp"
#include "support/stopping.hpp"
#include "training/optimizer.hpp"
#include "training/training_loss.hpp"

namespace hwgcn {
namespace {

// What one epoch needs besides the state; memory is reused from epoch to epoch.
struct Scratch {
    Workspace workspace;
    std::vector<DenseMatrix> gradients;

    explicit Scratch(const FitState& state)
        : workspace(state.current.empty() ? nullptr : device_of(state.current.front().value)) {
        for (const TrainableMatrix& parameter : state.current)
            gradients.emplace_back(parameter.value.rows(), parameter.value.columns(),
                                   device_of(parameter.value));
    }
};

std::vector<Variable> put_on(Tape& tape, std::span<const TrainableMatrix> parameters,
                             std::span<DenseMatrix> gradients) {
    std::vector<Variable> variables;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const ConstMatrixView value = parameters[k].value;
        variables.push_back(gradients.empty() ? tape.constant(value) : tape.parameter(value, gradients[k]));
    }
    return variables;
}

// What passes observe is averaged: by a tenth of the way to each, the latest count most.
void move_towards(ConstMatrixView found, MatrixView average) {
    scale({-0.1F}, average, average, Write::add);
    scale({0.1F}, found, average, Write::add);
}

double train_epoch(FitState& state, const Network& network, const LabelledField& train,
                   const FitOptions& options, const ExecutionControl& control, Scratch& scratch) {
    scratch.workspace.reset();
    Tape tape(scratch.workspace, control, true, train.field.partition.get());
    const ComputedRows rows = computed_rows(state, network, train, options);
    const TrainingLoss loss = training_loss(tape, state, network, train, rows,
                                            put_on(tape, state.current, scratch.gradients), options);
    tape.backward(loss.total);
    step(state, scratch.gradients, options);
    for (const Pass::Observation& found : loss.observed)
        move_towards(found.value, state.current[found.parameter].value);
    return static_cast<double>(number(tape.value(loss.cross_entropy)));
}

struct Judgement {
    double loss = std::numeric_limits<double>::quiet_NaN();
    double accuracy = 0;
    double criterion = std::numeric_limits<double>::quiet_NaN();  // where it is neither of these
};

bool is_criterion_of_its_own(Selection selection) {
    return selection != Selection::accuracy && selection != Selection::loss;
}

double criterion_of(Selection selection, ConstMatrixView probabilities, std::span<const Index> labels,
                    const ExecutionControl& control) {
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    return criterion_value(selection, compute_metrics(probabilities, labels, rows, control));
}

// The processes that share a field, if any.
Peers* peers_of(const LabelledField& labelled) {
    return hwgcn::peers_of(labelled.field.partition.get());
}

std::vector<Index> labels_of_all(const LabelledField& labelled) {
    Peers* const peers = peers_of(labelled);
    if (peers == nullptr) return labelled.labels;
    const std::vector<std::vector<Index>> own(static_cast<std::size_t>(peers->size()), labelled.labels);
    std::vector<Index> all;
    for (const std::vector<Index>& labels : exchange_values(*peers, own))
        all.insert(all.end(), labels.begin(), labels.end());
    return all;
}

// One process judges what all have computed, and tells the others.
double criterion_at(Selection selection, ConstMatrixView scores, const LabelledField& validation,
                    const ExecutionControl& control, Workspace& workspace) {
    const MatrixView probabilities = workspace.matrix(scores.rows, scores.columns);
    activate(Activation::softmax, scores, probabilities);
    Peers* const peers = peers_of(validation);
    if (device_of(probabilities) != nullptr)
        return criterion_of(selection, copy_on(nullptr, probabilities), validation.labels, control);
    if (peers == nullptr) return criterion_of(selection, probabilities, validation.labels, control);
    const std::vector<Index> labels = labels_of_all(validation);
    std::vector<float> numbers;
    for (const Bytes& part : gather(*peers, 0, bytes_of(download(probabilities)))) {
        const std::vector<float> own = values_of<float>(part);
        numbers.insert(numbers.end(), own.begin(), own.end());
    }
    double found = 0;
    if (peers->rank() == 0) {
        DenseMatrix all(static_cast<Index>(labels.size()), scores.columns);
        upload(numbers, all);
        found = criterion_of(selection, all, labels, control);
    }
    broadcast(*peers, 0, std::as_writable_bytes(std::span(&found, 1)));
    return found;
}

// The average of the probabilities moves by a tenth of the way in each epoch; it begins with the first ones.
void follow(DenseMatrix& average, ConstMatrixView probabilities, int epoch, Workspace& workspace) {
    const MatrixView way = workspace.matrix(probabilities.rows, probabilities.columns);
    copy(probabilities, way);
    scale({-1.0F}, average, way, Write::add);
    scale({epoch == 1 ? 1.0F : 0.1F}, way, average, Write::add);
}

Judgement validate(FitState& state, const Network& network, const LabelledField& validation,
                   Selection selection, const ExecutionControl& control, Scratch& scratch) {
    if (validation.total == 0 && !state.is_teacher()) return {};
    scratch.workspace.reset();
    Tape tape(scratch.workspace, control, false, validation.field.partition.get());
    Pass pass(tape, validation.field, put_on(tape, state.current, {}), std::nullopt);
    const Variable all_scores = network.scores(pass);
    if (state.is_teacher())
        follow(state.average, tape.value(softmax(tape, all_scores)), state.epoch, scratch.workspace);
    if (validation.total == 0) return {};
    const Variable scores = labelled_scores(tape, all_scores, validation);
    const std::vector<Index> predicted = argmax_rows(tape.value(scores));
    std::int64_t correct = 0;
    for (std::size_t k = 0; k < predicted.size(); ++k)
        correct += predicted[k] == validation.labels[k] ? 1 : 0;
    if (Peers* const peers = peers_of(validation)) correct = total(*peers, correct);
    const Variable loss = cross_entropy(tape, scores, validation.labels, validation.weights);
    Judgement judgement{static_cast<double>(number(tape.value(loss))),
                        static_cast<double>(correct) / static_cast<double>(validation.total)};
    if (is_criterion_of_its_own(selection)) {
        judgement.criterion =
            criterion_at(selection, tape.value(scores), validation, control, scratch.workspace);
    }
    return judgement;
}

// In place: this happens in most epochs, and memory of its own would cost more than the copy.
void copy_values(const std::vector<TrainableMatrix>& from, std::vector<TrainableMatrix>& to) {
    for (std::size_t k = 0; k < from.size(); ++k)
        copy(from[k].value, to[k].value);
}

// Keeps the parameters of the best epoch so far and counts the epochs since something was better.
void select(FitState& state, const EpochRecord& record, const FitOptions& options) {
    const bool judged = !std::isnan(record.validation_loss);
    const bool better_accuracy = judged && record.validation_accuracy > state.best_accuracy;
    const bool better_loss = judged && record.validation_loss < state.best_loss;
    const bool better_criterion = judged && record.validation_selection > state.best_criterion;
    if (better_criterion) state.best_criterion = record.validation_selection;
    if (better_accuracy) state.best_accuracy = record.validation_accuracy;
    if (better_loss) state.best_loss = record.validation_loss;
    const bool by_loss = options.selection == Selection::loss;
    const bool better = is_criterion_of_its_own(options.selection) ? better_criterion : better_accuracy;
    state.epochs_without_better = better || better_loss ? 0 : state.epochs_without_better + 1;
    if ((by_loss ? better_loss : better) || !judged) {
        copy_values(state.current, state.best);
        state.best_epoch = state.epoch;
        state.best_average = state.average;
    }
    if ((by_loss ? better_accuracy : better_loss) || !judged) {
        copy_values(state.current, state.alternative);
        state.alternative_epoch = state.epoch;
    }
    const bool out_of_patience =
        judged && options.patience > 0 && state.epochs_without_better >= options.patience;
    state.finished = state.epoch >= options.epochs || out_of_patience;
}

// The loss is that of the parameters before the step of the epoch, and no loss sees all of them, so that they
// are looked at, too.
void check_finite(const FitState& state, const EpochRecord& record, bool judged) {
    const bool losses =
        std::isfinite(record.train_loss) && (!judged || std::isfinite(record.validation_loss));
    std::vector<ConstMatrixView> matrices = {state.average};
    for (const TrainableMatrix& parameter : state.current)
        matrices.emplace_back(parameter.value);
    if (losses && all_finite(matrices)) return;
    throw Diverged(fmt::format("training diverged at epoch {}: {} not finite; a smaller `rate` helps",
                               record.epoch, losses ? "its parameters are" : "its loss is"));
}

// Where nodes fall into blocks, those of this process, ascending, as sums over blocks want them.
std::vector<Index> own_part(std::span<const Index> nodes, const Partition* partition) {
    std::vector<Index> own(nodes.begin(), nodes.end());
    if (partition == nullptr) return own;
    std::erase_if(own, [&](Index node) { return !partition->owns(node); });
    std::ranges::sort(own);
    return own;
}

// Brings all matrices of a state to the memory of a device; null: of the host. One after the other.
void move_to(gpu::Device* device, FitState& state) {
    for (std::vector<TrainableMatrix>* const list : {&state.current, &state.best, &state.alternative}) {
        for (TrainableMatrix& parameter : *list)
            parameter.value = copy_on(device, parameter.value);
    }
    for (std::vector<DenseMatrix>* const list : {&state.mean, &state.square}) {
        for (DenseMatrix& matrix : *list)
            matrix = copy_on(device, matrix);
    }
    state.average = copy_on(device, state.average);
    state.best_average = copy_on(device, state.best_average);
}

void run_epochs(FitState& state, const Network& network, const LabelledField& train,
                const LabelledField& validation, const FitOptions& options, const ExecutionControl& control,
                int epochs) {
    Scratch scratch(state);
    Peers* const peers = peers_of(train);
    const ExecutionControl before_step = until_agreement(peers, control);
    const ExecutionControl after_step{control.threads, nullptr,
                                      nullptr};  // what has begun to change is finished
    for (int done = 0; done < epochs && !state.finished; ++done) {
        throw_if_anybody_is_stopped(peers, control);
        EpochRecord record;
        record.epoch = ++state.epoch;
        record.rate = scheduled_rate(options, state.epoch);
        try {
            record.train_loss = train_epoch(state, network, train, options, before_step, scratch);
        } catch (const Interrupted&) {
            --state.epoch;  // it has left no trace
            throw;
        }
        const Judgement judgement =
            validate(state, network, validation, options.selection, after_step, scratch);
        record.validation_loss = judgement.loss;
        record.validation_accuracy = judgement.accuracy;
        record.validation_selection = judgement.criterion;
        check_finite(state, record, validation.total > 0);
        select(state, record, options);
        state.history.push_back(record);
        if (control.progress != nullptr) control.progress->advance(1);
    }
}

}  // namespace

LabelledField labelled_field(const Network& network, const Propagation& propagation,
                             const std::shared_ptr<const CsrMatrix<float>>& features,
                             std::span<const Index> nodes, std::span<const Index> labels, Extent extent) {
    LabelledField result;
    result.total = static_cast<std::int64_t>(nodes.size());
    const Partition* partition = propagation.partition.get();
    const std::vector<Index> own = own_part(nodes, partition);
    if (extent == Extent::all_nodes || network.needs_all_nodes()) {
        result.field = whole_field(propagation, features, network.steps());
        result.among_others = true;
        for (const Index node : own) {
            result.rows.push_back(partition != nullptr ? node - partition->first_node() : node);
            result.labels.push_back(labels[node]);
        }
        if (partition != nullptr) result.nodes = own;
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
                  const LabelledField& validation, const FitOptions& asked, const ExecutionControl& control,
                  int epochs, gpu::Device* device) {
    FitOptions options = asked;
    options.selection = usable_selection(asked.selection, labels_of_all(validation));
    if (device == nullptr) return run_epochs(state, network, train, validation, options, control, epochs);
    FitState there = state;
    move_to(device, there);
    const auto come_back = [&] {
        move_to(nullptr, there);
        state = std::move(there);
    };
    try {
        run_epochs(there, network, train, validation, options, control, epochs);
    } catch (const Interrupted&) {
        come_back();
        throw;
    }
    come_back();
}

FitState fit(const Network& network, const LabelledField& train, const LabelledField& validation,
             const FitOptions& options, std::uint64_t seed, const ExecutionControl& control) {
    FitState state = start_fit(network, seed);
    continue_fit(state, network, train, validation, options, control);
    return state;
}

DenseMatrix predict(const Network& network, std::span<const TrainableMatrix> parameters,
                    const ReceptiveField& field, const ExecutionControl& control) {
    Workspace workspace;
    Tape tape(workspace, control, false, field.partition.get());
    Pass pass(tape, field, put_on(tape, parameters, {}), std::nullopt);
    const ConstMatrixView scores = tape.value(network.scores(pass));
    DenseMatrix probabilities(scores.rows, scores.columns);
    activate(Activation::softmax, scores, probabilities);
    return probabilities;
}

}  // namespace hwgcn
