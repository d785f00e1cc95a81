#pragma once

#include "hwgcn/data/dataset.hpp"
#include "hwgcn/data/readers.hpp"
#include "hwgcn/support/run_control.hpp"

#include "data/npz_archive.hpp"

namespace hwgcn {

/// What `read_npz_dataset` makes of an open archive.
Dataset assemble_npz(const NpzArchive& archive, const ExecutionControl& control = {},
                     const EdgeReading& reading = {});

}  // namespace hwgcn
