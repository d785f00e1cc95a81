#include <fmt/format.h>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "io/formats.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

fs::path find_table(const fs::path& folder, std::string_view stem) {
    return find_file(folder, stem, {"csv", "tsv", "csv.gz", "tsv.gz"});
}

CsvFiles tables_in(const fs::path& folder) {
    CsvFiles files;
    files.edges = find_table(folder, "edges");
    files.nodes = find_table(folder, "nodes");
    files.features = find_table(folder, "features");
    return files;
}

std::optional<DatasetLocation> recognise_csv(const fs::path& folder) {
    if (!is_folder(folder)) return std::nullopt;
    const CsvFiles tables = tables_in(folder);
    if (tables.edges.empty() || tables.nodes.empty()) return std::nullopt;
    return located_folder(folder);
}

std::string lacking(const fs::path& folder) {
    const CsvFiles tables = tables_in(folder);
    if (tables.edges.empty() == tables.nodes.empty()) return "";
    const bool edges = !tables.edges.empty();
    return fmt::format("has {}.csv but no {}.csv", edges ? "edges" : "nodes", edges ? "nodes" : "edges");
}

}  // namespace

Format csv_format() {
    Format format;
    format.name = "csv";
    format.folder = "edges.csv and nodes.csv";
    format.recognise = recognise_csv;
    format.lacking = lacking;
    format.files = [](const fs::path& folder) {
        const CsvFiles tables = tables_in(folder);
        return std::vector{tables.edges, tables.nodes, tables.features};
    };
    format.read = [](const fs::path& folder, const ExecutionControl& control, const EdgeReading& reading) {
        CsvFiles files = tables_in(folder);
        if (!reading.weights) files.weight_column = "none";
        files.directions = reading.directions;
        files.judge_columns = reading.judge_columns;
        return read_csv_dataset(files, control);
    };
    format.write = write_csv_dataset;
    format.written = csv_file_names();
    return format;
}

}  // namespace hwgcn
