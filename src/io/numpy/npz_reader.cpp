#include "io/numpy/npz_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/io/readers.hpp"

#include "base/fail.hpp"
#include "base/stopping.hpp"
#include "base/text_file.hpp"
#include "dataset/table_column.hpp"
#include "io/csv/label_encoder.hpp"
#include "io/merged_edges.hpp"
#include "io/numpy/npz_layout.hpp"
#include "io/numpy/scipy_sparse.hpp"

namespace hwgcn {
namespace {

// Hands out the arrays of an archive and keeps account of those that were asked for.
class ArraySource {
  public:
    explicit ArraySource(const NpzArchive& archive) : archive_(archive) {}

    bool has(const std::string& name) const { return archive_.has(name); }

    NumpyArray array(const std::string& name) {
        used_.insert(name);
        return archive_.array(name);
    }

    /// An array of numbers with one axis.
    template <typename T>
    std::vector<T> list(const std::string& name) {
        const NumpyArray numbers = array(name);
        expect_axes(numbers, 1, where(name));
        return to_vector<T>(numbers, where(name));
    }

    /// An array of text; none where it is missing or, with a note, where it holds anything but text.
    std::vector<std::string> names(const std::string& name, std::vector<std::string>& notes) {
        if (!has(name)) return {};
        used_.insert(name);
        const char kind = archive_.kind(name);
        if (kind != 'U' && kind != 'S') {
            notes.push_back(fmt::format("the array '{}' is ignored: it does not hold plain text", name));
            return {};
        }
        return to_strings(archive_.array(name), where(name));
    }

    /// The arrays that nobody asked for.
    std::vector<std::string> unused() const {
        std::vector<std::string> names;
        for (const std::string& name : archive_.names()) {
            if (!used_.contains(name)) names.push_back(name);
        }
        return names;
    }

    std::string where(std::string_view name) const { return archive_.where(name); }
    const std::string& file() const { return archive_.file(); }

  private:
    const NpzArchive& archive_;
    std::set<std::string> used_;
};

[[noreturn]] void fail_size(const std::string& where, std::size_t found, std::string_view of,
                            Index expected) {
    fail_in_file(where, fmt::format("has {} elements for {} {}", found, expected, of));
}

// Values may be missing: an adjacency is all ones then.
std::vector<float> data_or_ones(ArraySource& source, const std::string& name, std::size_t entries) {
    return source.has(name) ? source.list<float>(name) : std::vector<float>(entries, 1.0F);
}

SparseEntries read_compressed(ArraySource& source, const std::string& prefix, Major major) {
    CompressedArrays arrays;
    arrays.shape = source.list<std::int64_t>(prefix + "shape");
    arrays.indptr = source.list<std::int64_t>(prefix + "indptr");
    arrays.indices = source.list<Index>(prefix + "indices");
    arrays.data = data_or_ones(source, prefix + "data", arrays.indices.size());
    return entries_of(arrays, major, fmt::format("{}: matrix '{}indices'", source.file(), prefix));
}

SparseEntries read_coordinates(ArraySource& source) {
    CoordinateArrays arrays;
    arrays.shape = source.list<std::int64_t>("shape");
    arrays.row = source.list<Index>("row");
    arrays.col = source.list<Index>("col");
    arrays.data = data_or_ones(source, "data", arrays.row.size());
    SparseEntries entries = entries_of(arrays, source.file());
    // Unlike the other formats this one holds nothing per node, so the number of nodes is a mere claim.
    constexpr std::int64_t always_plausible = 1 << 20;
    const std::int64_t plausible = always_plausible + 16 * std::ssize(arrays.row);
    if (entries.rows > plausible) {
        fail_in_file(source.file(),
                     fmt::format("claims {} nodes for {} edges", entries.rows, arrays.row.size()));
    }
    return entries;
}

// A matrix written by scipy.sparse.save_npz.
SparseEntries read_scipy_matrix(ArraySource& source) {
    const std::vector<std::string> format = to_strings(source.array("format"), source.where("format"));
    if (format.size() == 1 && format[0] == "csr") return read_compressed(source, "", Major::rows);
    if (format.size() == 1 && format[0] == "csc") return read_compressed(source, "", Major::columns);
    if (format.size() == 1 && format[0] == "coo") return read_coordinates(source);
    fail_in_file(source.where("format"), fmt::format("is '{}', expected csr, csc or coo",
                                                     excerpt(fmt::format("{}", fmt::join(format, ",")))));
}

SparseEntries read_adjacency(ArraySource& source) {
    const std::string prefix = npz_layout::adjacency;
    if (source.has(prefix + "indices")) return read_compressed(source, prefix, Major::rows);
    if (source.has("format")) return read_scipy_matrix(source);
    fail_in_file(
        source.file(),
        fmt::format("holds no graph: expected the arrays adj_indices, adj_indptr and adj_shape, or a "
                    "matrix saved by scipy.sparse.save_npz; found {}",
                    excerpt(fmt::format("{}", fmt::join(source.unused(), ", ")))));
}

void set_edges(Dataset& dataset, const SparseEntries& adjacency, const EdgeReading& reading) {
    if (adjacency.rows != adjacency.columns) {
        fail_in_file(dataset.source, fmt::format("the adjacency has the shape {} x {}, expected a square",
                                                 adjacency.rows, adjacency.columns));
    }
    dataset.nodes = adjacency.rows;
    for (const auto& [row, column, weight] : adjacency.triplets) {
        if (reading.weights && !(std::isfinite(weight) && weight >= 0)) {
            fail_in_file(dataset.source,
                         fmt::format("edge {}-{} has the weight {}, expected a finite number of at least 0; "
                                     "`weight=none` reads edges without weights",
                                     row, column, weight));
        }
        if (!reading.weights && weight == 0) continue;  // stored, but not a connection
        dataset.edges.push_back({row, column});
        if (reading.weights) dataset.edge_weights.push_back(weight);
    }
    settle_weights(dataset, ConstantWeights::dropped);
    settle_matrix_directions(dataset, reading.directions);
}

SparseEntries dense_features(ArraySource& source) {
    const std::string where = source.where(npz_layout::dense_features);
    const NumpyArray array = source.array(npz_layout::dense_features);
    expect_axes(array, 2, where);
    for (const std::int64_t axis : array.shape) {
        if (axis >= std::numeric_limits<Index>::max()) fail_in_file(where, "has too many rows or columns");
    }
    SparseEntries entries{static_cast<Index>(array.shape[0]), static_cast<Index>(array.shape[1]), {}};
    const std::vector<float> values = to_vector<float>(array, where);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0) continue;
        const auto columns = static_cast<std::size_t>(entries.columns);
        entries.triplets.push_back(
            {static_cast<Index>(i / columns), static_cast<Index>(i % columns), values[i]});
    }
    return entries;
}

