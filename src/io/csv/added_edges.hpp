#pragma once

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"

#include "io/name_index.hpp"

namespace hwgcn {

/// Adds the edges in `files` to a dataset whose nodes, new ones included, have these ids.
void add_edges(const AddedFiles& files, const NameIndex& ids, Dataset& dataset,
               const ExecutionControl& control);

}  // namespace hwgcn
