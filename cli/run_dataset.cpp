#include "run_dataset.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/data/catalog.hpp"
#include "hwgcn/support/error.hpp"

namespace hwgcn::cli {
namespace {

namespace fs = std::filesystem;

const std::string data_directory_key = "data_dir";

// Calls visit(name, value) for all that says which dataset is meant.
template <typename Options, typename Visit>
void for_each_value(Options& selection, const Visit& visit) {
    visit("dataset", selection.dataset);
    visit("synthetic", selection.synthetic);
    visit("edges", selection.csv.edges);
    visit("nodes", selection.csv.nodes);
    visit("source", selection.csv.source_column);
    visit("target", selection.csv.target_column);
    visit("id", selection.csv.id_column);
    visit("label", selection.csv.label_column);
    visit("features", selection.csv.features);
    visit("categorical", selection.csv.categorical_columns);
    visit("ignore", selection.csv.ignored_columns);
    visit("scale", selection.csv.scale);
    visit("structural_features", selection.structural_features);
}

std::string text_of(const std::string& text) {
    return text;
}

std::string text_of(const fs::path& path) {
    return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

DatasetOptions selection_of(const RunManifest& manifest) {
    DatasetOptions selection;
    for (const Setting& setting : manifest.given) {
        for_each_value(selection, [&](const std::string& name, auto& value) {
            if (name == setting.name) value = setting.text;
        });
    }
    return selection;
}

// Where the run found its data by name, unless that folder is gone.
fs::path data_directory_of(const RunManifest& manifest) {
    for (const Setting& setting : manifest.given) {
        std::error_code ignored;
        if (setting.name == data_directory_key && fs::is_directory(setting.text, ignored))
            return setting.text;
    }
    return {};
}

// Where the dataset of a run is: where it was, or where `moved` says.
std::pair<DatasetOptions, CommonOptions> place_of(const RunManifest& manifest, const DatasetOptions& moved,
                                                  const CommonOptions& options) {
    const bool is_moved = has_any(moved);
    CommonOptions place = options;
    place.quiet = true;  // the reader's notes were told when the run was trained
    if (!is_moved && place.data_directory.empty()) place.data_directory = data_directory_of(manifest);
    return {is_moved ? moved : selection_of(manifest), place};
}

RunManifest read_given_run(const fs::path& folder) {
    if (folder.empty()) throw InputError("no run was given: expected a folder that hwgcn train --out wrote");
    return read_run(folder);
}

void check_unchanged(const RunManifest& manifest, const PreparedGraph& graph) {
    const std::string found = dataset_hash(graph);
    if (found == manifest.dataset_hash) return;
    const bool same_content = graph.content_hash == manifest.content_hash;
    throw InputError(
        fmt::format("{}: the dataset is not the one that the run was trained on: its {} differ (SHA-256 "
                    "{}.., expected {}..); restore the files, or train again",
                    graph.dataset.name, same_content ? "labels or names" : "edges or features",
                    found.substr(0, 12), manifest.dataset_hash.substr(0, 12)));
}

}  // namespace

std::vector<Setting> describe(const DatasetOptions& selection, const CommonOptions& options) {
    std::vector<Setting> given;
    for_each_value(selection, [&](const std::string& name, const auto& value) {
        if (!value.empty()) given.push_back({name, text_of(value)});
    });
    if (selection.dataset.empty()) return given;
    const fs::path directory = data_directory(options);
    if (is_listed(selection.dataset, directory)) {
        if (!directory.empty()) given.push_back({data_directory_key, text_of(directory)});
    } else {
        given.front().text = text_of(fs::path(selection.dataset));
    }
    return given;
}

bool has_any(const DatasetOptions& selection) {
    bool any = false;
    for_each_value(selection, [&](const std::string&, const auto& value) { any |= !value.empty(); });
    return any;
}

PreparedGraph load_again(const RunManifest& manifest, const DatasetOptions& moved,
                         const CommonOptions& options, const ExecutionControl& control) {
    const auto [selection, place] = place_of(manifest, moved, options);
    PreparedGraph graph(load(selection, place, control), feature_options(selection), control);
    check_unchanged(manifest, graph);
    return graph;
}

std::vector<fs::path> input_files_of_run(const fs::path& folder, const DatasetOptions& moved,
                                         const CommonOptions& options) {
    const auto [selection, place] = place_of(read_given_run(folder), moved, options);
    std::vector<fs::path> files = input_files(selection, place);
    for (const char* const name : run_file::all)
        files.push_back(folder / name);
    return files;
}

OpenedRun open_run(const fs::path& folder, const DatasetOptions& moved, const CommonOptions& options,
                   const ExecutionControl& control) {
    RunManifest manifest = read_given_run(folder);
    verified_content(folder, manifest, run_file::model);  // before the work of loading the data
    PreparedGraph graph = load_again(manifest, moved, options, control);
    Split split = read_run_split(folder, manifest, graph.dataset);
    std::vector<TrainableMatrix> parameters = read_model(folder, manifest, graph);
    return {std::move(manifest), std::move(graph), std::move(split), std::move(parameters)};
}

}  // namespace hwgcn::cli
