#pragma once

#include "tensor/kept_lists.hpp"
#include "training/fit.hpp"

namespace hwgcn {

/// Keeps what a field consists of on a device for as long as `lists` live: it is copied there once, not for
/// each operation. Without it a training on the device has the same result, later.
void keep_field(gpu::KeptLists& lists, const ReceptiveField& field);

/// The same for labels and their rows, of one run or of several side by side, which have as many: those of
/// the first stand for all.
void keep_labels(gpu::KeptLists& lists, std::span<const LabelledField> runs);

}  // namespace hwgcn
