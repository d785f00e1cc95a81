#include "methods/linear/row_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "methods/linear/rows.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

// What is left of a squared length, relative to the longest, that is rounding.
constexpr double rounding = 1e-6;

DenseMatrix dense(const CsrMatrix<float>& sparse) {
    DenseMatrix result(sparse.rows, sparse.columns);
    for (Index i = 0; i < sparse.rows; ++i) {
        const SparseRow<float> row = sparse.row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            result.at(i, row.indices[e]) = row.values[e];
    }
    return result;
}

// <row i, row j> for all i and the first `spanning` j.
DenseMatrix products_of_rows(const CsrMatrix<float>& sparse, Index spanning,
                             const ExecutionControl& control) {
    const DenseMatrix rows = dense(sparse);
    DenseMatrix columns(rows.columns(), spanning), products(rows.rows(), spanning);
    transpose(ConstMatrixView{rows.row(0), spanning, rows.columns()}, columns);
    multiply(rows, columns, products, Write::replace, control);
    return products;
}

}  // namespace

// K = G G' with columns g_k = (K e_p - sum over j < k of g_j g_pj) / sqrt(rest of row p), p the row of which
// most is left.
CsrMatrix<float> row_coordinates(const CsrMatrix<float>& rows, Index spanning,
                                 const ExecutionControl& control) {
    const DenseMatrix products = products_of_rows(rows, spanning, control);
    const auto count = static_cast<std::size_t>(rows.rows), most = static_cast<std::size_t>(spanning);
    std::vector<double> g(count * most, 0.0), rest;
    for (Index i = 0; i < spanning; ++i)
        rest.push_back(static_cast<double>(products.at(i, i)));
    const double longest = *std::ranges::max_element(rest);
    std::size_t rank = 0;
    for (; rank < most; ++rank) {
        const auto pivot = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
        if (!(rest[pivot] > rounding * longest)) break;
        const double root = std::sqrt(rest[pivot]);
        const double* own = g.data() + pivot * most;
        for (std::size_t i = 0; i < count; ++i) {
            double* row = g.data() + i * most;
            double value = static_cast<double>(products.at(static_cast<Index>(i), static_cast<Index>(pivot)));
            for (std::size_t j = 0; j < rank; ++j)
                value -= row[j] * own[j];
            row[rank] = value / root;
            if (i < most) rest[i] -= row[rank] * row[rank];
        }
        rest[pivot] = 0;
    }
    DenseMatrix coordinates(rows.rows, static_cast<Index>(rank));
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < rank; ++k)
            coordinates.at(static_cast<Index>(i), static_cast<Index>(k)) =
                static_cast<float>(g[i * most + k]);
    }
    return sparse_rows(coordinates, all_indices(rows.rows));
}

}  // namespace hwgcn
