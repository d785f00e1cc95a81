#include "training/epochs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/metrics/statistics.hpp"

#include "base/stopping.hpp"
#include "tensor/blocks/row_exchange.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/finite.hpp"
#include "tensor/losses.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"
#include "training/fit_options.hpp"
#include "training/optimizer.hpp"
#include "training/selection.hpp"
#include "training/training_loss.hpp"

namespace hwgcn {
namespace {

// What an epoch reports of each run, side by side in a row: the only numbers that leave a device.
enum Report : Index {
    train_loss_column,
    validation_loss_column,
    correct_column,
    infinite_column,
    report_columns
};

// Which parameters a run keeps, side by side in a row.
enum Keep : Index { keep_best, keep_alternative, keep_columns };

// What one epoch needs besides the state; memory is reused from epoch to epoch. On a device, passes that
// always take the same memory need not clear its padding: training and validation have their own.
struct Scratch {
    gpu::Device* device;
    Workspace workspace{device};
    Workspace second{device};
    std::vector<DenseMatrix> gradients;
    DenseMatrix report = matrix_on(device, 1, report_columns);
    DenseMatrix kept = matrix_on(device, 1, keep_columns);

    explicit Scratch(const FitState& state)
        : device(state.current.empty() ? nullptr : device_of(state.current.front().value)) {
        for (const TrainableMatrix& parameter : state.current)
            gradients.push_back(matrix_on(device, parameter.value.rows(), parameter.value.columns()));
    }

