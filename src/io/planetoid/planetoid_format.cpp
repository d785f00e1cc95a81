#include <fmt/format.h>

#include "hwgcn/io/readers.hpp"

#include "io/formats.hpp"
#include "io/merged_edges.hpp"
#include "io/planetoid/planetoid_reader.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

// ind.NAME, or ind.NAME.graph, which is there in either case.
std::optional<DatasetLocation> recognise_planetoid(const fs::path& path) {
    if (!path.filename().string().starts_with("ind.") || is_folder(path)) return std::nullopt;
    fs::path prefix = path;
    if (path.extension() == ".graph") prefix.replace_extension();
    const std::string name = prefix.filename().string().substr(4);
    if (name.empty() || !is_there(fs::path(prefix) += ".graph")) return std::nullopt;
    return DatasetLocation{name, prefix};
}

std::vector<fs::path> files_of(const fs::path& prefix) {
    std::vector<fs::path> files;
    for (const std::string_view part : planetoid_parts)
        files.emplace_back(fmt::format("{}.{}", prefix.string(), part));
    return files;
}

}  // namespace

Format planetoid_format() {
    Format format;
    format.name = "planetoid";
    format.prefix = "a Planetoid prefix such as ind.cora";
    format.recognise = recognise_planetoid;
    format.files = files_of;
    format.read = [](const fs::path& prefix, const ExecutionControl&, const EdgeReading& reading) {
        refuse_directions(prefix.string(), reading.directions);
        return read_planetoid(prefix);
    };
    return format;
}

}  // namespace hwgcn
