#include "models/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "models/class_weights.hpp"
#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "operators/propagation.hpp"
#include "tensor/devices.hpp"
#include "training/fit_options.hpp"
#include "training/kept_fields.hpp"

namespace hwgcn {
namespace {

// Of the memory that is left, what runs may take: drivers need some, too.
constexpr double share_of_memory = 0.9;

// Runs whose lists are as long as each other's fit into one batch.
using BatchShape = std::tuple<std::size_t, std::size_t, bool>;

BatchShape batch_shape(const PreparedGraph& graph, const Split& split) {
    const bool weighted = !class_weights_for(graph.label_weights.of_classes, graph.dataset, split).empty();
    return {split.train.size(), split.validation.size(), weighted};
}

// Tells the epochs of a batch as epochs of its runs; a second attempt tells what the first had not.
class BatchProgress final : public ProgressSink {
  public:
    explicit BatchProgress(ProgressSink* target) : target_(target) {}

    void begin(std::size_t runs) {
        runs_ = static_cast<std::int64_t>(runs);
        done_ = 0;
    }
    void end(int epochs) {
        tell(runs_ * epochs);
        told_ = 0;
    }

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t epochs) override { tell(done_ += epochs * runs_); }
    void finish() override {}

  private:
    void tell(std::int64_t units) {
        if (target_ != nullptr && units > told_) target_->advance(units - told_);
        told_ = std::max(told_, units);
    }

    ProgressSink* target_;
    std::int64_t runs_ = 0;
    std::int64_t done_ = 0;
    std::int64_t told_ = 0;
};

// The runs of one shape, trained batch by batch.
class Batches {
  public:
    Batches(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
            std::span<const SeededSplit> runs, Extent extent, const ExecutionControl& control)
        : graph_(graph),
          propagation_(propagation),
          settings_(settings),
          runs_(runs),
          extent_(extent),
          control_(control),
          progress_(control.progress) {}

    void train(std::span<const std::size_t> numbers, const ModelFinished& finished) {
        std::size_t most = prepared(numbers.first(1)).front()->most_side_by_side(numbers.size(), control_);
        for (std::size_t begin = 0; begin < numbers.size();) {
            const std::size_t count = std::min(most, numbers.size() - begin);
            try {
                const std::vector<std::string> notes = notes_on_memory(most, numbers.size());
                train_batch(numbers.subspan(begin, count), notes, finished);
                begin += count;
            } catch (const gpu::OutOfMemory&) {
                if (count == 1) throw;
                most = (count + 1) / 2;
            }
        }
    }

  private:
    using Trainings = std::vector<std::unique_ptr<NetworkTraining>>;

    Trainings prepared(std::span<const std::size_t> numbers) {
        Trainings trainings;
        notes_.assign(numbers.size(), {});
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const SeededSplit& run = runs_[numbers[k]];
            trainings.push_back(std::make_unique<NetworkTraining>(
                graph_, propagation_, settings_, *run.split, run.seed, Checkpoints{}, notes_[k], extent_));
        }
        return trainings;
    }

    std::vector<std::string> notes_on_memory(std::size_t most, std::size_t all) const {
        if (most >= all) return {};
        return {fmt::format("at most {} of {} runs were trained at a time: the device has no memory for more",
                            most, all)};
    }

    void train_batch(std::span<const std::size_t> numbers, const std::vector<std::string>& notes,
                     const ModelFinished& finished) {
        const auto started = std::chrono::steady_clock::now();
        const Trainings trainings = prepared(numbers);
        progress_.begin(numbers.size());
        notes_.front().insert(notes_.front().end(), notes.begin(), notes.end());
        const auto hand_over = [&] {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started;
            std::vector<FinishedModel> models;
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                if (!trainings[k]->finished() || trainings[k]->diverged()) continue;
                models.push_back({numbers[k], trainings[k]->model(),
                                  passed.count() / static_cast<double>(numbers.size())});
                models.back().model.notes = std::move(notes_[k]);
                add_statistics(graph_, propagation_, settings_, models.back().model.parameters,
                               {.threads = control_.threads});  // finished, whatever stops the others
            }
            if (!models.empty()) finished(std::move(models));
        };
        try {
            NetworkTraining::finish_side_by_side(trainings, {control_.threads, &progress_, control_.stop});
        } catch (const Interrupted&) {
            hand_over();
            throw;
        } catch (const Diverged& failure) {
            hand_over();
            throw Diverged(fmt::format("{}: {}", method_label(settings_), failure.what()));
        }
        progress_.end(settings_.fit().epochs);
        hand_over();
    }

    const PreparedGraph& graph_;
    const Propagation& propagation_;
    const MethodSettings& settings_;
    std::span<const SeededSplit> runs_;
    Extent extent_;
    const ExecutionControl& control_;
    BatchProgress progress_;
    std::vector<std::vector<std::string>> notes_ = {};  // of each run of a batch
};

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

