#pragma once

#include "hwgcn/data/additions.hpp"
#include "hwgcn/data/dataset.hpp"

#include "data/name_index.hpp"

namespace hwgcn {

/// Adds the edges in `files` to a dataset whose nodes, new ones included, have these ids.
void add_edges(const AddedFiles& files, const NameIndex& ids, Dataset& dataset,
               const ExecutionControl& control);

}  // namespace hwgcn
