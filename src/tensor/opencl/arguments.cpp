#include "tensor/opencl/arguments.hpp"

#include <cmath>
#include <stdexcept>

namespace hwgcn::opencl {

Pieces row_pieces(Index rows) {
    constexpr std::int64_t fewest = 16;
    const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(rows))));
    return pieces_of(rows, std::max(fewest, side));
}

void expect_no_blocks(const SummedRows& rows) {
    if (rows.layout != nullptr) throw std::logic_error("blocks of nodes are not summed on a device");
}

}  // namespace hwgcn::opencl
