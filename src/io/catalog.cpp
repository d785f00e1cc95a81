#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/fail.hpp"
#include "base/files/regular_file.hpp"
#include "base/text_file.hpp"
#include "io/fetch_plans.hpp"
#include "io/formats.hpp"
#include "io/merged_edges.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view built_in = "built-in";

// What lies at `path`, by its name and content.
std::optional<CatalogEntry> identify(const fs::path& path) {
    for (const Format& format : formats()) {
        if (auto found = format.recognise(path))
            return CatalogEntry{std::move(found->name), format.name, std::move(found->path)};
    }
    return std::nullopt;
}

// Of an entry that is not built in.
const Format& format_of(const CatalogEntry& entry) {
    return *std::ranges::find(formats(), entry.format, &Format::name);
}

std::vector<fs::path> files_of(const CatalogEntry& entry) {
    if (entry.format == built_in) return {};
    std::vector<fs::path> files = format_of(entry).files(entry.path);
    std::erase_if(files, [](const fs::path& file) { return file.empty(); });
    return files;
}

Dataset load_entry(const CatalogEntry& entry, const ExecutionControl& control, const EdgeReading& reading) {
    // A path that somebody names may be a pipe; files that go with one are found by their names.
    for (const fs::path& file : files_of(entry)) {
        if (file != entry.path) expect_regular_file(file);
    }
    const auto load = [&]() -> Dataset {
        if (entry.format != built_in) return format_of(entry).read(entry.path, control, reading);
        refuse_directions(entry.name, reading.directions);
        return entry.name == "karate" ? make_karate() : make_synthetic(SyntheticOptions{}, control);
    };
    Dataset dataset = load();
    if (dataset.blocks.bounds.empty()) dataset.name = entry.name;  // shards know what they were made of
    return dataset;
}

std::vector<CatalogEntry> entries_in(const fs::path& folder) {
    std::vector<CatalogEntry> entries;
    if (!is_folder(folder)) return entries;
    std::error_code error;
    for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
        if (auto entry = identify(item->path())) entries.push_back(std::move(*entry));
    }
    if (error) fail_in_file(folder.string(), fmt::format("cannot read the folder: {}", error.message()));
    return entries;
}

// Which of two datasets of the same name is meant.
std::ptrdiff_t format_rank(const CatalogEntry& entry) {
    return entry.format == built_in ? -1 : &format_of(entry) - formats().data();
}

// By name among `entries`, else by path.
std::optional<CatalogEntry> find_entry(const std::string& name_or_path,
                                       const std::vector<CatalogEntry>& entries) {
    for (const CatalogEntry& entry : entries) {
        if (lower_case(entry.name) == lower_case(name_or_path)) return entry;
    }
    return identify(name_or_path);
}

std::string describe_unknown_folder(const fs::path& folder) {
    std::vector<std::string_view> contents;
    for (const Format& format : formats()) {
        if (format.lacking != nullptr) {
            if (const std::string lacking = format.lacking(folder); !lacking.empty()) return lacking;
        }
        if (!format.folder.empty()) contents.push_back(format.folder);
    }
    return fmt::format("is a folder with neither {}", fmt::join(contents, " nor "));
}

// The endings of file names come first, then what is recognised otherwise.
std::string describe_known_kinds() {
    std::vector<std::string> kinds;
    for (const Format& format : formats())
        kinds.insert(kinds.end(), format.endings.begin(), format.endings.end());
    for (const Format& format : formats()) {
        if (!format.prefix.empty()) kinds.push_back(format.prefix);
        if (!format.folder.empty() && format.endings.empty())
            kinds.push_back("a folder with " + format.folder);
    }
    kinds.back() = "or " + kinds.back();
    return fmt::format("{}", fmt::join(kinds, ", "));
}

[[noreturn]] void fail_unknown_path(const fs::path& path) {
    if (is_folder(path)) fail_in_file(path.string(), describe_unknown_folder(path));
    if (is_there(path))
        fail_in_file(path.string(), fmt::format("is of no known kind, expected {}", describe_known_kinds()));
    fail_in_file(path.string(), "no such file or folder");
}

[[noreturn]] void fail_unknown_dataset(const std::string& name, const fs::path& data_directory,
                                       const std::vector<CatalogEntry>& entries) {
    const std::string place = data_directory.empty() ? "the data directory" : data_directory.string();
    std::vector<std::string> names;
    for (const CatalogEntry& entry : entries)
        names.push_back(entry.name);
    for (const FetchPlan& plan : fetch_plans()) {
        if (plan.dataset == lower_case(name)) {
            throw InputError(
                fmt::format("dataset '{}' not found under {}; download it with: hwgcn data fetch {}",
                            plan.dataset, place, plan.dataset));
        }
        if (std::find(names.begin(), names.end(), plan.dataset) == names.end()) names.push_back(plan.dataset);
    }
    const bool only_built_in = std::all_of(
        entries.begin(), entries.end(), [](const CatalogEntry& entry) { return entry.format == built_in; });
    if (!only_built_in) fail_unknown_name("dataset", excerpt(name), names);
    const std::string nearest = nearest_name(excerpt(name), names);
    throw InputError(fmt::format(
        "unknown dataset '{}'{} (built-in: karate, synthetic; {} holds no datasets, "
        "download one with: hwgcn data fetch cora)",
        excerpt(name), nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest), place));
}

}  // namespace

std::vector<CatalogEntry> list_datasets(const std::filesystem::path& data_directory) {
    std::vector<CatalogEntry> entries = {{"karate", std::string(built_in), {}},
                                         {"synthetic", std::string(built_in), {}}};
    if (!data_directory.empty()) {
        for (const fs::path& folder :
             {data_directory, data_directory / "planetoid", data_directory / "npz"}) {
            const std::vector<CatalogEntry> found = entries_in(folder);
            entries.insert(entries.end(), found.begin(), found.end());
        }
    }
    // Of several datasets with the same name only the one that the name stands for is listed.
    std::sort(entries.begin(), entries.end(), [](const CatalogEntry& a, const CatalogEntry& b) {
        return std::tuple(lower_case(a.name), format_rank(a), a.path) <
               std::tuple(lower_case(b.name), format_rank(b), b.path);
    });
    const auto same_name = [](const CatalogEntry& a, const CatalogEntry& b) {
        return lower_case(a.name) == lower_case(b.name);
    };
    entries.erase(std::unique(entries.begin(), entries.end(), same_name), entries.end());
    return entries;
}

bool is_listed(const std::string& name, const std::filesystem::path& data_directory) {
    const std::vector<CatalogEntry> entries = list_datasets(data_directory);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const CatalogEntry& entry) { return lower_case(entry.name) == lower_case(name); });
}

Dataset load_dataset(const std::string& name_or_path, const std::filesystem::path& data_directory,
                     const ExecutionControl& control, const EdgeReading& reading) {
    if (name_or_path.empty()) throw InputError("no dataset was given: expected a name or a path");
    const std::vector<CatalogEntry> entries = list_datasets(data_directory);
    if (const auto entry = find_entry(name_or_path, entries)) return load_entry(*entry, control, reading);
    const fs::path path = name_or_path;
    if (path.has_parent_path() || path.has_extension() || is_there(path)) fail_unknown_path(path);
    fail_unknown_dataset(name_or_path, data_directory, entries);
}

std::vector<std::filesystem::path> dataset_files(const std::string& name_or_path,
                                                 const std::filesystem::path& data_directory) {
    const auto entry = find_entry(name_or_path, list_datasets(data_directory));
    return entry ? files_of(*entry) : std::vector<fs::path>();
}

}  // namespace hwgcn
