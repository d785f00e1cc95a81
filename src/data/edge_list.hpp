#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/data/readers.hpp"

#include "data/name_index.hpp"
#include "data/reading_hints.hpp"

namespace hwgcn {

/// What an edge file says.
struct EdgeList {
    std::vector<Edge> edges;
    std::vector<float> weights;  ///< per edge; empty: none
    bool directed = false;       ///< as the file says
    std::vector<std::string> notes;
};

/// Reads an edge file whose ends must be nodes of the node table.
EdgeList parse_edge_list(std::string_view name, std::string_view text, const CsvFiles& files,
                         const KnownNodes& nodes);

/// Reads an edge file that comes without a node table: `ids`, empty at first, receives the ends of the edges.
EdgeList parse_edge_list_alone(std::string_view name, std::string_view text, const CsvFiles& files,
                               NameIndex& ids, const ExecutionControl& control = {});

}  // namespace hwgcn
