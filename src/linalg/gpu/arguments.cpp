#include "linalg/gpu/arguments.hpp"

#include <stdexcept>

namespace hwgcn::gpu {

void expect_no_blocks(const SummedRows& rows) {
    if (rows.partition != nullptr) throw std::logic_error("blocks of nodes are not summed on a device");
}

}  // namespace hwgcn::gpu
