#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "hwgcn/tensor/csr_matrix.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "dataset/table_column.hpp"

namespace hwgcn::python {

namespace py = pybind11;

template <typename Number>
using Array = py::array_t<Number, py::array::c_style>;

/// The numbers become an array that owns them: nothing is copied.
template <typename Number>
py::array_t<Number> to_array(std::vector<Number> numbers) {
    auto owner = std::make_unique<std::vector<Number>>(std::move(numbers));
    Number* const data = owner->data();
    const auto size = static_cast<py::ssize_t>(owner->size());
    const py::capsule release(owner.release(),
                              [](void* memory) { delete static_cast<std::vector<Number>*>(memory); });
    return py::array_t<Number>(size, data, release);
}

/// A view of the matrix, row by row without the padding; the array keeps it alive.
inline py::array_t<float> to_array(DenseMatrix matrix) {
    auto owner = std::make_unique<DenseMatrix>(std::move(matrix));
    const MatrixView view = owner->view();
    const py::capsule release(owner.release(),
                              [](void* memory) { delete static_cast<DenseMatrix*>(memory); });
    return py::array_t<float>(
        {static_cast<py::ssize_t>(view.rows), static_cast<py::ssize_t>(view.columns)},
        {static_cast<py::ssize_t>(view.stride() * sizeof(float)), static_cast<py::ssize_t>(sizeof(float))},
        view.data, release);
}

template <typename Number>
std::vector<Number> to_vector(const Array<Number>& array) {
    return {array.data(), array.data() + array.size()};
}

inline DenseMatrix to_matrix(const Array<float>& array) {
    const auto rows = static_cast<Index>(array.shape(0)), columns = static_cast<Index>(array.shape(1));
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index c = 0; c < columns; ++c)
            matrix.at(i, c) = array.at(i, c);
    }
    return matrix;
}

template <typename Value>
py::tuple to_tuple(CsrMatrix<Value> matrix) {
    return py::make_tuple(to_array(std::move(matrix.offsets)), to_array(std::move(matrix.indices)),
                          to_array(std::move(matrix.values)));
}

inline py::object from_json(const std::string& text) {
    return py::module_::import("json").attr("loads")(text);
}

// The features with the row `nodes[k]` replaced by row k of `rows`.
inline CsrMatrix<float> with_rows(const CsrMatrix<float>& features, const std::vector<Index>& nodes,
                                  const CsrMatrix<float>& rows) {
    std::vector<Index> replaced(static_cast<std::size_t>(features.rows), -1);
    for (std::size_t k = 0; k < nodes.size(); ++k)
        replaced.at(static_cast<std::size_t>(nodes[k])) = static_cast<Index>(k);
    CsrMatrix<float> result{features.rows, features.columns, {0}, {}, {}};
    for (Index i = 0; i < features.rows; ++i) {
        const SparseRow<float> row = replaced[i] < 0 ? features.row(i) : rows.row(replaced[i]);
        result.indices.insert(result.indices.end(), row.indices.begin(), row.indices.end());
        result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        result.offsets.push_back(static_cast<std::int64_t>(result.indices.size()));
    }
    return result;
}

// The rows of `more` below those of `matrix`.
inline void append_rows(CsrMatrix<float>& matrix, const CsrMatrix<float>& more) {
    for (Index i = 0; i < more.rows; ++i)
        matrix.offsets.push_back(matrix.offsets.back() + more.offsets[i + 1] - more.offsets[i]);
    matrix.indices.insert(matrix.indices.end(), more.indices.begin(), more.indices.end());
    matrix.values.insert(matrix.values.end(), more.values.begin(), more.values.end());
    matrix.rows += more.rows;
}

/// The columns of a table: names and categories; no categories where a column holds numbers.
using Table = std::vector<std::pair<std::string, std::optional<std::vector<std::string>>>>;

inline std::vector<TableColumn> columns_from(const Table& table) {
    std::vector<TableColumn> columns;
    Index next = 0;
    for (const auto& [name, categories] : table) {
        columns.push_back({.name = name,
                           .kind = categories ? ColumnKind::category : ColumnKind::number,
                           .categories = categories.value_or(std::vector<std::string>()),
                           .first_feature = next});
        next += feature_count(columns.back());
    }
    return columns;
}

}  // namespace hwgcn::python
