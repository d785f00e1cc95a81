#include "hwgcn/runs/run_folder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/version.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/files/regular_file.hpp"
#include "base/hash.hpp"
#include "base/json_text.hpp"
#include "runs/result_values.hpp"
#include "runs/run_files.hpp"
#include "training/checkpoint.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    return hash.bytes(bytes.data(), bytes.size()).hex();
}

Json decision_json(const RunManifest& manifest) {
    Json json = Json::object();
    if (!manifest.decision.class_weights.empty()) json["class_weights"] = manifest.decision.class_weights;
    if (manifest.decision.offset != 0) json["offset"] = manifest.decision.offset;
    if (manifest.decision.smoothing != 0) json["smoothing"] = manifest.decision.smoothing;
    if (manifest.threshold != ThresholdRule{}) json["threshold_rule"] = manifest.threshold.text();
    if (manifest.decision.threshold) {
        json["threshold"] = manifest.decision.threshold->least;
        json["positive"] = manifest.decision.threshold->positive;
    }
    return json;
}

// Whether it fits the classes of the dataset is seen when it is used (calibrate).
void read_decision(const Json& json, RunManifest& manifest) {
    manifest.decision.class_weights = json.value("class_weights", std::vector<double>{});
    manifest.decision.offset = json.value("offset", 0.0);
    manifest.decision.smoothing = json.value("smoothing", 0.0);
    manifest.threshold = threshold_rule(json.value("threshold_rule", ""));
    if (json.contains("threshold"))
        manifest.decision.threshold = {json.at("positive").get<Index>(), json.at("threshold").get<double>()};
}

Json to_json(const std::vector<Setting>& settings) {
    Json json = Json::object();
    for (const Setting& setting : settings)
        json[setting.name] = setting.text;
    return json;
}

std::vector<Setting> settings_from(const Json& json) {
    std::vector<Setting> settings;
    for (const auto& [name, value] : json.items())
        settings.push_back({name, value.get<std::string>()});
    return settings;
}

std::string member_file(std::size_t number) {
    return fmt::format("{}{}.npz", run_file::member_beginning, number);
}

// Of an average. Runs of a single method have no such list.
Json members_json(const RunManifest& manifest) {
    Json json = Json::array();
    const std::vector<Member> members = members_of(manifest);
    for (std::size_t k = 0; k < members.size(); ++k) {
        const std::vector<Setting> listed = listed_settings(members[k].settings);
        json.push_back({{"label", method_label(members[k].settings)},
                        {"weight", members[k].share.weight},
                        {"temperature", members[k].share.temperature},
                        {"file", k == 0 ? run_file::model : member_file(k + 1)},
                        {"settings", to_json(listed)},
                        {"settings_sha256", settings_hash(listed, manifest.results)}});
    }
    return json;
}

// The checksum of run.json is that of its text with this in the place of the checksum, which comes first.
const std::string no_checksum(64, '0');

std::string manifest_text(const RunManifest& manifest) {
    Json json = {{"sha256", no_checksum},
                 {"version", manifest.version},
                 {"finished", manifest.result.has_value()},
                 {"dataset",
                  {{"name", manifest.dataset},
                   {"source", manifest.source},
                   {"given", to_json(manifest.given)},
                   {"content_sha256", manifest.content_hash},
                   {"sha256", manifest.dataset_hash}}},
                 {"split", {{"name", manifest.split}, {"sha256", manifest.split_hash}}},
                 {"seed", manifest.seed},
                 {"results_version", manifest.results},
                 {"settings", to_json(listed_settings(manifest.settings))},
                 {"settings_sha256", settings_hash(listed_settings(manifest.settings), manifest.results)},
                 {"temperature", manifest.temperature},
                 {"files", manifest.files}};
    if (Json decision = decision_json(manifest); !decision.empty()) json["decision"] = std::move(decision);
    if (!manifest.others.empty()) json["members"] = members_json(manifest);
    if (manifest.choice) json["choice"] = choice_value(*manifest.choice);
    if (manifest.result) json["result"] = result_value(*manifest.result);
    std::string text = json.dump(1) + "\n";
    return text.replace(text.find(no_checksum), no_checksum.size(), sha256(text));
}

