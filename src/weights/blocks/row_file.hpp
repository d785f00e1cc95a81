#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weights/order_tally.hpp"

namespace hwgcn {

/// Some successive rows of an order, as they lie in a file.
struct RowFile {
    CsrMatrix<double> rows;  ///< columns are numbers of the whole graph
    std::vector<Index> ring_sizes;
    OrderTally tally;  ///< of these rows
};

/// Reads the rows from `first` on of the order that `key` names, of a graph of `nodes` nodes. Throws
/// InputError or std::out_of_range where the file is damaged or holds something else.
RowFile read_rows(const std::filesystem::path& file, const std::string& key, Index first, Index nodes);

/// Writes them atomically.
void write_rows(const std::filesystem::path& file, const std::string& key, Index first, const RowFile& part);

/// Adds the rows to those of an order, which end where these begin.
void append_rows(const RowFile& part, OrderWeights& order);

/// The folder, in that of a cache, which holds an order in blocks, and the file of the rows from `first` on.
std::string block_folder_name(const std::string& key);
std::string block_file_name(Index first);

}  // namespace hwgcn
