#include <unordered_set>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/text_file.hpp"
#include "base/text_output.hpp"
#include "io/csv/csv_table.hpp"
#include "io/csv/label_encoder.hpp"

namespace hwgcn {
namespace {

constexpr const char* nodes_file = "nodes.csv";
constexpr const char* edges_file = "edges.csv";

std::vector<std::string> node_fields(const Dataset& dataset) {
    std::vector<std::string> fields;
    fields.reserve(dataset.nodes);
    for (Index node = 0; node < dataset.nodes; ++node)
        fields.push_back(csv_field(node_id(dataset, node)));
    return fields;
}

void check_class_names(const Dataset& dataset) {
    for (const std::string& name : dataset.class_names) {
        if (means_unlabelled(name))
            throw InputError(
                fmt::format("class '{}' of {} would be read back as 'unlabelled'", name, dataset.name));
    }
}

// A name that no node has, because the header of the edges is told from an edge by its unknown ids.
std::string column_name(std::string name, const std::unordered_set<std::string_view>& ids) {
    while (ids.contains(name))
        name += '_';
    return name;
}

// A feature must not be taken for the column of the labels.
std::string feature_name(const Dataset& dataset, Index feature) {
    if (dataset.feature_names.empty()) return fmt::format("feature_{}", feature);
    const std::string& name = dataset.feature_names[feature];
    const std::string lower = lower_case(name);
    return lower == "label" || lower == "class" ? "feature_" + name : name;
}

void write_edges(TextOutput& out, const Dataset& dataset, const std::vector<std::string>& ids) {
    const std::unordered_set<std::string_view> taken(ids.begin(), ids.end());
    const bool weighted = !dataset.edge_weights.empty();
    if (dataset.directed || weighted) {
        out.print("# {}{}{}\n", dataset.directed ? "directed" : "", dataset.directed && weighted ? ", " : "",
                  weighted ? "weighted" : "");
    }
    out.print("{},{}{}\n", column_name("source", taken), column_name("target", taken),
              weighted ? ",weight" : "");
    for (std::size_t e = 0; e < dataset.edges.size(); ++e) {
        out.print("{},{}", ids[dataset.edges[e].from], ids[dataset.edges[e].to]);
        if (weighted) out.print(",{}", dataset.edge_weights[e]);
        out.text("\n");
    }
}

void write_nodes(TextOutput& out, const Dataset& dataset, const std::vector<std::string>& ids) {
    const bool labelled = dataset.classes() > 0;
    out.text(labelled ? "id,label" : "id");
    for (Index feature = 0; feature < dataset.features.columns; ++feature)
        out.print(",{}", csv_field(feature_name(dataset, feature)));
    out.text("\n");

    std::vector<std::string> classes;
    for (const std::string& name : dataset.class_names)
        classes.push_back(csv_field(name));
    for (Index node = 0; node < dataset.nodes; ++node) {
        out.text(ids[node]);
        if (labelled) {
            const Index label = dataset.labels[node];
            out.print(",{}", label == unlabelled ? std::string_view() : classes[label]);
        }
        const SparseRow<float> row = dataset.features.row(node);
        Index feature = 0;
        for (std::size_t entry = 0; entry < row.size(); ++entry, ++feature) {
            for (; feature < row.indices[entry]; ++feature)
                out.text(",0");
            out.print(",{}", row.values[entry]);
        }
        for (; feature < dataset.features.columns; ++feature)
            out.text(",0");
        out.text("\n");
    }
}

}  // namespace

std::vector<std::string> csv_file_names() {
    return {nodes_file, edges_file};
}

void write_csv_dataset(const std::filesystem::path& directory, const Dataset& dataset) {
    check_class_names(dataset);
    const std::vector<std::string> ids = node_fields(dataset);
    write_text_file(directory / nodes_file, [&](TextOutput& out) { write_nodes(out, dataset, ids); });
    write_text_file(directory / edges_file, [&](TextOutput& out) { write_edges(out, dataset, ids); });
}

}  // namespace hwgcn