void check_manifest_text(const std::string& file, std::string text, const Json& json) {
    const auto stored = json.at("sha256").get<std::string>();
    const std::size_t place = text.find(stored);
    if (stored.size() == no_checksum.size() && place != std::string::npos &&
        sha256(text.replace(place, stored.size(), no_checksum)) == stored)
        return;
    fail_in_file(file, "was changed after the run: its content does not have the SHA-256 that it names");
}

// The settings of the run, or of one of its members.
MethodSettings settings_of(const std::string& file, const RunManifest& manifest, const Json& json) {
    const std::vector<Setting> listed = settings_from(json.at("settings"));
    try {
        MethodSettings settings =
            MethodSettings::from_listed(listed, manifest.dataset, manifest.results == 1);
        if (settings_hash(listed, manifest.results) == json.at("settings_sha256").get<std::string>())
            return settings;
    } catch (const InputError& error) {
        fail_in_file(file,
                     fmt::format("was written by hwgcn {}, and is not understood by this version, {}: {}",
                                 manifest.version, version(), error.what()));
    }
    fail_in_file(file, "is damaged: its settings do not have the SHA-256 that it names");
}

void read_members_of(const std::string& file, const Json& json, RunManifest& manifest) {
    const auto share_of = [](const Json& member) {
        return MemberShare{member.at("weight").get<double>(), member.at("temperature").get<double>()};
    };
    manifest.share = share_of(json.at(0));
    for (std::size_t k = 1; k < json.size(); ++k)
        manifest.others.push_back({settings_of(file, manifest, json[k]), share_of(json[k])});
}

RunManifest manifest_from(const std::string& file, const Json& json) {
    RunManifest manifest;
    const Json& dataset = json.at("dataset");
    json.at("version").get_to(manifest.version);
    dataset.at("name").get_to(manifest.dataset);
    dataset.at("source").get_to(manifest.source);
    manifest.given = settings_from(dataset.at("given"));
    dataset.at("content_sha256").get_to(manifest.content_hash);
    dataset.at("sha256").get_to(manifest.dataset_hash);
    json.at("split").at("name").get_to(manifest.split);
    json.at("split").at("sha256").get_to(manifest.split_hash);
    json.at("seed").get_to(manifest.seed);
    manifest.temperature = json.value("temperature", 1.0);  // runs of older versions have none
    json.at("files").get_to(manifest.files);
    if (json.contains("decision")) read_decision(json.at("decision"), manifest);
    // Runs before version 0.2 name no version of results, and list settings that their method does not have.
    manifest.results = json.value("results_version", 1);
    manifest.settings = settings_of(file, manifest, json);
    if (json.contains("members")) read_members_of(file, json.at("members"), manifest);
    if (json.contains("choice")) manifest.choice = choice_from_value(json.at("choice"));
    if (!json.contains("result")) return manifest;
    manifest.result = result_from_value(json.at("result"));
    manifest.result->seed = manifest.seed;
    return manifest;
}

void write_manifest(const fs::path& folder, const RunManifest& manifest) {
    const fs::path file = folder / run_file::manifest;
    std::string text;
    try {
        text = manifest_text(manifest);
    } catch (const Json::exception&) {  // the only reason for which strings cannot be written
        fail_in_file(file.string(),
                     "names and paths of the dataset are not valid UTF-8, which JSON requires");
    }
    write_text_atomically(file, text);
}

void remove_file(const fs::path& file) {
    std::error_code error;
    if (fs::remove(file, error)) sync_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
    if (error) throw ExecutionError(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
}

}  // namespace

Index calibration_labels(const RunManifest& manifest) {
    if (!manifest.choice) return manifest.result->validation.count;
    const std::vector<TriedMethod>& tried = manifest.choice->tried;
    return tried.empty() ? 0 : tried[manifest.choice->chosen].held_out.count;
}

