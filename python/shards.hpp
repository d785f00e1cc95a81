#pragma once

#include <pybind11/pybind11.h>

namespace hwgcn::python {

/// Adds the class Shards: weights that are learned block by block.
void add_shards(pybind11::module_& module);

}  // namespace hwgcn::python
