#include "io/csv/csv_reader.hpp"

#include <utility>

#include "hwgcn/base/error.hpp"

#include "base/text_file.hpp"
#include "io/csv/edge_list.hpp"
#include "io/csv/feature_list.hpp"
#include "io/csv/node_table.hpp"
#include "io/merged_edges.hpp"

namespace hwgcn {

Dataset read_csv_dataset(const CsvFiles& files, const ExecutionControl& control) {
    if (files.edges.empty()) throw InputError("no edge file was given: a CSV dataset needs at least that");
    const std::string edge_text = read_text_file(files.edges, control);
    const std::string node_text = files.nodes.empty() ? "" : read_text_file(files.nodes, control);
    const std::string feature_text = files.features.empty() ? "" : read_text_file(files.features, control);
    return parse_csv_dataset(files, edge_text, node_text, feature_text, control);
}

Dataset parse_csv_dataset(const CsvFiles& files, std::string_view edge_text, std::string_view node_text,
                          std::string_view feature_text, const ExecutionControl& control) {
    NodeTable nodes;
    EdgeList list;
    const std::string node_name = files.nodes.string();
    if (files.nodes.empty()) {
        list = parse_edge_list_alone(files.edges.string(), edge_text, files, nodes.ids, control);
        nodes.classes.labels.assign(nodes.ids.size(), unlabelled);
        nodes.features.rows = nodes.ids.size();
        nodes.features.offsets.assign(nodes.ids.size() + std::size_t{1}, 0);
    } else {
        nodes = parse_node_table(node_name, node_text, files, control);
        list = parse_edge_list(files.edges.string(), edge_text, files,
                               {nodes.ids, node_name, node_text, control});
    }
    if (!files.features.empty()) {
        FeatureList more = parse_feature_list(files.features.string(), feature_text,
                                              {nodes.ids, node_name, node_text, control});
        nodes.features = side_by_side(nodes.features, more.features);
        nodes.feature_names.insert(nodes.feature_names.end(), more.names.begin(), more.names.end());
        nodes.feature_kinds.resize(nodes.feature_names.size(), FeatureKind::unknown);
    }
    Dataset dataset;
    dataset.name = name_of_file(files.edges);
    dataset.source = files.edges.string();
    dataset.nodes = nodes.ids.size();
    dataset.edges = std::move(list.edges);
    dataset.edge_weights = std::move(list.weights);
    dataset.directed =
        files.directions == Directions::as_found ? list.directed : files.directions == Directions::kept;
    dataset.features = std::move(nodes.features);
    dataset.labels = std::move(nodes.classes.labels);
    dataset.class_names = std::move(nodes.classes.class_names);
    dataset.node_ids = nodes.ids.names();
    dataset.feature_names = std::move(nodes.feature_names);
    dataset.feature_kinds = std::move(nodes.feature_kinds);
    dataset.notes = std::move(nodes.notes);
    dataset.notes.insert(dataset.notes.end(), list.notes.begin(), list.notes.end());
    dataset.columns = std::move(nodes.columns);
    dataset.edge_columns = std::move(list.columns);
    settle_weights(dataset, ConstantWeights::kept_where_repeated);
    note_repeated_edges(dataset);
    note_encoding(files.edges.string(), line_not_utf8(edge_text), dataset.notes);
    note_encoding(node_name, line_not_utf8(node_text), dataset.notes);
    note_encoding(files.features.string(), line_not_utf8(feature_text), dataset.notes);
    note_classes(node_name, dataset.class_names, class_sizes(dataset.class_names.size(), dataset.labels),
                 dataset.notes);
    validate_dataset(dataset);
    return dataset;
}

}  // namespace hwgcn
