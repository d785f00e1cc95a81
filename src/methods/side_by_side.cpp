#include "hwgcn/methods/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "methods/method_table.hpp"
#include "methods/network_training.hpp"
#include "training/kept_fields.hpp"

namespace hwgcn {
namespace {

// Of the memory that is left, what runs may take: drivers need some, too.
constexpr double share_of_memory = 0.9;

// Runs whose lists are as long as each other's fit into one batch.
using Shape = std::tuple<std::size_t, std::size_t, bool>;

Shape shape_of(const PreparedGraph& graph, const Split& split) {
    const bool weighted = !class_weights_for(graph.class_weights, graph.dataset, split).empty();
    return {split.train.size(), split.validation.size(), weighted};
}

}  // namespace

// Labels of its own for a field that another run has.
LabelledField NetworkTraining::labels_in(const LabelledField& shared, const std::vector<Index>& nodes,
                                         const std::vector<float>& own) const {
    LabelledField result;
    result.total = shared.total;
    result.among_others = shared.among_others;
    if (shared.among_others) {
        result.rows = nodes;
        for (const Index node : nodes)
            result.labels.push_back(graph_->dataset.labels[node]);
    } else {
        result.labels = shared.labels;  // the nodes are the same
    }
    result.weights = weights_of(result, nodes, own);
    const bool alike =
        result.labels.size() == shared.labels.size() && result.weights.size() == shared.weights.size();
    if (!alike) throw std::logic_error("runs side by side have as many labels as each other");
    return result;
}

// An epoch of one run alone tells what each takes.
std::size_t NetworkTraining::most_side_by_side(const LabelledField& train, const LabelledField& validation,
                                               std::size_t wanted, const ExecutionControl& control) const {
    gpu::KeptLists labels(*device_);
    keep_labels(labels, {&train, 1});
    keep_labels(labels, {&validation, 1});
    FitState trial = state_;
    FitState* const state = &trial;
    FitOptions one_epoch = fit_;
    one_epoch.epochs = trial.epoch + 1;
    device_->start_watch();
    continue_side_by_side({&state, 1}, *network_, {&train, 1}, {&validation, 1}, one_epoch,
                          {control.threads, nullptr, control.stop}, *device_);
    const auto each = static_cast<double>(device_->most_used_bytes() - device_->used_bytes());
    const auto left = static_cast<double>(device_->memory_bytes() - device_->used_bytes());
    const double most = std::max(1.0, share_of_memory * left / std::max(each, 1.0));
    return std::min(wanted, static_cast<std::size_t>(most));
}

void NetworkTraining::finish_side_by_side(std::span<NetworkTraining* const> runs, const Finished& finished,
                                          const ExecutionControl& control) {
    const NetworkTraining& front = *runs.front();
    std::vector<LabelledField> train;
    std::vector<LabelledField> validation;
    train.push_back(front.train_field(control));
    validation.push_back(front.validation_field());
    std::vector<FitState*> states{&runs.front()->state_};
    for (NetworkTraining* const run : runs.subspan(1)) {
        train.push_back(run->labels_in(train.front(), run->split_->train, run->graph_->label_weights));
        validation.push_back(run->labels_in(validation.front(), run->split_->validation, {}));
        states.push_back(&run->state_);
    }
    gpu::KeptLists fields(*front.device_);
    keep_field(fields, train.front().field);
    keep_field(fields, validation.front().field);
    std::size_t most = front.most_side_by_side(train.front(), validation.front(), runs.size(), control);
    for (std::size_t begin = 0; begin < runs.size();) {
        const std::size_t count = std::min(most, runs.size() - begin);
        const std::span own_train = std::span(train).subspan(begin, count);
        const std::span own_validation = std::span(validation).subspan(begin, count);
        try {
            gpu::KeptLists labels(*front.device_);
            keep_labels(labels, own_train);
            keep_labels(labels, own_validation);
            continue_side_by_side(std::span(states).subspan(begin, count), *front.network_, own_train,
                                  own_validation, front.fit_, control, *front.device_);
        } catch (const gpu::OutOfMemory&) {
            if (count == 1) throw;
            most = (count + 1) / 2;
            continue;
        }
        finished(begin, begin + count);
        begin += count;
        if (begin == runs.size()) break;
        std::swap(train[begin].field, own_train.front().field);  // its lists stay where they are
        std::swap(validation[begin].field, own_validation.front().field);
    }
}

bool trains_side_by_side(const PreparedGraph& graph, const MethodSettings& settings) {
    if (is_classic(settings) || graph.partition || !settings.reads("device")) return false;
    const FitOptions fit = settings.fit();
    return resolve_device(fit.device).has_value() &&
           can_train_side_by_side(*network_for(graph, settings), fit);
}

void train_side_by_side(const PreparedGraph& graph, const Propagation& propagation,
                        const MethodSettings& settings, std::span<const SeededSplit> runs, bool same_nodes,
                        const ModelFinished& finished, const ExecutionControl& control) {
    std::map<Shape, std::vector<std::size_t>> by_shape;
    for (std::size_t k = 0; k < runs.size(); ++k) {
        check_trainable(graph, settings, *runs[k].split);
        by_shape[shape_of(graph, *runs[k].split)].push_back(k);
    }
    using Clock = std::chrono::steady_clock;
    for (const auto& [shape, numbers] : by_shape) {
        std::vector<std::unique_ptr<NetworkTraining>> trainings;
        std::vector<NetworkTraining*> pointers;
        std::vector<std::vector<std::string>> notes(numbers.size());
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const SeededSplit& run = runs[numbers[k]];
            trainings.push_back(std::make_unique<NetworkTraining>(
                graph, propagation, settings, *run.split, run.seed, Checkpoints{}, notes[k],
                same_nodes ? Extent::as_needed : Extent::all_nodes));
            pointers.push_back(trainings.back().get());
        }
        Clock::time_point started = Clock::now();
        const auto pass_on = [&](std::size_t begin, std::size_t end) {
            const std::chrono::duration<double> passed = Clock::now() - started;
            std::vector<FinishedModel> models;
            for (std::size_t k = begin; k < end; ++k) {
                models.push_back(
                    {numbers[k], trainings[k]->model(), passed.count() / static_cast<double>(end - begin)});
                models.back().model.notes = std::move(notes[k]);
            }
            finished(std::move(models));
            started = Clock::now();
        };
        try {
            NetworkTraining::finish_side_by_side(pointers, pass_on, control);
        } catch (const Diverged& failure) {
            throw Diverged(fmt::format("{}: {}", method_label(settings), failure.what()));
        }
    }
}

}  // namespace hwgcn
