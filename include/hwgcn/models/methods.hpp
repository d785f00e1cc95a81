#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/setting.hpp"
#include "hwgcn/methods/method_info.hpp"

namespace hwgcn {

/// What stands for the graph.
enum class OperatorKind {
    plain,         ///< its edges alone
    higher_order,  ///< its edges and the learned weights
    in,            ///< the edges that lead to a node
    out,           ///< the edges that lead from it
};

const std::vector<MethodInfo>& method_table();

/// The row of a method. Throws InputError for an unknown one, suggesting the nearest.
const MethodInfo& method_info(std::string_view method);

/// The parameters that a method has, in a fixed order: of the operator, its own, of training. Some are read
/// only under a condition.
const std::vector<ParameterInfo>& parameters_of(std::string_view method);

// What the stages of a method read of its settings.
struct WeightOptions;
struct PropagationOptions;
struct FitOptions;
struct MethodOptions;

/// A method with a value for each of its parameters: texts, as they come in and are listed, and the options
/// of each stage, which are read from the texts when these change.
class MethodSettings {
  public:
    /// As published. What was published per dataset follows the name of the dataset; other datasets get
    /// Cora's. Throws InputError for an unknown method.
    MethodSettings(std::string_view method, std::string_view dataset_name);

    /// The method that listed settings stand for (see listed_settings). What it does not have, as runs before
    /// version 0.2 list it, was without effect: it is passed over where `lenient`, and an InputError
    /// otherwise.
    static MethodSettings from_listed(const std::vector<Setting>& listed, std::string_view dataset_name,
                                      bool lenient);

    const std::string& method() const { return method_; }

    /// What is trained: methods of the same network and effective settings are the same.
    const std::string& network() const;

    /// The value of one of the method's parameters.
    const std::string& value(std::string_view parameter) const;

    /// Whether the method has the parameter, and reads it with the values that the others have.
    bool reads(std::string_view parameter) const;

    /// The settings that have a bearing on the result: those that are read, in the order of `parameters_of`.
    std::vector<Setting> effective() const;

    /// Sets several parameters at once; another order keeps the shares of its rings, the last one for further
    /// orders. Throws UnreadSetting for what the method does not read with these values, InputError for an
    /// unexpected text; nothing is changed then.
    void apply(const std::vector<Setting>& changes);

    /// Notes that these were asked for: what fits other defaults to the data leaves them alone.
    void mark_given(const std::vector<Setting>& changes);
    bool is_given(std::string_view parameter) const;

    /// Those of the changes that the method reads once they are applied.
    std::vector<Setting> read_among(const std::vector<Setting>& changes) const;

    // The options of each stage.
    OperatorKind operator_kind() const;
    const WeightOptions& weights() const;
    const PropagationOptions& propagation() const;
    const FitOptions& fit() const;
    const MethodOptions& options() const { return *options_; }

  private:
    void set(const std::vector<Setting>& changes);
    const std::string* find(std::string_view parameter) const;

    std::string method_;
    std::vector<Setting> settings_;  // one per parameter of the method
    std::shared_ptr<const MethodOptions> options_;
    std::vector<std::string> given_ = {};  // names
};

/// A setting for a method that does not read it. The message names what it reads.
class UnreadSetting : public InputError {
  public:
    using InputError::InputError;
};

/// How far an automatic choice goes.
enum class Effort {
    quick,   ///< the cheap candidates alone
    normal,  ///< all, within the budget
    high,    ///< twice the budget again and again, as long as the best one gains more than its standard error
};

/// Whether an automatic choice may take the average of several candidates.
enum class Averaging {
    automatic,  ///< with many labels, where it is better than the best one
    off,
};

/// What an automatic choice may take. Budget and memory are fixed numbers, so that the choice is the same on
/// every machine.
struct ChoiceLimits {
    double budget = 1;  ///< work, as a multiple of the usual: at most four minutes on two cores
    Effort effort = Effort::normal;
    double memory = 4;  ///< GB: candidates that need more are left out
    /// Seconds, after which the best candidate so far is taken; 0: as long as it takes. The only limit that
    /// depends on the machine.
    double stop_after = 0;
    Averaging average = Averaging::automatic;

    bool operator==(const ChoiceLimits&) const = default;
};

/// A method to be chosen among several, by how they do on held-out labels (see choose_method).
struct Automatic {
    std::vector<MethodSettings> candidates;  ///< preferred ones first
    /// Candidates, too, where the dataset has no features (see feasible_candidates).
    std::vector<MethodSettings> without_features = {};
    /// Candidates, too, where many nodes have labels (see choose_method).
    std::vector<MethodSettings> with_many_labels = {};
    /// Candidates, too, where few nodes have labels and there are validation nodes, which stop them in time.
    std::vector<MethodSettings> with_validation = {};
    ChoiceLimits limits = {};
    std::vector<std::string> notes = {};  ///< on candidates that a setting rules out

    /// All of these, for who changes every candidate or looks at it.
    std::array<std::vector<MethodSettings>*, 4> lists() {
        return {&candidates, &without_features, &with_many_labels, &with_validation};
    }
    std::array<const std::vector<MethodSettings>*, 4> lists() const {
        return {&candidates, &without_features, &with_many_labels, &with_validation};
    }
};

/// What can be trained: a method, or the best of several.
using AskedMethod = std::variant<MethodSettings, Automatic>;

/// The name, the title and the description of the automatic choice: "auto".
const MethodInfo& automatic_info();

/// The rows of everything that can be asked for by name.
std::vector<MethodInfo> askable_methods();

/// The published settings of the method called `name`, or the candidates of "auto". Throws InputError for an
/// unknown name.
AskedMethod asked_method(std::string_view name, std::string_view dataset_name);

/// "hwgcn", or "auto".
const std::string& name_of(const AskedMethod& method);

/// Applies settings to all of the methods, or all their candidates, that read them. Throws UnreadSetting for
/// one that none of them reads. Candidates that come to be the same are one.
void apply_settings(std::vector<AskedMethod>& methods, const std::vector<Setting>& changes);
void apply_settings(AskedMethod& method, const std::vector<Setting>& changes);

/// Candidates that came to be the same, whatever they are called, become one.
void merge_equal_candidates(std::vector<MethodSettings>& candidates);

/// The number of orders: 1 on the plain graph.
int order_of(const MethodSettings& settings);

/// A method in words: "HWGCN of order 6", "HWGPR on the plain graph".
std::string method_label(const MethodSettings& settings);

/// The effective settings with the names of method and network: what run.json and --json show. Those of
/// candidates are called candidate_1.hidden and so on.
std::vector<Setting> listed_settings(const AskedMethod& method);

/// Raised when the same settings would give other numbers than before.
inline constexpr int results_version = 2;

/// SHA-256 (hex) of effective settings, and of the version of the program's results that they belong to. A
/// method that is added later, or a parameter of another method, changes nothing here.
std::string settings_hash(const AskedMethod& method);
std::string settings_hash(const std::vector<Setting>& listed, int version = results_version);

}  // namespace hwgcn
