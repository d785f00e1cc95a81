#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report_page.hpp"

namespace hwgcn {

/// The part of a graph that a person can look at in the page: nodes, and for each the members of its rings
/// that weigh most. Numbers are packed (see page/explorer.js, which unpacks them):
///   ids, predicted, label, confidence, part: of each node of the table; the first `focus` can be looked at
///   ring_nodes, ring_weight, ring_share: of each of these and ring 1..K, its members with a weight, their
///     sum and their share in the prediction; own_share, other_share: of the node itself, and of nodes in no
///     ring, which a network of several steps hears, too (`beyond`: whether any is)
///   neighbor, weight, share: of each member that is shown, ring after ring, min(ring_nodes, per_ring) each
/// Weights are logarithms in 16 bits, shares -1..1 in 16 bits. Adds to `notes` what was left out.
nlohmann::ordered_json explorer_json(const RunForReport& run, ConstMatrixView probabilities,
                                     const ExecutionControl& control, const ExplorerLimits& limits,
                                     std::vector<std::string>& notes);

}  // namespace hwgcn
