#include "io/formats.hpp"
#include "io/merged_edges.hpp"
#include "io/shards/shard_files.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

std::optional<DatasetLocation> recognise_shards(const fs::path& folder) {
    if (!is_folder(folder) || !is_there(folder / shard_file::list)) return std::nullopt;
    return located_folder(folder);
}

}  // namespace

Format shards_format() {
    Format format;
    format.name = "shards";
    format.folder = shard_file::list;
    format.recognise = recognise_shards;
    format.lacking = unfinished_shards;
    format.files = shard_files;
    format.read = [](const fs::path& folder, const ExecutionControl&, const EdgeReading& reading) {
        Dataset dataset = read_shards(folder);
        if (!reading.weights) drop_weights(dataset);
        if (!dataset.directed) refuse_directions(dataset.source, reading.directions);
        if (reading.directions == Directions::dropped) dataset.directed = false;
        return dataset;
    };
    return format;
}

}  // namespace hwgcn
