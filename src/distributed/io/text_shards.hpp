#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"

#include "distributed/graph/own_neighbors.hpp"
#include "distributed/peers/peers.hpp"
#include "io/shards/shard_folder.hpp"

namespace hwgcn {

/// How tables are cut into shards by several processes.
struct TextShardOptions {
    std::filesystem::path out;                       ///< a folder that all processes see
    Index block_size = 0;                            ///< 0: `usual_block_size`
    Scale scale = Scale::automatic;                  ///< of the features
    std::size_t piece_bytes = std::size_t{4} << 20;  ///< of a file that a process reads at a time
    std::int64_t memory = 0;                         ///< bytes of edges and cells; 0: any number
    std::string order = "keep";                      ///< its name
    FindOrder find_order = {};                       ///< empty: the order of the data
    OldShards old = OldShards::replaced;             ///< what becomes of shards that are there
};

/// What was written.
struct TextShards {
    std::string name;  ///< of the dataset
    Index nodes = 0;
    Index blocks = 0;
    std::int64_t pairs = 0;          ///< connected nodes, each pair once; loops, too
    double share_within_blocks = 1;  ///< of the neighbors
    std::int64_t bytes = 0;          ///< of text
    std::vector<std::string> notes;  ///< what the readers noticed
};

/// Reads tables that may be larger than the memory of a machine and writes them as shards, in the order of
/// the data or in another one. Each process reads a range of each file, keeps the ids of its hash and writes
/// its parts: what it holds is its share of the data, and the names of features and classes. The files are
/// those that `write_shards` makes of `read_csv_dataset` (`reordered`), byte for byte, whatever the number of
/// processes. All processes call it together and throw the same error.
///
/// Files that are packed with gzip, and pipes, are unpacked by the first process into `out` while it is
/// built.
TextShards shard_text(const CsvFiles& files, const TextShardOptions& options, Peers& peers,
                      const ExecutionControl& control = {});

}  // namespace hwgcn
