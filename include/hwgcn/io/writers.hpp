#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Writes the layout that `read_npz_dataset`, PyG and gnn-benchmark read. Byte-identical for the same data.
void write_npz_dataset(const std::filesystem::path& file, const Dataset& dataset);

/// The files that the next two write into a folder.
std::vector<std::string> csv_file_names();
std::vector<std::string> matrix_market_file_names();

/// Writes edges.csv and nodes.csv into `directory`, original ids first.
void write_csv_dataset(const std::filesystem::path& directory, const Dataset& dataset);

/// Writes adjacency.mtx, features.mtx and labels.txt into `directory`.
void write_matrix_market_dataset(const std::filesystem::path& directory, const Dataset& dataset);

/// Writes one sparse matrix as `scipy.sparse.load_npz` reads it.
void write_scipy_npz(const std::filesystem::path& file, const CsrMatrix<double>& matrix);

}  // namespace hwgcn
