#include "run_dataset.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "runs/run_files.hpp"

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
    visit("weight", selection.csv.weight_column);
    visit("directions", selection.directions);
    visit("id", selection.csv.id_column);
    visit("label", selection.csv.label_column);
    visit("label_separator", selection.csv.label_separator);
    visit("bins", selection.csv.bins);
    visit("features", selection.csv.features);
    visit("categorical", selection.csv.categorical_columns);
    visit("ignore", selection.csv.ignored_columns);
    visit("numeric", selection.csv.numeric_columns);
    visit("scale", selection.scale);
    visit("column_rules", selection.column_rules);
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
    selection.column_rules = column_rules::none;  // unless the run names them: earlier versions had none
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
    DatasetOptions selection = is_moved ? moved : selection_of(manifest);
    if (selection.scale.empty()) selection.scale = selection_of(manifest).scale;
    selection.column_rules = selection_of(manifest).column_rules;
    return {std::move(selection), place};
}

RunManifest read_given_run(const fs::path& folder) {
    if (folder.empty()) throw InputError("no run was given: expected a folder that hwgcn train --out wrote");
    return read_run(folder);
}

void check_unchanged(const RunManifest& manifest, const PreparedGraph& graph) {
    const std::string found = dataset_hash(graph);
    if (found == manifest.dataset_hash) return;
    const bool same_content = graph.content_hash == manifest.content_hash;
    const bool scaled_anew = !same_content && graph.features.scaling.scale != Scale::rows;
    throw InputError(
        fmt::format("{}: the dataset is not the one that the run was trained on: its {} differ (SHA-256 "
                    "{}.., expected {}..); restore the files, or train again; nodes that came later go into "
                    "--add-nodes{}",
                    graph.dataset.name, same_content ? "labels, names or directions" : "edges or features",
                    found.substr(0, 12), manifest.dataset_hash.substr(0, 12),
                    scaled_anew ? " (versions before 0.2 scaled such features differently)" : ""));
}

// A run of an earlier version has no statistics. On its own graph they change nothing.
void add_missing_statistics(const PreparedGraph& graph, const WeightCache& cache,
                            const CommonOptions& options, Member& member, const ExecutionControl& control) {
    if (!lacks_statistics(graph, member.settings, member.parameters)) return;
    const PreparedGraph& trained = graph.addition.original ? *graph.addition.original : graph;
    OperatorPool operators(trained, &cache);
    add_statistics(trained, operators.get(member.settings, control), member.settings, member.parameters,
                   control);
    if (graph.addition.original)
        note(options,
             "the run is of an earlier version and has no means for batch normalisation: those of its "
             "training graph were computed again");
}

}  // namespace

std::vector<Setting> describe(const DatasetOptions& asked, const CommonOptions& options) {
    DatasetOptions selection = asked;
    const bool may_have_table =
        !asked.csv.nodes.empty() ||
        (!asked.dataset.empty() && !is_listed(asked.dataset, data_directory(options)));
    if (may_have_table && asked.column_rules.empty()) selection.column_rules = column_rules::latest;
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
                         const CommonOptions& options, const ExecutionControl& control,
                         const AdditionOptions& additions) {
    const auto [selection, place] = place_of(manifest, moved, options);
    Dataset dataset = load(selection, place, control);
    if (!additions.files.any()) {
        PreparedGraph graph = prepare_graph(std::move(dataset), feature_options(selection), control);
        check_unchanged(manifest, graph);
        return graph;
    }
    const auto original =
        std::make_shared<const PreparedGraph>(prepare_graph(dataset, feature_options(selection), control));
    check_unchanged(manifest, *original);
    AddedFiles files = additions.files;
    files.id_column = selection.csv.id_column;
    files.label_column = selection.csv.label_column;
    files.weight_column = selection.csv.weight_column;
    files.source_column = selection.csv.source_column;
    files.target_column = selection.csv.target_column;
    Dataset joined = with_additions(std::move(dataset), files, original->features.scaling, control);
    for (std::string& message : joined.notes)
        note(options, message = in_options(message));
    PreparedGraph graph =
        prepare_addition(std::move(joined), {original, additions.update_neighbors}, control);
    for (const Member& member : members_of(manifest))
        check_takes_new_nodes(graph, member.settings);
    return graph;
}

WeightCache cache_of_run(const fs::path& folder, const CacheOptions& options) {
    return WeightCache(cache_directory(options), folder / run_file::weights);
}

void save_weights(const fs::path& folder, const PreparedGraph& graph, const MethodSettings& settings,
                  const WeightCache* cache, std::vector<std::string>& notes) {
    if (cache == nullptr || order_of(settings) == 1) return;
    const WeightCache saved(folder / run_file::weights);
    const std::string content = weight_content(graph);
    for (int order = 2; order <= order_of(settings); ++order) {
        const std::string key = WeightCache::key(content, settings.weights(), order);
        std::vector<std::string> messages;
        const auto weights = cache->find(key, graph.graph.nodes(), messages);
        if (weights) {
            saved.store(key, *weights, messages);
        } else if (messages.empty()) {
            messages.push_back(
                fmt::format("the weights of order {} are not kept in the run: the cache has none", order));
        }
        warn(messages, notes);
    }
}

void add_addition_options(CLI::App& command, AdditionOptions& options) {
    const std::string group = "New nodes";
    command
        .add_option("--add-nodes", options.files.nodes,
                    "nodes that came after training: a table with an id and features, in any order")
        ->type_name("FILE")
        ->group(group);
    command
        .add_option("--add-edges", options.files.edges, "edges that came after training, between any nodes")
        ->type_name("FILE")
        ->group(group);
    command
        .add_option("--add-features", options.files.features,
                    "features of new nodes in long form: node id, feature, and its value unless it is 1")
        ->type_name("FILE")
        ->group(group);
    command
        .add_flag("--update-neighbors,--update-neighbours", options.update_neighbors,
                  "learn the weights of old nodes again where something new is within reach")
        ->group(group);
}

std::vector<fs::path> input_files_of_run(const fs::path& folder, const DatasetOptions& moved,
                                         const CommonOptions& options) {
    const RunManifest manifest = read_given_run(folder);
    const auto [selection, place] = place_of(manifest, moved, options);
    std::vector<fs::path> files = input_files(selection, place);
    for (const char* const name : run_file::all)
        files.push_back(folder / name);
    for (const auto& [name, checksum] : manifest.files)
        files.push_back(folder / name);
    return files;
}

OpenedRun open_run(const fs::path& folder, const DatasetOptions& moved, const CommonOptions& options,
                   const WeightCache& cache, const ExecutionControl& control,
                   const AdditionOptions& additions) {
    RunManifest manifest = read_given_run(folder);
    verified_content(folder, manifest, run_file::model);  // before the work of loading the data
    PreparedGraph graph = load_again(manifest, moved, options, control, additions);
    Split split = read_run_split(folder, manifest, graph.dataset);
    std::vector<Member> members = read_members(folder, manifest, graph);
    for (Member& member : members)
        add_missing_statistics(graph, cache, options, member, control);
    return {std::move(manifest), std::move(graph), std::move(split), std::move(members)};
}

}  // namespace hwgcn::cli