    Workspace& for_validation() { return device != nullptr ? second : workspace; }
    void put(Report column, ConstMatrixView number) {
        copy_columns(number, 0, 1, report, column, Write::replace);
    }
};

// What passes observe is averaged: by a tenth of the way to each, the latest count most.
void move_towards(ConstMatrixView found, MatrixView average) {
    scale({-0.1F}, average, average, Write::add);
    scale({0.1F}, found, average, Write::add);
}

void train_epoch(FitState& state, const Network& network, const LabelledField& train,
                 const FitOptions& options, const ExecutionControl& control, Scratch& scratch) {
    scratch.workspace.reset();
    Tape tape(scratch.workspace, control, true, train.field.layout.get());
    const ComputedRows rows = computed_rows(state, network, train, options);
    const TrainingLoss loss = training_loss(tape, state, network, train, rows,
                                            put_on(tape, state.current, scratch.gradients), options);
    tape.backward(loss.total);
    step(state, scratch.gradients, options);
    for (const Pass::Observation& found : loss.observed)
        move_towards(found.value, state.current[found.parameter].value);
    scratch.put(train_loss_column, tape.value(loss.cross_entropy));
}

bool is_criterion_of_its_own(Selection selection) {
    return selection != Selection::accuracy && selection != Selection::loss;
}

double criterion_of(Selection selection, ConstMatrixView probabilities, std::span<const Index> labels,
                    const ExecutionControl& control) {
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    return criterion_value(selection, compute_metrics(probabilities, labels, rows, control));
}

// One of those who have rows judges what all have computed.
double criterion_of_all(RowExchange& exchange, Selection selection, ConstMatrixView probabilities,
                        const LabelledField& validation, const ExecutionControl& control) {
    const std::vector<Index> labels = labels_of_all(validation);
    return exchange.judged(download(probabilities), [&](std::span<const float> numbers) {
        DenseMatrix all(static_cast<Index>(labels.size()), probabilities.columns);
        upload(numbers, all);
        return criterion_of(selection, all, labels, control);
    });
}

// Of each run; NaN where accuracy or loss selects its epoch, or where it is finished.
std::vector<double> criteria_at(ConstMatrixView scores, std::span<const RunRecord> runs,
                                const ExecutionControl& control, Workspace& workspace) {
    std::vector<double> found(runs.size(), std::numeric_limits<double>::quiet_NaN());
    const auto has_its_own = [](const RunRecord& run) {
        return is_criterion_of_its_own(run.selection) && !run.state->finished;
    };
    if (std::ranges::none_of(runs, has_its_own)) return found;
    const MatrixView probabilities = workspace.matrix(scores.rows, scores.columns);
    activate(Activation::softmax, scores, probabilities);
    const std::vector<DenseMatrix> of_runs = copies_of_runs(probabilities);
    for (std::size_t k = 0; k < runs.size(); ++k) {
        if (!has_its_own(runs[k])) continue;
        const auto& [state, validation, selection, class_counts] = runs[k];
        RowExchange* const exchange = exchange_of(validation->field.layout.get());
        found[k] = exchange != nullptr
                       ? criterion_of_all(*exchange, selection, of_runs[k], *validation, control)
                       : criterion_of(selection, of_runs[k], validation->labels, control);
    }
    return found;
}

// The average of the probabilities moves by a tenth of the way in each epoch; it begins with the first ones.
void follow(DenseMatrix& average, ConstMatrixView probabilities, int epoch, Workspace& workspace) {
    const MatrixView way = workspace.matrix(probabilities.rows, probabilities.columns);
    copy(probabilities, way);
    scale({-1.0F}, average, way, Write::add);
    scale({epoch == 1 ? 1.0F : 0.1F}, way, average, Write::add);
}

// Puts losses and right answers into the report; returns the criteria that are neither.
std::vector<double> validate(FitState& state, std::span<const RunRecord> runs, const Network& network,
                             const LabelledField& validation, const ExecutionControl& control,
                             Scratch& scratch) {
    std::vector<double> none(runs.size(), std::numeric_limits<double>::quiet_NaN());
    if (validation.total == 0 && !state.is_teacher()) return none;
    Workspace& workspace = scratch.for_validation();
    workspace.reset();
    Tape tape(workspace, control, false, validation.field.layout.get());
    Pass pass(tape, validation.field, put_on(tape, state.current, {}), std::nullopt);
    const Variable all_scores = network.scores(pass);
    if (state.is_teacher())
        follow(state.average, tape.value(softmax(tape, all_scores)), state.epoch, workspace);
    if (validation.total == 0) return none;
    const Variable scores = labelled_scores(tape, all_scores, validation);
    count_correct(tape.value(scores), validation.labels, number_at(scratch.report, correct_column));
    scratch.put(validation_loss_column,
                tape.value(cross_entropy(tape, scores, validation.labels, validation.weights)));
    return criteria_at(tape.value(scores), runs, control, workspace);
}

// The loss is that of the parameters before the step of the epoch, and no loss sees all of them: they are
// looked at, too.
void count_infinite_parameters(const FitState& state, Scratch& scratch) {
    std::vector<ConstMatrixView> matrices;
    if (state.is_teacher()) matrices.emplace_back(state.average);
    for (const TrainableMatrix& parameter : state.current)
        matrices.emplace_back(parameter.value);
    count_infinite(matrices, number_at(scratch.report, infinite_column));
}

EpochRecord record_of(int epoch, double rate, ConstMatrixView report, double criterion,
                      const LabelledField& validation) {
    EpochRecord record{.epoch = epoch, .rate = rate, .validation_selection = criterion};
    const std::vector<float> numbers = download(report);
    record.train_loss = static_cast<double>(numbers[train_loss_column]);
    record.validation_loss = std::numeric_limits<double>::quiet_NaN();
    if (validation.total > 0) {
        auto correct = static_cast<std::int64_t>(numbers[correct_column]);
        if (RowExchange* const exchange = exchange_of(validation.field.layout.get()))
            correct = exchange->total(correct);
        record.validation_loss = static_cast<double>(numbers[validation_loss_column]);
        record.validation_accuracy = static_cast<double>(correct) / static_cast<double>(validation.total);
    }
    const bool losses =
        std::isfinite(record.train_loss) && (validation.total == 0 || std::isfinite(record.validation_loss));
    if (losses && numbers[infinite_column] == 0.0F) return record;
    throw Diverged(fmt::format("training diverged at epoch {}: {} not finite; a smaller `rate` helps", epoch,
                               losses ? "its parameters are" : "its loss is"));
}

// The AUC of so many nodes is known up to its standard error, and an untrained network may rank them well by
// chance: of the epochs within one error of the best so far, the one with the lowest loss is kept. What falls
// behind as the best one rises gives way to that one.
bool has_better_auc(const FitState& state, const EpochRecord& record,
                    const std::vector<std::int64_t>& class_counts) {
    if (state.best_epoch == 0) return true;
    const double least = state.best_criterion - roc_auc_error(state.best_criterion, class_counts);
    const EpochRecord& kept = state.history[static_cast<std::size_t>(state.best_epoch) - 1];
    if (record.validation_selection < least) return false;
    return kept.validation_selection < least || record.validation_loss < kept.validation_loss;
}

// Whether the parameters of a run are the best so far, by its own rule and by the other one. Counts the
// epochs since something was better.
DenseMatrix select(const RunRecord& run, const EpochRecord& record, const FitOptions& options) {
    FitState& state = *run.state;
    const Selection selection = run.selection;
    const bool judged = !std::isnan(record.validation_loss);
    const bool better_accuracy = judged && record.validation_accuracy > state.best_accuracy;
    const bool better_loss = judged && record.validation_loss < state.best_loss;
    const bool better_criterion = judged && record.validation_selection > state.best_criterion;
    if (better_criterion) state.best_criterion = record.validation_selection;
    if (better_accuracy) state.best_accuracy = record.validation_accuracy;
    if (better_loss) state.best_loss = record.validation_loss;
    const bool by_loss = selection == Selection::loss;
    const bool better = is_criterion_of_its_own(selection) ? better_criterion : better_accuracy;
    state.epochs_without_better = better || better_loss ? 0 : state.epochs_without_better + 1;
    const bool by_auc = judged && selection == Selection::auc;
    const bool has_gained = by_auc ? has_better_auc(state, record, run.class_counts) : better;
    const bool is_best = (by_loss ? better_loss : has_gained) || !judged;
    const bool is_alternative = (by_loss ? better_accuracy : better_loss) || !judged;
    if (is_best) state.best_epoch = state.epoch;
    if (is_alternative) state.alternative_epoch = state.epoch;
    const bool out_of_patience =
        judged && options.patience > 0 && state.epochs_without_better >= options.patience;
    state.finished = state.epoch >= options.epochs || out_of_patience;
    DenseMatrix kept(1, keep_columns);
    upload(std::vector{is_best ? 1.0F : 0.0F, is_alternative ? 1.0F : 0.0F}, kept);
    return kept;
}

// In place: this happens in most epochs, and memory of its own would cost more than the copy.
void copy_chosen(const std::vector<TrainableMatrix>& from, std::vector<TrainableMatrix>& to,
                 ConstMatrixView kept, Keep column) {
    for (std::size_t k = 0; k < from.size(); ++k)
        copy_where(kept, column, from[k].value, to[k].value);
}

// Keeps the parameters of the runs that say so.
void keep_chosen(FitState& state, std::span<const DenseMatrix> of_runs, Scratch& scratch) {
    const auto any = [&](Keep column) {
        return std::ranges::any_of(of_runs,
                                   [&](const DenseMatrix& kept) { return download(kept)[column] != 0.0F; });
    };
    const bool any_best = any(keep_best);
    const bool any_alternative = any(keep_alternative);
    if (!any_best && !any_alternative) return;
    set_runs(std::vector<ConstMatrixView>(of_runs.begin(), of_runs.end()), scratch.kept);
    if (any_best) {
        copy_chosen(state.current, state.best, scratch.kept, keep_best);
        state.best_average = state.average;
    }
    if (any_alternative) copy_chosen(state.current, state.alternative, scratch.kept, keep_alternative);
}

// Judges the epoch of each run that is not finished yet. What the first of those says that diverged is kept.
void end_epoch(FitState& matrices, std::span<const RunRecord> runs, std::span<const double> criteria,
               const FitOptions& options, Scratch& scratch, std::string& failure) {
    const std::vector<DenseMatrix> reports = copies_of_runs(scratch.report);
    std::vector<DenseMatrix> kept(runs.size(), DenseMatrix(1, keep_columns));
    for (std::size_t k = 0; k < runs.size(); ++k) {
        FitState* const state = runs[k].state;
        if (state->finished) continue;
        state->epoch = matrices.epoch;
        try {
            const EpochRecord record = record_of(matrices.epoch, scheduled_rate(options, matrices.epoch),
                                                 reports[k], criteria[k], *runs[k].validation);
            kept[k] = select(runs[k], record, options);
            state->history.push_back(record);
        } catch (const Diverged& diverged) {
            state->finished = state->diverged = true;
            if (!failure.empty()) continue;
            failure =
                runs.size() > 1 ? fmt::format("seed {}: {}", state->seed, diverged.what()) : diverged.what();
        }
    }
    keep_chosen(matrices, kept, scratch);
}

}  // namespace

std::vector<Variable> put_on(Tape& tape, std::span<const TrainableMatrix> parameters,
                             std::span<DenseMatrix> gradients) {
    std::vector<Variable> variables;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const ConstMatrixView value = parameters[k].value;
        variables.push_back(gradients.empty() ? tape.constant(value) : tape.parameter(value, gradients[k]));
    }
    return variables;
}

