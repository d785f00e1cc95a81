#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/reading_hints.hpp"
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
    bool directed = false;             ///< as the file says
    std::vector<std::string> columns;  ///< names of source, target and perhaps weight; empty: no header
    std::vector<std::string> notes;
};

/// What tells a header from an edge: the ids of the node table, where there is one.
struct IdKnowledge {
    bool is_there = false;                               ///< a node table
    std::function<bool(std::string_view)> has;           ///< whether a node has this id
    std::function<bool(std::string_view)> has_near_one;  ///< whether this may be an id misspelt
};

/// What the first record of an edge file settles.
struct EdgeHead {
    std::size_t source = 0;  ///< columns
    std::size_t target = 1;
    WeightColumn weights;
    bool directed = false;
    bool first_is_edge = false;       ///< rather than a header
    std::vector<std::string> header;  ///< where there is one
    std::vector<std::string> notes;
};

/// Moves `table`, at its beginning, to the first record. `text` has the first line of the file.
EdgeHead read_edge_head(CsvTable& table, std::string_view text, const CsvFiles& files,
                        const IdKnowledge& ids);

/// Reads an edge file whose ends must be nodes of the node table.
EdgeList parse_edge_list(std::string_view name, std::string_view text, const CsvFiles& files,
                         const KnownNodes& nodes);

/// Reads an edge file that comes without a node table: `ids`, empty at first, receives the ends of the edges.
EdgeList parse_edge_list_alone(std::string_view name, std::string_view text, const CsvFiles& files,
                               NameIndex& ids, const ExecutionControl& control = {});

}  // namespace hwgcn
