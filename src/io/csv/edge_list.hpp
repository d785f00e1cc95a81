#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/node_search.hpp"
#include "io/csv/table_source.hpp"
#include "io/csv/weight_column.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// Which end of an edge a column holds by its name, without regard to case, blanks and underscores: "from"
/// and "citing" are sources, "to" and "cited" are targets.
enum class EdgeEnd { unknown, source, target };
EdgeEnd end_called(std::string_view column);

/// So many records are looked at for what is said of the columns of an edge file.
inline constexpr int records_of_edge_head = 101;

/// What an edge file says.
struct EdgeList {
    std::vector<Edge> edges;
    std::vector<float> weights;        ///< per edge; empty: none
    bool weighted = false;             ///< a column holds weights
    bool directed = false;             ///< as the file says
    std::vector<std::string> columns;  ///< names of source, target and perhaps weight; empty: no header
    std::vector<std::string> notes;
};

/// What the first record of an edge file settles.
struct EdgeHead {
    std::size_t source = 0;  ///< columns
    std::size_t target = 1;
    WeightColumn weights;
    bool directed = false;
    std::vector<std::string> header;  ///< where there is one
    std::vector<std::string> notes;
};

/// What is wrong with a file that should say which nodes there are.
inline constexpr std::string_view no_edges = "has no edges, and there is no node table to say the nodes";

/// Reads what the first records settle: where the first one is a header, it is no record from now on.
EdgeHead read_edge_head(TableSource& text, const CsvFiles& files, NodeSearch& nodes);

/// Reads the records behind the head: calls take(edge, weight) for each, and `end_piece` after each piece.
/// What it gives has no edges.
EdgeList read_edges(
    TableSource& text, EdgeHead head, NodeSearch& nodes, const std::function<void(const Edge&, float)>& take,
    const std::function<void()>& end_piece = [] {});

/// Reads an edge file whose ends must be nodes of the node table.
EdgeList parse_edge_list(std::string_view name, std::string_view text, const CsvFiles& files,
                         const KnownNodes& nodes);

/// Reads an edge file that comes without a node table: `ids`, empty at first, receives the ends of the edges.
EdgeList parse_edge_list_alone(std::string_view name, std::string_view text, const CsvFiles& files,
                               NameIndex& ids, const ExecutionControl& control = {});

}  // namespace hwgcn