void set_features(Dataset& dataset, ArraySource& source) {
    const std::string prefix = npz_layout::features;
    SparseEntries entries{dataset.nodes, 0, {}};
    if (source.has(prefix + "indices")) {
        entries = read_compressed(source, prefix, Major::rows);
    } else if (source.has(npz_layout::dense_features)) {
        entries = dense_features(source);
    }
    if (entries.rows != dataset.nodes) {
        fail_in_file(dataset.source, fmt::format("features for {} nodes, but the adjacency has {}",
                                                 entries.rows, dataset.nodes));
    }
    dataset.features = to_csr(std::move(entries));
}

// Whole numbers; nothing for NaN.
std::vector<std::optional<std::int64_t>> label_numbers(const NumpyArray& array, const std::string& where) {
    std::vector<std::optional<std::int64_t>> numbers;
    if (element_kind(array, where) != 'f') {
        const std::vector<std::int64_t> integers = to_vector<std::int64_t>(array, where);
        numbers.assign(integers.begin(), integers.end());
        return numbers;
    }
    for (const double value : to_vector<double>(array, where)) {
        constexpr double exact = 0x1.0p53;
        if (!std::isnan(value) && (value != std::trunc(value) || std::abs(value) > exact)) {
            fail_in_file(where, fmt::format("element {} is {}, expected a whole number or NaN",
                                            numbers.size(), value));
        }
        numbers.push_back(std::isnan(value) ? std::nullopt : std::optional(static_cast<std::int64_t>(value)));
    }
    return numbers;
}

// Numbers of the classes that `class_names` names.
std::vector<Index> numbered_labels(const NumpyArray& array, Index classes, const std::string& where) {
    std::vector<Index> labels;
    for (const std::optional<std::int64_t> label : label_numbers(array, where)) {
        const std::int64_t number = label.value_or(unlabelled);
        if (number < unlabelled || number >= classes) {
            fail_in_file(where, fmt::format("element {} is class {}, outside the {} class names",
                                            labels.size(), number, classes));
        }
        labels.push_back(static_cast<Index>(number));
    }
    return labels;
}

