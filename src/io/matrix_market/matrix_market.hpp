#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

namespace hwgcn {

/// A Matrix Market file as it stands: entries in the order of the file, rows and columns counted from 0,
/// explicit zeros left out, the mirrored half of a symmetric matrix not filled in.
struct MatrixMarket {
    Index rows = 0;
    Index columns = 0;
    bool symmetric = false;
    std::vector<Triplet<float>> entries;
    std::int64_t zeros = 0;  ///< explicit ones of a coordinate file
};

enum class ValueRange { finite, may_be_missing };

/// Reads coordinate and array files of real, integer or pattern type, general or symmetric. Values must be
/// finite and in `range`.
MatrixMarket parse_matrix_market(std::string_view name, std::string_view text, ValueRange range,
                                 const ExecutionControl& control = {});

/// What `read_matrix_market_dataset` does once the files are in memory: their paths in `files` serve only as
/// names, and the text of a file without a path is not looked at.
Dataset parse_matrix_market_dataset(const MatrixMarketFiles& files, std::string_view adjacency_text,
                                    std::string_view feature_text, std::string_view label_text,
                                    const ExecutionControl& control = {});

}  // namespace hwgcn
