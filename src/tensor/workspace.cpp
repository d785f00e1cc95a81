#include "tensor/workspace.hpp"

#include <algorithm>
#include <bit>

#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {
constexpr std::size_t smallest_chunk = std::size_t{1} << 16;  // floats
constexpr std::size_t line = 16;                              // floats of a cache line

// Rounded up by at most an eighth: passes over slightly different nodes (those of training and of validation)
// then fit into the same chunks, in place of twice as many.
std::size_t chunk_for(std::size_t floats) {
    const std::size_t wanted = std::max(floats, smallest_chunk);
    const std::size_t step = std::bit_floor(wanted) / 8;
    return (wanted + step - 1) / step * step;
}

}  // namespace

float* Workspace::take(std::size_t floats) {
    floats = (floats + line - 1) / line * line;
    while (chunk_ < chunks_.size() && used_ + floats > chunks_[chunk_].numbers().size()) {
        ++chunk_;
        used_ = 0;
    }
    if (chunk_ == chunks_.size())
        chunks_.push_back(matrix_on(device_, static_cast<Index>(chunk_for(floats) / line), Index{line}));
    float* memory = chunks_[chunk_].numbers().data() + used_;
    used_ += floats;
    return memory;
}

MatrixView Workspace::matrix(Index rows, Index columns) {
    MatrixView view{nullptr, rows, columns};
    view.data = take(view.size());
    if (view.stride() == static_cast<std::size_t>(columns)) return view;
    if (device_ == nullptr || !is_as_before(view)) clear_padding(view);
    return view;
}

std::span<std::uint64_t> Workspace::words(std::size_t count) {
    return {reinterpret_cast<std::uint64_t*>(take(2 * count)), count};
}

bool Workspace::is_as_before(const MatrixView& view) {
    const std::size_t k = handed_out_++;
    if (k < padded_.size() && padded_[k].data == view.data && padded_[k].rows == view.rows &&
        padded_[k].columns == view.columns)
        return true;
    padded_.resize(k);
    padded_.push_back(view);
    return false;
}

void Workspace::reset() {
    padded_.resize(handed_out_);
    handed_out_ = 0;
    chunk_ = 0;
    used_ = 0;
}

}  // namespace hwgcn