EncodedLabels encoded_labels(const NumpyArray& array, const std::string& where) {
    LabelEncoder encoder;
    const char kind = element_kind(array, where);
    if (kind == 'U' || kind == 'S') {
        for (const std::string& label : to_strings(array, where))
            encoder.add(label);
    } else {
        for (const std::optional<std::int64_t> number : label_numbers(array, where))
            encoder.add(number ? fmt::to_string(*number) : "");
    }
    return encoder.encode();
}

void set_labels(Dataset& dataset, ArraySource& source) {
    dataset.class_names = source.names(npz_layout::class_names, dataset.notes);
    if (!source.has(npz_layout::labels)) {
        dataset.labels.assign(static_cast<std::size_t>(dataset.nodes), unlabelled);
        return;
    }
    const std::string where = source.where(npz_layout::labels);
    const NumpyArray array = source.array(npz_layout::labels);
    expect_axes(array, 1, where);
    if (dataset.class_names.empty()) {
        EncodedLabels encoded = encoded_labels(array, where);
        dataset.labels = std::move(encoded.labels);
        dataset.class_names = std::move(encoded.class_names);
        note_minus_ones(where, encoded.minus_ones, dataset.notes);
    } else {
        dataset.labels = numbered_labels(array, dataset.classes(), where);
    }
    if (std::ssize(dataset.labels) != dataset.nodes) {
        fail_size(where, dataset.labels.size(), "nodes", dataset.nodes);
    }
}

void set_names(Dataset& dataset, ArraySource& source) {
    dataset.node_ids = source.names(npz_layout::node_names, dataset.notes);
    const std::unordered_set<std::string_view> distinct(dataset.node_ids.begin(), dataset.node_ids.end());
    if (distinct.size() != dataset.node_ids.size()) {
        dataset.notes.emplace_back("the array 'node_names' is ignored: several nodes have the same name");
        dataset.node_ids.clear();
    }
    dataset.feature_names = source.names(npz_layout::feature_names, dataset.notes);
}

void set_kinds(Dataset& dataset, ArraySource& source) {
    if (!source.has(npz_layout::feature_kinds)) return;
    constexpr auto largest = static_cast<Index>(FeatureKind::column);
    for (const Index kind : source.list<Index>(npz_layout::feature_kinds)) {
        if (kind < 0 || kind > largest) {
            fail_in_file(source.where(npz_layout::feature_kinds),
                         fmt::format("element {} is {}, expected 0 to {}", dataset.feature_kinds.size(), kind,
                                     largest));
        }
        dataset.feature_kinds.push_back(static_cast<FeatureKind>(kind));
    }
    dataset.columns = category_columns(dataset.feature_names, dataset.feature_kinds);
}

void set_split(Dataset& dataset, ArraySource& source) {
    if (!source.has(npz_layout::split_train)) return;
    const std::vector<std::string> name = source.names(npz_layout::split_name, dataset.notes);
    dataset.published_split =
        Split{name.size() == 1 ? name[0] : "published", source.list<Index>(npz_layout::split_train),
              source.list<Index>(npz_layout::split_validation), source.list<Index>(npz_layout::split_test)};
}

}  // namespace

Dataset assemble_npz(const NpzArchive& archive, const ExecutionControl& control, const EdgeReading& reading) {
    ArraySource source(archive);
    Dataset dataset;
    dataset.name = std::filesystem::path(archive.file()).stem().string();
    dataset.source = archive.file();
    set_edges(dataset, read_adjacency(source), reading);
    throw_if_stopped(control);
    set_features(dataset, source);
    throw_if_stopped(control);
    set_labels(dataset, source);
    set_names(dataset, source);
    set_kinds(dataset, source);
    set_split(dataset, source);
    if (const std::vector<std::string> unused = source.unused(); !unused.empty()) {
        dataset.notes.push_back(
            fmt::format("arrays not used: {}", excerpt(fmt::format("{}", fmt::join(unused, ", ")))));
    }
    validate_dataset(dataset);
    return dataset;
}

Dataset read_npz_dataset(const std::filesystem::path& file, const ExecutionControl& control,
                         const EdgeReading& reading) {
    return assemble_npz(read_npz(file), control, reading);
}

}  // namespace hwgcn
