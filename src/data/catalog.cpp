#include "hwgcn/data/catalog.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "hwgcn/data/fetch_plans.hpp"
#include "hwgcn/data/readers.hpp"
#include "hwgcn/data/synthetic.hpp"
#include "hwgcn/support/error.hpp"

#include "data/planetoid_reader.hpp"
#include "data/text_file.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

// The first of STEM.ENDING in `folder` that is there, or an empty path.
fs::path find_file(const fs::path& folder, std::string_view stem,
                   std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
        fs::path file = folder / fmt::format("{}.{}", stem, ending);
        if (is_there(file)) return file;
    }
    return {};
}

fs::path find_table(const fs::path& folder, std::string_view stem) {
    return find_file(folder, stem, {"csv", "tsv", "csv.gz", "tsv.gz"});
}

fs::path find_matrix(const fs::path& folder, std::string_view stem) {
    return find_file(folder, stem, {"mtx", "mtx.gz"});
}

std::optional<CatalogEntry> identify_folder(const fs::path& folder) {
    // "." and "x/" have no names of their own.
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const std::string name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    if (!find_table(folder, "edges").empty() && !find_table(folder, "nodes").empty())
        return CatalogEntry{name, "csv", folder};
    if (!find_matrix(folder, "adjacency").empty()) return CatalogEntry{name, "matrix-market", folder};
    return std::nullopt;
}

// What lies at `path`, by its name and content; a Planetoid dataset also by its prefix.
std::optional<CatalogEntry> identify(const fs::path& path) {
    if (is_folder(path)) return identify_folder(path);
    const std::string file = path.filename().string();
    if (file.starts_with("ind.")) {
        fs::path prefix = path;
        if (path.extension() == ".graph") prefix.replace_extension();
        const std::string name = prefix.filename().string().substr(4);
        if (!name.empty() && is_there(fs::path(prefix) += ".graph"))
            return CatalogEntry{name, "planetoid", prefix};
    }
    if (!is_there(path)) return std::nullopt;
    if (file.ends_with(".npz")) return CatalogEntry{name_of_file(path), "npz", path};
    if (file.ends_with(".mtx") || file.ends_with(".mtx.gz"))
        return CatalogEntry{name_of_file(path), "matrix-market", path};
    return std::nullopt;
}

CsvFiles csv_files(const fs::path& folder) {
    CsvFiles files;
    files.edges = find_table(folder, "edges");
    files.nodes = find_table(folder, "nodes");
    files.features = find_table(folder, "features");
    return files;
}

MatrixMarketFiles matrix_market_files(const fs::path& path) {
    if (!is_folder(path)) return {path, {}, {}};
    return {find_matrix(path, "adjacency"), find_matrix(path, "features"),
            find_file(path, "labels", {"txt", "txt.gz"})};
}

std::vector<fs::path> files_of(const CatalogEntry& entry) {
    std::vector<fs::path> files;
    if (entry.format == "planetoid") {
        for (const std::string_view part : planetoid_parts)
            files.push_back(fmt::format("{}.{}", entry.path.string(), part));
    } else if (entry.format == "npz") {
        files = {entry.path};
    } else if (entry.format == "csv") {
        const CsvFiles csv = csv_files(entry.path);
        files = {csv.edges, csv.nodes, csv.features};
    } else if (entry.format == "matrix-market") {
        const MatrixMarketFiles matrices = matrix_market_files(entry.path);
        files = {matrices.adjacency, matrices.features, matrices.labels};
    }
    std::erase_if(files, [](const fs::path& file) { return file.empty(); });
    return files;
}

Dataset load_entry(const CatalogEntry& entry, const ExecutionControl& control) {
    const auto load = [&]() -> Dataset {
        if (entry.name == "karate" && entry.format == "built-in") return make_karate();
        if (entry.format == "built-in") return make_synthetic(SyntheticOptions{}, control);
        if (entry.format == "planetoid") return read_planetoid(entry.path);
        if (entry.format == "npz") return read_npz_dataset(entry.path, control);
        if (entry.format == "csv") return read_csv_dataset(csv_files(entry.path), control);
        return read_matrix_market_dataset(matrix_market_files(entry.path), control);
    };
    Dataset dataset = load();
    dataset.name = entry.name;
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
    static constexpr std::array<std::string_view, 5> ranks = {"built-in", "planetoid", "npz", "csv",
                                                              "matrix-market"};
    return std::find(ranks.begin(), ranks.end(), entry.format) - ranks.begin();
}

// By name among `entries`, else by path.
std::optional<CatalogEntry> find_entry(const std::string& name_or_path,
                                       const std::vector<CatalogEntry>& entries) {
    for (const CatalogEntry& entry : entries) {
        if (lower_case(entry.name) == lower_case(name_or_path)) return entry;
    }
    return identify(name_or_path);
}

std::string describe_missing_folder(const fs::path& folder) {
    const bool edges = !find_table(folder, "edges").empty();
    const bool nodes = !find_table(folder, "nodes").empty();
    if (edges != nodes)
        return fmt::format("has {}.csv but no {}.csv", edges ? "edges" : "nodes", edges ? "nodes" : "edges");
    return "is a folder with neither edges.csv and nodes.csv nor adjacency.mtx";
}

[[noreturn]] void fail_unknown_path(const fs::path& path) {
    if (is_folder(path)) fail_in_file(path.string(), describe_missing_folder(path));
    if (is_there(path)) {
        fail_in_file(path.string(),
                     "is of no known kind, expected .npz, .mtx, .mtx.gz, a Planetoid prefix "
                     "such as ind.cora, or a folder with edges.csv and nodes.csv");
    }
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
        entries.begin(), entries.end(), [](const CatalogEntry& entry) { return entry.format == "built-in"; });
    if (!only_built_in) fail_unknown_name("dataset", excerpt(name), names);
    const std::string nearest = nearest_name(excerpt(name), names);
    throw InputError(fmt::format(
        "unknown dataset '{}'{} (built-in: karate, synthetic; {} holds no datasets, "
        "download one with: hwgcn data fetch cora)",
        excerpt(name), nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest), place));
}

}  // namespace

std::vector<CatalogEntry> list_datasets(const std::filesystem::path& data_directory) {
    std::vector<CatalogEntry> entries = {{"karate", "built-in", {}}, {"synthetic", "built-in", {}}};
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
                     const ExecutionControl& control) {
    if (name_or_path.empty()) throw InputError("no dataset was given: expected a name or a path");
    const std::vector<CatalogEntry> entries = list_datasets(data_directory);
    if (const auto entry = find_entry(name_or_path, entries)) return load_entry(*entry, control);
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
