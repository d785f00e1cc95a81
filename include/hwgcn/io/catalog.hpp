#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"

namespace hwgcn {

/// A dataset that can be named on the command line.
struct CatalogEntry {
    std::string name;
    std::string format;          ///< "built-in", "planetoid", "npz", "csv", "matrix-market"
    std::filesystem::path path;  ///< empty for built-in ones
};

/// The built-in datasets and those found under `data_directory` (itself and its folders planetoid/ and npz/),
/// by name.
std::vector<CatalogEntry> list_datasets(const std::filesystem::path& data_directory);

/// Whether a name stands for one of them, in capital or small letters.
bool is_listed(const std::string& name, const std::filesystem::path& data_directory);

/// Loads by name (built-in, or found under `data_directory`) or by path: `x.npz`, `x.mtx[.gz]`, a Planetoid
/// prefix `dir/ind.cora`, or a folder with edges.csv and nodes.csv. Unknown names suggest the nearest one.
Dataset load_dataset(const std::string& name_or_path, const std::filesystem::path& data_directory,
                     const ExecutionControl& control = {}, const EdgeReading& reading = {});

/// The files that `load_dataset` would read: none for a built-in dataset or an unknown name.
std::vector<std::filesystem::path> dataset_files(const std::string& name_or_path,
                                                 const std::filesystem::path& data_directory);

}  // namespace hwgcn