std::vector<Index> labels_of_all(const LabelledField& labelled) {
    RowExchange* const exchange = exchange_of(labelled.field.layout.get());
    return exchange == nullptr ? labelled.labels : exchange->joined(labelled.labels);
}

RunRecord run_record(FitState& state, const LabelledField& validation, Selection asked) {
    const std::vector<Index> labels = labels_of_all(validation);
    RunRecord run{&state, &validation, usable_selection(asked, labels)};
    for (const Index label : labels) {
        const auto place = static_cast<std::size_t>(label);
        if (place >= run.class_counts.size()) run.class_counts.resize(place + 1, 0);
        ++run.class_counts[place];
    }
    return run;
}

void run_epochs(FitState& matrices, std::span<const RunRecord> runs, const Network& network,
                const LabelledField& train, const LabelledField& validation, const FitOptions& options,
                const ExecutionControl& control, int epochs) {
    Scratch scratch(matrices);
    RowExchange* const exchange = exchange_of(train.field.layout.get());
    const ExecutionControl before_step = until_agreement(exchange, control);
    const ExecutionControl after_step{control.threads, nullptr,
                                      nullptr};  // what has begun to change is finished
    const auto is_finished = [](const RunRecord& run) { return run.state->finished; };
    std::string failure;
    for (int done = 0; done < epochs && !std::ranges::all_of(runs, is_finished); ++done) {
        throw_if_any_is_stopped(exchange, control);
        ++matrices.epoch;
        try {
            train_epoch(matrices, network, train, options, before_step, scratch);
        } catch (const Interrupted&) {
            --matrices.epoch;  // it has left no trace
            throw;
        }
        const std::vector<double> criteria =
            validate(matrices, runs, network, validation, after_step, scratch);
        count_infinite_parameters(matrices, scratch);
        end_epoch(matrices, runs, criteria, options, scratch, failure);
        if (control.progress != nullptr) control.progress->advance(1);
    }
    if (!failure.empty()) throw Diverged(failure);
}

}  // namespace hwgcn
