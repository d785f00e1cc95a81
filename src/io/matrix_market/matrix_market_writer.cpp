#include "hwgcn/base/error.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/text_file.hpp"
#include "base/text_output.hpp"
#include "io/csv/label_encoder.hpp"
#include "io/merged_edges.hpp"

namespace hwgcn {
namespace {

constexpr const char* adjacency_file = "adjacency.mtx";
constexpr const char* features_file = "features.mtx";
constexpr const char* labels_file = "labels.txt";

// A label stands alone on its line, without quotes.
void check_label_lines(const Dataset& dataset) {
    for (const std::string& name : dataset.class_names) {
        const bool survives =
            !means_unlabelled(name) && trimmed(name) == name && name.find('\n') == std::string::npos;
        if (!survives) {
            throw InputError(fmt::format("class '{}' of {} cannot be written as a line of labels.txt",
                                         excerpt(name), dataset.name));
        }
    }
}

// Of an undirected graph the lower triangle, as the format wants it.
void write_adjacency(TextOutput& out, const Dataset& dataset) {
    const bool weighted = !dataset.edge_weights.empty();
    const std::vector<Triplet<float>> edges = dataset.directed
                                                  ? merged_arcs(dataset.edges, dataset.edge_weights)
                                                  : merged_pairs(dataset.edges, dataset.edge_weights);
    out.print("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", weighted ? "real" : "pattern",
              dataset.directed ? "general" : "symmetric", dataset.nodes, dataset.nodes, edges.size());
    for (const Triplet<float>& edge : edges) {
        const Index row = dataset.directed ? edge.row : edge.column;
        const Index column = dataset.directed ? edge.column : edge.row;
        out.print("{} {}", row + std::int64_t{1}, column + std::int64_t{1});
        if (weighted) out.print(" {}", edge.value);
        out.text("\n");
    }
}

void write_features(TextOutput& out, const CsrMatrix<float>& features) {
    out.print("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", features.rows, features.columns,
              features.entries());
    for (Index node = 0; node < features.rows; ++node) {
        const SparseRow<float> row = features.row(node);
        for (std::size_t entry = 0; entry < row.size(); ++entry)
            out.print("{} {} {}\n", node + std::int64_t{1}, row.indices[entry] + std::int64_t{1},
                      row.values[entry]);
    }
}

void write_labels(TextOutput& out, const Dataset& dataset) {
    for (const Index label : dataset.labels)
        out.print("{}\n", label == unlabelled ? std::string_view() : dataset.class_names[label]);
}

}  // namespace

std::vector<std::string> matrix_market_file_names() {
    return {adjacency_file, features_file, labels_file};
}

void write_matrix_market_dataset(const std::filesystem::path& directory, const Dataset& dataset) {
    check_label_lines(dataset);
    write_text_file(directory / adjacency_file, [&](TextOutput& out) { write_adjacency(out, dataset); });
    write_text_file(directory / features_file,
                    [&](TextOutput& out) { write_features(out, dataset.features); });
    write_text_file(directory / labels_file, [&](TextOutput& out) { write_labels(out, dataset); });
}

}  // namespace hwgcn
