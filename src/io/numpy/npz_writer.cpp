#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/io/writers.hpp"

#include "base/utf8.hpp"
#include "io/merged_edges.hpp"
#include "io/numpy/npz_archive.hpp"
#include "io/numpy/npz_layout.hpp"

namespace hwgcn {
namespace {

// Text as NumPy stores it: every element as long as the longest, filled up with zeros.
class TextArray {
  public:
    explicit TextArray(const std::vector<std::string>& texts) : count_(texts.size()) {
        std::vector<std::u32string> decoded;
        for (const std::string& text : texts) {
            std::optional<std::u32string> characters = decode_utf8(text);
            if (!characters) break;
            decoded.push_back(std::move(*characters));
        }
        if (decoded.size() == texts.size()) {
            store('U', decoded);
        } else {
            store('S', texts);  // not UTF-8: bytes as they are
        }
    }

    NpyEntry entry(std::string name) const {
        return {
            std::move(name), dtype_, {static_cast<std::int64_t>(count_)}, std::as_bytes(std::span(bytes_))};
    }

  private:
    template <typename Text>
    void store(char kind, const std::vector<Text>& texts) {
        using Character = typename Text::value_type;
        std::size_t longest = 1;
        for (const Text& text : texts)
            longest = std::max(longest, text.size());
        dtype_ = fmt::format("{}{}{}", kind == 'U' ? '<' : '|', kind, longest);
        for (const Text& text : texts) {
            Text padded = text;
            padded.resize(longest);
            bytes_.append(reinterpret_cast<const char*>(padded.data()), longest * sizeof(Character));
        }
    }

    std::size_t count_;
    std::string dtype_;
    std::string bytes_;
};

template <typename Value>
std::vector<std::int64_t> shape_of(const CsrMatrix<Value>& matrix) {
    return {matrix.rows, matrix.columns};
}

// The entries that make up a CSR matrix in SciPy's arrays.
template <typename Value>
void add_matrix(std::vector<NpyEntry>& entries, const std::string& prefix, const CsrMatrix<Value>& matrix,
                const std::vector<std::int64_t>& shape) {
    entries.push_back(npy_entry(prefix + "data", matrix.values));
    entries.push_back(npy_entry(prefix + "indices", matrix.indices));
    entries.push_back(npy_entry(prefix + "indptr", matrix.offsets));
    entries.push_back(npy_entry(prefix + "shape", shape));
}

// The edges of a directed graph, or both directions of every edge once. Without weights each has the value 1.
CsrMatrix<float> adjacency_of(const Dataset& dataset) {
    std::vector<Triplet<float>> triplets;
    if (dataset.directed) {
        triplets = merged_arcs(dataset.edges, dataset.edge_weights);
    } else {
        for (const Triplet<float>& pair : merged_pairs(dataset.edges, dataset.edge_weights)) {
            triplets.push_back(pair);
            if (pair.row != pair.column) triplets.push_back({pair.column, pair.row, pair.value});
        }
    }
    return csr_from_triplets(dataset.nodes, dataset.nodes, std::move(triplets));
}

// They decide how the features are scaled.
std::vector<std::int64_t> kinds_of_table(const Dataset& dataset) {
    std::vector<std::int64_t> kinds;
    if (std::ranges::find(dataset.feature_kinds, FeatureKind::column) == dataset.feature_kinds.end())
        return kinds;
    for (const FeatureKind kind : dataset.feature_kinds)
        kinds.push_back(static_cast<std::int64_t>(kind));
    return kinds;
}

}  // namespace

void write_npz_dataset(const std::filesystem::path& file, const Dataset& dataset) {
    validate_dataset(dataset);
    // Entries refer to what they describe, so all of it lives until the file is written.
    const CsrMatrix<float> adjacency = adjacency_of(dataset);
    const std::vector<std::int64_t> adjacency_shape = shape_of(adjacency);
    const std::vector<std::int64_t> feature_shape = shape_of(dataset.features);
    const std::vector<std::int64_t> labels(dataset.labels.begin(), dataset.labels.end());
    const TextArray class_names(dataset.class_names);
    const TextArray node_names(dataset.node_ids);
    const TextArray feature_names(dataset.feature_names);
    const std::vector<std::int64_t> kinds = kinds_of_table(dataset);
    const Split split = dataset.published_split.value_or(Split{});
    const TextArray split_name({split.name});

    std::vector<NpyEntry> entries;
    add_matrix(entries, npz_layout::adjacency, adjacency, adjacency_shape);
    if (dataset.features.columns > 0) {
        add_matrix(entries, npz_layout::features, dataset.features, feature_shape);
    }
    if (dataset.classes() > 0) {
        entries.push_back(npy_entry(npz_layout::labels, labels));
        entries.push_back(class_names.entry(npz_layout::class_names));
    }
    if (!dataset.node_ids.empty()) entries.push_back(node_names.entry(npz_layout::node_names));
    if (!dataset.feature_names.empty()) entries.push_back(feature_names.entry(npz_layout::feature_names));
    if (!kinds.empty()) entries.push_back(npy_entry(npz_layout::feature_kinds, kinds));
    if (dataset.published_split) {
        entries.push_back(split_name.entry(npz_layout::split_name));
        entries.push_back(npy_entry(npz_layout::split_train, split.train));
        entries.push_back(npy_entry(npz_layout::split_validation, split.validation));
        entries.push_back(npy_entry(npz_layout::split_test, split.test));
    }
    write_npz(file, entries);
}

void write_scipy_npz(const std::filesystem::path& file, const CsrMatrix<double>& matrix) {
    const std::vector<std::int64_t> shape = shape_of(matrix);
    const std::string format = "csr";
    std::vector<NpyEntry> entries;
    add_matrix(entries, "", matrix, shape);
    entries.push_back({"format", "|S3", {}, std::as_bytes(std::span(format))});
    write_npz(file, entries);
}

}  // namespace hwgcn
