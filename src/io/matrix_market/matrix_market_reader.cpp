#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/text_file.hpp"
#include "io/csv/label_encoder.hpp"
#include "io/csv/reading_hints.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/merged_edges.hpp"

namespace hwgcn {
namespace {

// Rows without entries cost no bytes, so a few bytes could claim two thousand million nodes. Beyond this many
// there must be an entry for every sixteenth.
constexpr std::int64_t rows_beyond_doubt = 1'000'000;

MatrixMarket parse_adjacency(const std::string& name, std::string_view text,
                             const ExecutionControl& control) {
    MatrixMarket matrix = parse_matrix_market(name, text, ValueRange::finite, control);
    if (matrix.rows != matrix.columns)
        fail_in_file(name,
                     fmt::format("an adjacency must be square, found {} x {}", matrix.rows, matrix.columns));
    if (matrix.rows == 0) fail_in_file(name, "has no nodes (0 x 0)");
    const auto entries = static_cast<std::int64_t>(matrix.entries.size());
    if (matrix.rows > rows_beyond_doubt && matrix.rows / 16 > entries)
        fail_in_file(name, fmt::format("claims {} nodes but has only {} entries", matrix.rows, entries));
    return matrix;
}

void set_edges(Dataset& dataset, const MatrixMarket& adjacency, const EdgeReading& reading) {
    dataset.edges.reserve(adjacency.entries.size());
    for (const auto& [row, column, weight] : adjacency.entries) {
        if (reading.weights && weight < 0) {
            fail_in_file(dataset.source,
                         fmt::format("the entry of row {}, column {} is {}, expected a weight of at least 0; "
                                     "`weight=none` reads edges without weights",
                                     row + std::int64_t{1}, column + std::int64_t{1}, weight));
        }
        dataset.edges.push_back({row, column});
        if (reading.weights) dataset.edge_weights.push_back(weight);
    }
    if (adjacency.zeros > 0)
        dataset.notes.push_back(
            fmt::format("{}: entries of 0, which are no edges: {}", dataset.source, adjacency.zeros));
    settle_weights(dataset, ConstantWeights::dropped);
    if (adjacency.symmetric) {
        refuse_directions(dataset.source, reading.directions);
    } else {
        settle_matrix_directions(dataset, reading.directions);
    }
}

CsrMatrix<float> parse_features(const std::string& name, std::string_view text, Index nodes,
                                const ExecutionControl& control) {
    MatrixMarket matrix = parse_matrix_market(name, text, ValueRange::may_be_missing, control);
    if (matrix.rows != nodes)
        fail_in_file(name, fmt::format("has {} rows, expected {}, one per node", matrix.rows, nodes));
    if (matrix.symmetric) {
        const std::size_t stored = matrix.entries.size();
        for (std::size_t i = 0; i < stored; ++i) {
            const auto [row, column, value] = matrix.entries[i];
            if (row != column) matrix.entries.push_back({column, row, value});
        }
    }
    return csr_from_triplets(nodes, matrix.columns, std::move(matrix.entries));
}

EncodedLabels parse_labels(const std::string& name, std::string_view text, Index nodes) {
    LabelEncoder labels;
    LineReader lines(text);
    Index count = 0;
    while (lines.next()) {
        const std::string_view label = trimmed(lines.line());
        if (count < nodes) {
            labels.add(label);
            ++count;
        } else if (!label.empty()) {
            fail_at_line(name, lines.line_number(),
                         fmt::format("more labels than the {} nodes, found '{}'", nodes, excerpt(label)));
        }
    }
    if (count < nodes)
        fail_in_file(name, fmt::format("has {} labels, expected {}, one per node", count, nodes));
    return labels.encode();
}

}  // namespace

Dataset read_matrix_market_dataset(const MatrixMarketFiles& files, const ExecutionControl& control) {
    if (files.adjacency.empty()) throw InputError("no Matrix Market file with the adjacency was given");
    const auto text_of = [&](const std::filesystem::path& file) {
        return file.empty() ? std::string() : read_text_file(file, control);
    };
    return parse_matrix_market_dataset(files, text_of(files.adjacency), text_of(files.features),
                                       text_of(files.labels), control);
}

Dataset parse_matrix_market_dataset(const MatrixMarketFiles& files, std::string_view adjacency_text,
                                    std::string_view feature_text, std::string_view label_text,
                                    const ExecutionControl& control) {
    const MatrixMarket adjacency = parse_adjacency(files.adjacency.string(), adjacency_text, control);
    Dataset dataset;
    dataset.name = name_of_file(files.adjacency);
    dataset.source = files.adjacency.string();
    dataset.nodes = adjacency.rows;
    set_edges(dataset, adjacency, files.reading);
    dataset.features = files.features.empty()
                           ? csr_from_triplets(dataset.nodes, 0, {})
                           : parse_features(files.features.string(), feature_text, dataset.nodes, control);
    EncodedLabels classes{std::vector<Index>(dataset.nodes, unlabelled), {}, 0};
    if (!files.labels.empty()) classes = parse_labels(files.labels.string(), label_text, dataset.nodes);
    note_minus_ones(files.labels.string(), classes.minus_ones, dataset.notes);
    dataset.labels = std::move(classes.labels);
    dataset.class_names = std::move(classes.class_names);
    note_compound_classes(files.labels.string(), "write one part, without '{}', where that is not meant",
                          dataset.class_names, class_sizes(dataset.class_names.size(), dataset.labels),
                          dataset.notes);
    validate_dataset(dataset);
    return dataset;
}

}  // namespace hwgcn
