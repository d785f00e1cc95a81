#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"

namespace hwgcn::testing {

/// Uniform between -size and size.
inline DenseMatrix random_numbers(Index rows, Index columns, std::uint64_t seed, double size = 1.0) {
    RandomStream random(seed, 3);
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>(size * (2.0 * random.uniform() - 1.0));
    }
    return matrix;
}

inline bool have_same_bits(const DenseMatrix& a, const DenseMatrix& b) {
    return a.numbers().size() == b.numbers().size() &&
           std::memcmp(a.numbers().data(), b.numbers().data(), a.numbers().size_bytes()) == 0;
}

/// What `compute` gives with 1, 2, 3 and 8 threads on every instruction set: the same bits each time, and
/// zero in the padding.
inline DenseMatrix same_bits_everywhere(const std::function<DenseMatrix(int threads)>& compute) {
    std::optional<DenseMatrix> first;
    for_every_instruction_set([&](const std::string& name) {
        for (const int threads : {1, 2, 3, 8}) {
            const DenseMatrix result = compute(threads);
            if (!first) first = result;
            EXPECT_TRUE(have_same_bits(*first, result)) << name << ", " << threads << " threads";
        }
    });
    for (Index i = 0; i < first->rows(); ++i) {
        for (auto k = static_cast<std::size_t>(first->columns()); k < first->view().stride(); ++k)
            EXPECT_EQ(first->row(i)[k], 0.0F) << "padding of row " << i;
    }
    return *first;
}

}  // namespace hwgcn::testing
