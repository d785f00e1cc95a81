#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "hwgcn/io/formats.hpp"

namespace hwgcn {

// Each in the file of its name; src/io/formats.cpp has the table.
Format planetoid_format();
Format npz_format();
Format csv_format();
Format matrix_market_format();
Format shards_format();

// For recognising them. An error of the system counts as "no".
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// The first of STEM.ENDING in `folder` that is there, or an empty path.
std::filesystem::path find_file(const std::filesystem::path& folder, std::string_view stem,
                                std::initializer_list<std::string_view> endings);

/// The folder itself as a dataset, under its own name.
DatasetLocation located_folder(const std::filesystem::path& folder);

}  // namespace hwgcn
