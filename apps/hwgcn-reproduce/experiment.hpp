#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "cells.hpp"
#include "runs/run_journal.hpp"

namespace hwgcn::experiments {

/// What to repeat, and how much of it.
struct Plan {
    std::vector<std::string> datasets;
    std::vector<std::string> methods;   ///< empty: those of the table
    std::vector<std::string> settings;  ///< empty: all of the experiment
    int runs = 0;       ///< 0: as many as in the paper, 100 on the fixed split and 50 on random ones
    int max_order = 8;  ///< of the experiments that vary the order
    std::uint64_t first_seed = 0;  ///< of the first run; each further one has the next
    std::vector<Setting> changes;  ///< departures from the published settings
    bool finished_only = false;    ///< trains nothing
};

/// Where experiments run: one dataset at a time is in memory, and finished runs are in the journal.
class ExperimentRunner {
  public:
    using Load = std::function<Dataset(const std::string& name)>;

    ExperimentRunner(Load load, const WeightCache* cache, RunJournal& journal,
                     const ExecutionControl& control, const Plan& plan);

    const PreparedGraph& graph(const std::string& dataset);

    /// Trains the methods on the splits of a setting: "fixed", or "random:20" and the like. A plan that
    /// trains nothing gets the finished runs.
    std::vector<MethodResult> run(const std::string& dataset, const std::vector<AskedMethod>& methods,
                                  const std::string& setting, int runs);

    /// Those of the runs that are in the journal, with seeds from `first_seed` on.
    std::vector<MethodResult> finished(const std::string& dataset, const std::vector<AskedMethod>& methods,
                                       const std::string& setting, int runs, std::uint64_t first_seed);

    /// The same with a first seed of its own.
    std::vector<MethodResult> run(const std::string& dataset, const std::vector<AskedMethod>& methods,
                                  const std::string& setting, int runs, std::uint64_t first_seed);

    /// A dataset that was made and not loaded; its weights stay out of the cache, and `notes` has nothing
    /// about runs on it.
    void use(const std::string& name, Dataset dataset);

    /// Gives the memory of the operators back that were made so far.
    void forget_operators();

    /// Weights of the orders 2..K as published, for their statistics.
    LearnedWeights weights(const std::string& dataset, const WeightOptions& options);

    const std::vector<std::string>& notes() const { return notes_; }

  private:
    struct WantedRuns {
        std::string setting;
        int runs;
        std::uint64_t first_seed;
        bool finished_only;
    };
    std::vector<MethodResult> evaluate_on(const std::string& dataset, const std::vector<AskedMethod>& methods,
                                          const WantedRuns& wanted);
    const AskedMethod& feasible_method(const AskedMethod& method);

    Load load_;
    const WeightCache* cache_;
    RunJournal* journal_;
    ExecutionControl control_;
    std::uint64_t first_seed_;
    bool finished_only_;
    std::string name_;
    std::map<std::string, AskedMethod> feasible_;  // on this graph, by the hash of what was asked for
    bool made_ = false;
    std::unique_ptr<PreparedGraph> graph_;
    std::unique_ptr<OperatorPool> operators_;
    std::vector<std::string> notes_;
};

struct Figure {
    std::string name;  ///< of the file, without ".svg"
    std::string svg;
};

/// What came out of an experiment.
struct Outcome {
    std::vector<ResultCell> cells;
    std::string text;  ///< Markdown: tables, and what they say
    std::vector<Figure> figures;
};

/// A row of a table that is made of several methods, or of a method with other settings.
struct TableRow {
    std::string name;
    std::vector<std::string> methods;
};

/// An experiment of the paper, as `hwgcn reproduce` knows it.
struct Experiment {
    std::string target;
    std::string title;
    std::function<Outcome(ExperimentRunner&, const Plan&)> run;
    std::vector<std::string> varied = {};    ///< settings that it has its own values for
    std::string dataset = {};                ///< the only one it is about; empty: any
    std::vector<std::string> datasets = {};  ///< those it knows; empty: the paper's
    bool published = true;                   ///< in the paper
    std::vector<std::string> methods = {};   ///< those that it trains; empty: all of the table
    std::vector<std::string> settings =
        {};                           ///< among which one can choose; empty: there is nothing to choose
    std::vector<TableRow> rows = {};  ///< where methods are asked for by these names
};

// One file each.
Experiment depth_of_gcn();       // Table 1
Experiment random_splits();      // the table of random splits
Experiment fixed_split();        // the table of the fixed split
Experiment number_of_orders();   // Figures 2 and 6-8
Experiment matrix_powers();      // Figures 9-11
Experiment weight_statistics();  // the appendix
Experiment beyond_the_paper();   // recipes that go further
Experiment other_graphs();       // the default, on graphs that are not in the paper, too
Experiment where_it_helps();     // what the learned operator adds, on synthetic graphs of many kinds

/// Those of the paper, in its order, and what goes further.
std::vector<Experiment> all_experiments();

// What they share.

int runs_of(const Plan& plan, const std::string& setting);

/// Those of the settings that the plan asks for.
std::vector<std::string> chosen_settings(const Plan& plan, const std::vector<std::string>& settings);

/// Applies what the method, or one of its candidates, reads.
void apply_readable(AskedMethod& method, const std::vector<Setting>& changes);

/// The published settings of a method, with those of the plan's changes that it reads.
AskedMethod settings_of(const Plan& plan, const std::string& method, const std::string& dataset);

/// Adds a cell of a table from the runs of a method, `asked` of which were asked for; none where it has none.
void add_cell(std::vector<ResultCell>& cells, const MethodResult& result, const std::string& dataset,
              const std::string& setting, std::optional<double> paper, int asked);

/// "hwgcn"
const std::string& method_of(const MethodResult& result);

/// The result of a method; nothing where it did not run.
const MethodResult* find_result(const std::vector<MethodResult>& results, const std::string& method);

/// What `result` gains over `other` on the runs that both have, and the interval of that: "+1.37",
/// "+1.02 .. +1.72"; dashes where there is nothing to compare.
std::vector<std::string> gain_cells(const MethodResult& result, const MethodResult& other);

/// "fixed split", "20 per class"
std::string setting_title(const std::string& setting);

/// "Cora"
std::string dataset_title(const std::string& dataset);

/// "HWGCN"
std::string method_title(const std::string& method);

}  // namespace hwgcn::experiments
