#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// What a folder of shards is made of.
namespace shard_file {

inline constexpr std::string_view list = "shards.json";
inline constexpr std::string_view format = "hwgcn shards";
inline constexpr int version = 3;
inline constexpr int version_without_checksum = 2;  ///< of the list itself; read, with a note
inline constexpr std::string_view checksum = "sha256";
inline constexpr std::string_view lock = "shards.lock";     ///< while they are written
inline constexpr std::string_view building = "shards.new";  ///< a folder: those that are not whole yet
inline constexpr std::string_view seen = ".seen-by-all-";   ///< a sign of hwgcn-mpi, for a moment

// In every part, for its own nodes; columns are numbers of the whole dataset.
inline constexpr std::string_view neighbor_offsets = "neighbors_offsets.npy";
inline constexpr std::string_view neighbors = "neighbors.npy";  ///< ascending; the node itself for a loop
inline constexpr std::string_view neighbor_weights = "neighbors_weights.npy";  ///< where edges have weights
inline constexpr std::string_view arc_offsets =
    "arcs_offsets.npy";  ///< of a directed graph: where edges lead
inline constexpr std::string_view arcs = "arcs.npy";
inline constexpr std::string_view arc_weights = "arcs_weights.npy";
inline constexpr std::string_view feature_offsets = "features_offsets.npy";
inline constexpr std::string_view feature_columns = "features_columns.npy";
inline constexpr std::string_view feature_values = "features_values.npy";
inline constexpr std::string_view labels = "labels.npy";  ///< class, -1 where it is not known
inline constexpr std::string_view split = "split.npy";    ///< where one comes with the data: 0, or 1 + list
inline constexpr std::string_view ids = "ids.txt";        ///< one per line, where they are not the numbers

inline constexpr std::array<std::string_view, 12> in_parts = {
    neighbor_offsets, neighbors,       neighbor_weights, arc_offsets, arcs,  arc_weights,
    feature_offsets,  feature_columns, feature_values,   labels,      split, ids};

}  // namespace shard_file

/// "part-0007"
std::string shard_part_name(Index part);
bool is_shard_part_name(std::string_view name);

/// Of a folder that has parts of shards, or some that are being written, but no list: that this is so, and
/// what to do. Otherwise empty.
std::string unfinished_shards(const std::filesystem::path& folder);

/// Parts are runs of whole blocks: about so many at most.
inline constexpr Index most_shard_parts = 256;

/// The first block of each part, and the number of blocks at the end.
std::vector<Index> shard_part_bounds(Index blocks);

}  // namespace hwgcn
