#pragma once

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"

#include "io/numpy/npz_archive.hpp"

namespace hwgcn {

/// What `read_npz_dataset` makes of an open archive.
Dataset assemble_npz(const NpzArchive& archive, const ExecutionControl& control = {},
                     const EdgeReading& reading = {});

}  // namespace hwgcn
