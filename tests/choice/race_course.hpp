#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hwgcn/dataset/synthetic.hpp"

#include "choice/race_rounds.hpp"

namespace hwgcn::race_test {

inline SyntheticOptions small() {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 3;
    options.vocabulary = 60;
    options.words = 8;
    return options;
}

inline MethodSettings candidate(const std::string& method, const std::vector<Setting>& changes = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(changes);
    return settings;
}

inline MethodSettings plain_gpr(const std::string& epochs) {
    return candidate("hwgpr", {{"operator", "plain"}, {"epochs", epochs}});
}

class CountingSink final : public ProgressSink {
  public:
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override { units_ += units; }
    void finish() override {}
    std::int64_t units() const { return units_; }

  private:
    std::atomic<std::int64_t> units_{0};
};

class StoppingInRound3 final : public ProgressSink {
  public:
    void start(std::string_view task, std::int64_t) override {
        last_round_ = task.find("round 3") != std::string_view::npos;
    }
    void advance(std::int64_t) override {
        if (last_round_) stop = true;
    }
    void finish() override {}

    std::atomic<bool> stop{false};

  private:
    std::atomic<bool> last_round_{false};
};

// A race among a few candidates on a small graph.
struct Course {
    PreparedGraph graph = prepare_graph(make_synthetic(small()));
    OperatorPool operators{graph};
    Split split = random_split(graph.dataset, {10, 90, 100, 1});
    std::vector<Trial> trials = plan_trials(graph.dataset, split, 5);
    std::vector<Index> labels;
    ChoiceLimits limits;
    Judge judge;
    bool many_labels = false;
    std::filesystem::path folder = {};
    std::vector<std::string> told = {};
    std::function<bool()> takes_best_so_far = {};

    Course() {
        for (const Index node : split.validation)
            labels.push_back(graph.dataset.labels[node]);
    }

    std::vector<Contender> run(const std::vector<MethodSettings>& candidates,
                               const ExecutionControl& control = {1}) {
        const ChoiceStore store(folder);
        told.clear();
        return race({graph, operators, trials, labels, 5, judge, limits, many_labels, store,
                     [this](const std::string& line) { told.push_back(line); }, takes_best_so_far},
                    candidates, control);
    }

    // As much work as a share of what training one candidate takes.
    void allow(double share, const MethodSettings& settings) {
        limits.budget = share * training_cost(graph, settings, split).work() / usual_budget;
    }
};

inline bool same_numbers(const DenseMatrix& a, const DenseMatrix& b) {
    return std::ranges::equal(a.numbers(), b.numbers());
}

}  // namespace hwgcn::race_test