RunManifest make_manifest(const PreparedGraph& graph, std::vector<Setting> given, const Split& split,
                          std::uint64_t seed) {
    RunManifest manifest;
    manifest.version = version();
    manifest.dataset = graph.dataset.name;
    manifest.source = graph.dataset.source;
    manifest.given = std::move(given);
    manifest.content_hash = graph.content_hash;
    manifest.dataset_hash = dataset_hash(graph);
    manifest.split = split.name;
    manifest.split_hash = split_hash(split, graph.dataset);
    manifest.seed = seed;
    return manifest;
}

void add_result(RunManifest& manifest, const TrainedRun& run) {
    manifest.settings = run.settings;
    manifest.choice = run.choice;
    manifest.temperature = run.temperature;
    manifest.decision = run.decision;
    manifest.threshold = run.threshold;
    manifest.result = run.result;
    manifest.share = run.share;
    manifest.others = run.others;
}

void check_same_training(const fs::path& folder, const RunManifest& stored, const RunManifest& wanted) {
    const auto compare = [&](const std::string& what, const std::string& before, const std::string& now) {
        if (before == now || what == "device") return;  // it may go on elsewhere
        fail_in_file(folder.string(),
                     fmt::format("the run there was begun with another {}: {}, now {}", what, before, now));
    };
    const std::vector<Setting> before = listed_settings(stored.settings);
    for (const Setting& setting : listed_settings(wanted.settings)) {
        const auto found = std::ranges::find(before, setting.name, &Setting::name);
        compare(setting.name, found == before.end() ? "nothing" : found->text, setting.text);
    }
    compare("version of the results", fmt::to_string(stored.results), fmt::to_string(wanted.results));
    compare("seed", fmt::to_string(stored.seed), fmt::to_string(wanted.seed));
    const auto weights = [](const RunManifest& manifest) {
        const std::vector<double>& numbers = manifest.decision.class_weights;
        return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "));
    };
    const auto threshold = [](const RunManifest& manifest) {
        return manifest.threshold == ThresholdRule{} ? "none" : manifest.threshold.text();
    };
    compare("weighting of the classes", weights(stored), weights(wanted));
    compare("threshold", threshold(stored), threshold(wanted));
    compare("dataset", stored.dataset_hash.substr(0, 12), wanted.dataset_hash.substr(0, 12));
    compare("split", stored.split_hash.substr(0, 12), wanted.split_hash.substr(0, 12));
}

bool has_run(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / run_file::manifest, ignored);
}

RunManifest read_run(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) fail_in_file(folder.string(), "no such folder, expected a run");
    if (!has_run(folder))
        fail_in_file(folder.string(), fmt::format("is not a run: it has no {}", run_file::manifest));
    const std::string file = (folder / run_file::manifest).string();
    const std::string text = read_regular_file(file);
    try {
        const Json json = parse_json(file, text);
        check_manifest_text(file, text, json);
        return manifest_from(file, json);
    } catch (const Json::exception& failure) {
        fail_in_file(file, fmt::format("is damaged: {}", failure.what()));
    }
}

std::string verified_content(const fs::path& folder, const RunManifest& manifest, const std::string& name) {
    const fs::path file = folder / name;
    const auto expected = manifest.files.find(name);
    if (expected == manifest.files.end())
        fail_in_file(folder.string(), fmt::format("the run is not finished: it has no {}", name));
    std::string content = read_regular_file(file);
    const std::string found = sha256(content);
    if (found != expected->second) {
        fail_in_file(file.string(),
                     fmt::format("was changed after the run: its SHA-256 is {}.., expected {}..",
                                 found.substr(0, 12), expected->second.substr(0, 12)));
    }
    return content;
}

Split read_run_split(const fs::path& folder, const RunManifest& manifest, const Dataset& dataset) {
    const std::string file = (folder / run_file::split).string();
    Split split = split_from_text(file, verified_content(folder, manifest, run_file::split), dataset);
    if (split_hash(split, dataset) != manifest.split_hash)
        fail_in_file(file, fmt::format("is not the split that {} names", run_file::manifest));
    return split;
}

