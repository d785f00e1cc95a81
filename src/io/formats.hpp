#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"

namespace hwgcn {

/// A dataset that was found on disk.
struct DatasetLocation {
    std::string name;
    std::filesystem::path path;  ///< the file, the folder, or the prefix that several files share
};

/// A format of datasets on disk: how it is recognised, read and written.
struct Format {
    std::string name;

    // What a message tells to somebody whose file or folder was not recognised.
    std::vector<std::string> endings;  ///< of its files, where they tell the format: ".mtx", ".mtx.gz"
    std::string prefix;  ///< where several files share one: "a Planetoid prefix such as ind.cora"
    std::string folder;  ///< what a folder of it holds: "edges.csv and nodes.csv"; empty: it has none

    /// What is at a path, by its name and by what lies beside it; nothing where that is of no such format.
    std::optional<DatasetLocation> (*recognise)(const std::filesystem::path& path) = nullptr;
    /// What a folder lacks to be recognised, "has edges.csv but no nodes.csv", or nothing. May be null.
    std::string (*lacking)(const std::filesystem::path& folder) = nullptr;
    /// The files that `read` reads; an empty path for one that need not be there and is not.
    std::vector<std::filesystem::path> (*files)(const std::filesystem::path& path) = nullptr;
    /// Takes the path that `recognise` gave.
    Dataset (*read)(const std::filesystem::path& path, const ExecutionControl& control,
                    const EdgeReading& reading) = nullptr;

    /// Null where it is only read.
    void (*write)(const std::filesystem::path& target, const Dataset& dataset) = nullptr;
    std::vector<std::string>
        written;  ///< files in the folder that `write` writes; none: a file with endings[0]
};

/// All of them. Where datasets of several formats have the same name, it stands for the first in this order.
const std::vector<Format>& formats();

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
