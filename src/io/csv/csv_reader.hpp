#pragma once

#include <string_view>

#include "hwgcn/io/readers.hpp"

namespace hwgcn {

/// What `read_csv_dataset` does once the files are in memory: their paths in `files` serve only as names.
/// Without a node file in `files`, `node_text` is not looked at, without a feature file `feature_text`.
Dataset parse_csv_dataset(const CsvFiles& files, std::string_view edge_text, std::string_view node_text,
                          std::string_view feature_text = {}, const ExecutionControl& control = {});

}  // namespace hwgcn
