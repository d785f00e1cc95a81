#pragma once

#include "tensor/cpu/skip_gram_kernels.hpp"

namespace hwgcn {

// Skip-gram training moves two rows at a time, each step from where the one before ended: it stays on the
// processor and is no part of the operations that a backend offers.
using cpu::SigmoidTable;
using cpu::SkipGramTarget;
using cpu::train_skip_gram;

}  // namespace hwgcn
