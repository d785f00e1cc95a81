#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwgcn/classic/classic_options.hpp"
#include "hwgcn/models/network_options.hpp"
#include "hwgcn/neighbor_weights/learn_weights.hpp"
#include "hwgcn/propagation/propagation.hpp"
#include "hwgcn/training/fit_options.hpp"

namespace hwgcn {

/// What a network multiplies with.
enum class OperatorKind {
    plain,         ///< S of the graph itself
    higher_order,  ///< P of the graph and the learned weights
};

/// How a method learns.
enum class MethodKind {
    network,    ///< by gradients, epoch by epoch
    classic,    ///< in a way of its own
    automatic,  ///< as the best of its candidates
};

/// All that a method is, down to the last setting.
struct MethodSettings {
    std::string method;   ///< "hwgcn"
    std::string network;  ///< "gcn": what it is trained as; a classic method's own name
    OperatorKind operator_kind = OperatorKind::plain;
    WeightOptions weights;  ///< for the higher-order operator
    PropagationOptions propagation;
    NetworkOptions shape;    ///< for networks
    FitOptions fit;          ///< for networks
    ClassicOptions classic;  ///< for classic methods
    /// What an automatic method chooses from (see choose_method), preferred ones first; nothing above is for
    /// it.
    std::vector<MethodSettings> candidates = {};
};

/// The number of orders: 1 on the plain graph.
int order_of(const MethodSettings& settings);

/// A method in words: "HWGCN of order 6", "HWGPR on the plain graph".
std::string method_label(const MethodSettings& settings);

/// A row of the method table.
struct MethodInfo {
    std::string name;         ///< "hwgcn"
    std::string title;        ///< "HWGCN"
    std::string description;  ///< one line
    MethodKind kind = MethodKind::network;
    bool uses_features = true;
    bool uses_graph = true;
    /// The weights of an undirected graph, not the operator of graph convolutions.
    bool takes_weights = false;
};
const std::vector<MethodInfo>& method_table();

/// The row of a method. Throws InputError for an unknown one, suggesting the nearest.
const MethodInfo& method_info(std::string_view method);

/// The published settings of a method. Those that were published per dataset follow the name of the dataset;
/// other datasets get Cora's. Throws InputError for an unknown method.
MethodSettings method_settings(std::string_view method, std::string_view dataset_name);

/// The settings that belong to a method as a whole: "operator".
const std::vector<Parameter<MethodSettings>>& method_parameters();

/// A setting of any of the tables (method, weights, propagation, network, training, classic) by the name of
/// its parameter.
struct Setting {
    std::string name;
    std::string text;
};

/// Applies settings in turn, to all candidates of an automatic method; those that they make equal are one.
/// Throws InputError for an unknown name or an unexpected text.
void apply_settings(MethodSettings& settings, const std::vector<Setting>& changes);

/// Candidates of an automatic method that came to be the same, whatever they are called, become one.
void merge_equal_candidates(MethodSettings& settings);

/// Every setting that has a bearing on the result, in a fixed order: the identity of a method, for hashes and
/// files.
std::vector<Setting> all_settings(const MethodSettings& settings);

}  // namespace hwgcn