namespace {

std::vector<TrainableMatrix> read_parameters(const fs::path& folder, const RunManifest& manifest,
                                             const std::string& name, const MethodSettings& settings,
                                             const PreparedGraph& graph) {
    return parameters_from((folder / name).string(), verified_content(folder, manifest, name),
                           empty_parameters(graph, settings), "", empty_statistics(graph, settings));
}

}  // namespace

std::vector<TrainableMatrix> read_model(const fs::path& folder, const RunManifest& manifest,
                                        const PreparedGraph& graph) {
    return read_parameters(folder, manifest, run_file::model, manifest.settings, graph);
}

std::vector<Member> read_members(const fs::path& folder, const RunManifest& manifest,
                                 const PreparedGraph& graph) {
    std::vector<Member> members = members_of(manifest);
    for (std::size_t k = 0; k < members.size(); ++k) {
        const std::string name = k == 0 ? run_file::model : member_file(k + 1);
        members[k].parameters = read_parameters(folder, manifest, name, members[k].settings, graph);
    }
    return members;
}

namespace {

// Only what the program wrote there: a person may keep other things in a folder of that name.
void remove_archives(const fs::path& folder, std::string_view beginning) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(beginning) && name.ends_with(".npz")) remove_file(entry.path());
    }
    fs::remove(folder, ignored);  // if it is empty
}

}  // namespace

void start_run(const fs::path& folder, RunManifest manifest, const Split& split, const Dataset& dataset) {
    // First the checkpoint, which must never be taken for one of this run; then run.json, which tells from
    // now on that the folder is an unfinished run, whatever is left in it.
    const fs::path split_file = folder / run_file::split;
    const std::string text = split_text(split_file, split, dataset);
    remove_file(folder / run_file::checkpoint);
    manifest.result.reset();
    manifest.files = {{run_file::split, sha256(text)}};
    write_manifest(folder, manifest);
    for (const char* const name : {run_file::model, run_file::history, run_file::predictions})
        remove_file(folder / name);
    remove_archives(folder / run_file::weights, "weights-");
    remove_archives(folder, run_file::member_beginning);
    write_text_atomically(split_file, text);
}

RunManifest finish_run(const fs::path& folder, RunManifest manifest, const TrainedModel& model,
                       ConstMatrixView probabilities, const Split& split, const Dataset& dataset) {
    const PredictionSource all = [&](const PartTaker& take) { take(probabilities, 0); };
    return finish_run(folder, std::move(manifest), model, all, split, dataset);
}

// Checksums are of what is written, not of what is found under a name afterwards.
RunManifest finish_run(const fs::path& folder, RunManifest manifest, const TrainedModel& model,
                       const PredictionSource& predictions, const Split& split, const Dataset& dataset) {
    manifest.files[run_file::model] = save_parameters(folder / run_file::model, model.parameters);
    for (std::size_t k = 0; k < manifest.others.size(); ++k) {
        const std::string name = member_file(k + 2);
        manifest.files[name] = save_parameters(folder / name, manifest.others[k].parameters);
    }
    const auto write = [&](const char* name, const std::string& text) {
        write_text_atomically(folder / name, text);
        manifest.files[name] = sha256(text);
    };
    write(run_file::history, history_csv(model.history));
    const PredictionTable table(split, dataset, manifest.decision);
    write_atomically(folder / run_file::predictions, [&](OutputFile& out) {
        out.write(table.heading());
        predictions([&](ConstMatrixView part, Index first) { out.write(table.rows(part, first)); });
        manifest.files[run_file::predictions] = out.sha256();
    });
    manifest.files[run_file::split] = sha256(split_text(folder / run_file::split, split, dataset));
    write_manifest(folder, manifest);
    remove_file(folder / run_file::checkpoint);
    remove_archives(folder / run_file::choice, "choice-");
    return manifest;
}

void add_baselines(const fs::path& folder, RunManifest& manifest, std::vector<Baseline> baselines) {
    manifest.result->baselines = std::move(baselines);
    write_manifest(folder, manifest);
}

}  // namespace hwgcn
