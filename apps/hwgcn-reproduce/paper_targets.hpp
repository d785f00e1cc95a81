#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace hwgcn {

// The numbers of "Higher-order Weighted Graph Convolutional Networks" (arXiv 1911.04129). Datasets and
// methods are named in lower case: "cora", "hwgcn". A setting is "fixed" or "random:N" with N training nodes
// per class. Accuracies are percent. A lookup gives nothing where the paper has no number.

inline constexpr std::array<std::string_view, 3> paper_datasets{"cora", "citeseer", "pubmed"};
inline constexpr std::array<std::string_view, 4> paper_settings{"fixed", "random:20", "random:10",
                                                                "random:5"};

/// The methods that the paper compares in a setting, in its order; none for an unknown setting.
std::vector<std::string_view> paper_methods(std::string_view setting);

std::optional<double> paper_accuracy(std::string_view dataset, std::string_view method,
                                     std::string_view setting);

/// GCN with 1 to 4 layers: Cora, random:20.
std::optional<double> paper_gcn_depth(int layers);

/// The share (percent) of the members of all rings of an order, 2 to 8, whose weight is below 1e-5, 1e-4,
/// 1e-3, 1e-2, 1e-1, or above.
using WeightStatistics = std::array<double, 6>;
std::optional<WeightStatistics> paper_weight_statistics(std::string_view dataset, int order);

/// The highest order K that the published HWGCN uses.
std::optional<int> published_order(std::string_view dataset);

/// What the published recipe gives when it is followed to the letter, over 100 seeds ("fixed") or 50 splits:
/// known for "gcn" and "hwgcn".
std::optional<double> reference_accuracy(std::string_view dataset, std::string_view method,
                                         std::string_view setting);

/// The best of all methods that the paper has in a setting.
std::optional<double> paper_best(std::string_view dataset, std::string_view setting);

/// What an independent measurement found for the recipes that go beyond the paper, under the paper's rule of
/// selection: "hwgcn-wide", "hwgpr" and, each on one graph, the recipes of random propagation; also
/// "hwgpr+self-training" and the like.
std::optional<double> recipe_accuracy(std::string_view dataset, std::string_view recipe,
                                      std::string_view setting);

/// Stronger methods with the names under which they were published, in the order of their years.
std::vector<std::string_view> stronger_methods();

/// Their accuracy as their authors report it: known for "fixed".
std::optional<double> authors_accuracy(std::string_view dataset, std::string_view method,
                                       std::string_view setting);

}  // namespace hwgcn
