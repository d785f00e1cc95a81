#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {

/// Whose rows a sum goes over. Where nodes fall into blocks, each block is summed by itself, first row first,
/// and blocks are added up a binary tree of block numbers: ((0 + 1) + (2 + 3)) + ((4 + 5) + ..). The tree
/// belongs to the data: the bits depend neither on threads nor on where rows are. All get the sum.
struct SummedRows {
    const RowLayout* layout = nullptr;  ///< null: all rows are one block
    std::span<const Index> nodes = {};  ///< that the rows here stand for, ascending
};

/// Adds a sum of matrices over rows to `out`: calls add(rows, target) for pieces of the rows 0..count-1, each
/// with a target that is zero. Without blocks these are the pieces of add_in_pieces. `work` in
/// multiplications.
void add_over_rows(const SummedRows& rows, Index count, std::int64_t work, MatrixView out,
                   const ExecutionControl& control, const std::function<void(RowRange, MatrixView)>& add);

/// The same for so many numbers in double precision; without blocks all rows are one piece.
std::vector<double> sum_over_rows(const SummedRows& rows, Index count, std::size_t numbers,
                                  const std::function<void(RowRange, std::span<double>)>& add);

/// How many rows there are, those elsewhere among them.
std::int64_t count_rows(const SummedRows& rows, Index count);

}  // namespace hwgcn
