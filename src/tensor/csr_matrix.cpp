#include "hwgcn/tensor/csr_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {

CsrMatrix<float> csr_from_triplets(Index rows, Index columns, std::vector<Triplet<float>> triplets) {
    const auto place = [](const Triplet<float>& t) { return std::pair(t.row, t.column); };
    const auto before = [&](const auto& a, const auto& b) { return place(a) < place(b); };
    if (!std::is_sorted(triplets.begin(), triplets.end(), before)) {
        std::stable_sort(triplets.begin(), triplets.end(), before);
    }
    CsrMatrix<float> matrix{rows, columns, std::vector<std::int64_t>(rows + std::size_t{1}, 0), {}, {}};
    matrix.indices.reserve(triplets.size());
    matrix.values.reserve(triplets.size());
    for (std::size_t i = 0; i < triplets.size(); ++i) {
        const Triplet<float>& t = triplets[i];
        if (i > 0 && place(t) == place(triplets[i - 1])) {
            matrix.values.back() += t.value;
            continue;
        }
        matrix.indices.push_back(t.column);
        matrix.values.push_back(t.value);
        ++matrix.offsets[t.row + std::size_t{1}];
    }
    std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
    return matrix;
}

template <typename Value>
void validate_csr(const CsrMatrix<Value>& matrix, std::string_view what) {
    const auto fail = [&](const std::string& message) {
        throw InputError(fmt::format("{}: {}", what, message));
    };
    if (matrix.rows < 0 || matrix.columns < 0) fail("negative number of rows or columns");
    if (matrix.offsets.size() != static_cast<std::size_t>(matrix.rows) + 1) {
        fail(
            fmt::format("{} row offsets, expected {}", matrix.offsets.size(), std::int64_t{matrix.rows} + 1));
    }
    if (matrix.values.size() != matrix.indices.size()) {
        fail(fmt::format("{} values for {} column indices", matrix.values.size(), matrix.indices.size()));
    }
    if (matrix.offsets.front() != 0 || matrix.offsets.back() != matrix.entries()) {
        fail(fmt::format("row offsets run from {} to {}, expected 0 to {}", matrix.offsets.front(),
                         matrix.offsets.back(), matrix.entries()));
    }
    for (Index i = 0; i < matrix.rows; ++i) {
        // Offsets first: only ascending ones within bounds make a row safe to look at.
        if (matrix.offsets[i] > matrix.offsets[i + 1] || matrix.offsets[i + 1] > matrix.entries()) {
            fail(fmt::format("row {}: offsets do not ascend", i));
        }
        Index previous = -1;
        for (const Index column : matrix.row(i).indices) {
            if (column < 0 || column >= matrix.columns) {
                fail(fmt::format("row {}: column {} is outside 0..{}", i, column, matrix.columns - 1));
            }
            if (column <= previous)
                fail(fmt::format("row {}: column {} is repeated or out of order", i, column));
            previous = column;
        }
    }
}

template void validate_csr(const CsrMatrix<float>&, std::string_view);
template void validate_csr(const CsrMatrix<double>&, std::string_view);

CsrMatrix<float> row_normalized(CsrMatrix<float> matrix) {
    for (Index i = 0; i < matrix.rows; ++i) {
        const auto values = std::span(matrix.values)
                                .subspan(static_cast<std::size_t>(matrix.offsets[i]), matrix.row(i).size());
        double sum = 0;
        for (const float value : values)
            sum += std::abs(static_cast<double>(value));
        if (sum == 0.0) continue;
        for (float& value : values)
            value = static_cast<float>(value / sum);
    }
    return matrix;
}

}  // namespace hwgcn