std::size_t NetworkTraining::most_side_by_side(std::size_t wanted, const ExecutionControl& control) const {
    if (wanted == 1) return 1;
    const LabelledField train = train_field(control);
    const LabelledField validation = validation_field();
    gpu::KeptLists lists(*device_);
    for (const LabelledField* const labelled : {&train, &validation}) {
        keep_field(lists, labelled->field);
        keep_labels(lists, {labelled, 1});
    }
    FitState trial = state_;
    FitState* const state = &trial;
    FitOptions one_epoch = fit_;
    one_epoch.epochs = trial.epoch + 1;
    device_->release_scratch();
    device_->memory().start_watch();
    continue_side_by_side({&state, 1}, *network_, {&train, 1}, {&validation, 1}, one_epoch,
                          {control.threads, nullptr, control.stop}, *device_);
    const gpu::MemoryUse& memory = device_->memory();
    const auto used = static_cast<double>(memory.used());  // what all runs share
    const double each = std::max(static_cast<double>(memory.most()) - used, 1.0);
    const double left = static_cast<double>(memory.limit()) - used;
    const double most =
        std::clamp(share_of_memory * left / each, 1.0, static_cast<double>(gpu::SideBySide::most_runs));
    return std::min(wanted, static_cast<std::size_t>(most));
}

void NetworkTraining::finish_side_by_side(std::span<const std::unique_ptr<NetworkTraining>> runs,
                                          const ExecutionControl& control) {
    const NetworkTraining& front = *runs.front();
    std::vector<LabelledField> train;
    std::vector<LabelledField> validation;
    train.push_back(front.train_field(control));
    validation.push_back(front.validation_field());
    std::vector<FitState*> states{&runs.front()->state_};
    for (const std::unique_ptr<NetworkTraining>& run : runs.subspan(1)) {
        train.push_back(
            run->labels_in(train.front(), run->split_->train, run->graph_->label_weights.of_nodes));
        validation.push_back(run->labels_in(validation.front(), run->split_->validation, {}));
        states.push_back(&run->state_);
    }
    gpu::KeptLists lists(*front.device_);
    for (const std::vector<LabelledField>* const fields : {&train, &validation}) {
        keep_field(lists, fields->front().field);
        keep_labels(lists, *fields);
    }
    continue_side_by_side(states, *front.network_, train, validation, front.fit_, control, *front.device_);
}

bool trains_side_by_side(const PreparedGraph& graph, const MethodSettings& settings) {
    if (is_classic(settings) || graph.layout || !settings.reads("device")) return false;
    const FitOptions& fit = settings.fit();
    return resolve_device(fit.device).has_value() &&
           can_train_side_by_side(*network_for(graph, settings), fit);
}

void train_side_by_side(const PreparedGraph& graph, const Propagation& propagation,
                        const MethodSettings& settings, std::span<const SeededSplit> runs, bool same_nodes,
                        const ModelFinished& finished, const ExecutionControl& control) {
    std::map<BatchShape, std::vector<std::size_t>> by_shape;
    for (std::size_t k = 0; k < runs.size(); ++k) {
        check_trainable(graph, settings, *runs[k].split);
        by_shape[batch_shape(graph, *runs[k].split)].push_back(k);
    }
    Batches batches(graph, propagation, settings, runs, same_nodes ? Extent::as_needed : Extent::all_nodes,
                    control);
    for (const auto& [shape, numbers] : by_shape)
        batches.train(numbers, finished);
}

}  // namespace hwgcn
