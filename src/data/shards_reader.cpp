#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/feature_scaling.hpp"
#include "hwgcn/data/shards.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/input_file.hpp"

#include "data/npy_format.hpp"
#include "data/shard_files.hpp"
#include "data/text_file.hpp"
#include "support/hash.hpp"
#include "support/json_text.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::int64_t most_nodes = std::numeric_limits<Index>::max() - 1;

/// shards.json, checked as far as the rest relies on it.
class ShardList {
  public:
    explicit ShardList(const fs::path& folder)
        : folder_(folder), file_((folder / shard_file::list).string()) {
        json_ = parse_json(file_, read_file(folder / shard_file::list));
        if (text("format") != shard_file::format)
            fail(fmt::format(R"(is not a list of shards: "format" should be "{}")", shard_file::format));
        if (number("version", most_nodes) != shard_file::version)
            fail(fmt::format("has version {}; this program reads version {}", number("version", most_nodes),
                             shard_file::version));
        nodes_ = static_cast<Index>(number("nodes", most_nodes));
        check_bounds();
    }

    Index nodes() const { return nodes_; }
    const NodeBlocks& blocks() const { return blocks_; }
    const fs::path& folder() const { return folder_; }
    Index parts() const { return static_cast<Index>(shard_part_bounds(blocks_.count()).size()) - 1; }

    /// The nodes of a part.
    std::pair<Index, Index> nodes_of(Index part) const {
        const std::vector<Index> bounds = shard_part_bounds(blocks_.count());
        return {blocks_.bounds[bounds[part]], blocks_.bounds[bounds[part + std::size_t{1}]]};
    }

    /// The files of a part with their hashes.
    const Json& hashes_of(Index part) const {
        const Json& all = value("parts");
        if (!all.is_array() || all.size() != static_cast<std::size_t>(parts()))
            fail(fmt::format("should list {} parts", parts()));
        const Json& own = all[part];
        if (!own.is_object() || !own.contains("sha256") || !own["sha256"].is_object())
            fail(fmt::format("part {} has no hashes", part));
        return own["sha256"];
    }

    std::string text(const char* key) const {
        if (!value(key).is_string()) fail(fmt::format("\"{}\" should be text", key));
        return value(key).get<std::string>();
    }
    bool flag(const char* key) const {
        if (!value(key).is_boolean()) fail(fmt::format("\"{}\" should be true or false", key));
        return value(key).get<bool>();
    }
    bool has(const char* key) const { return !value(key).is_null(); }
    std::int64_t number(const char* key, std::int64_t most) const { return whole(value(key), key, most); }
    std::vector<Index> numbers(const char* key, std::int64_t most) const {
        std::vector<Index> result;
        for (const Json& element : list(key))
            result.push_back(static_cast<Index>(whole(element, key, most)));
        return result;
    }
    std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> result;
        for (const Json& element : list(key)) {
            if (!element.is_string()) fail(fmt::format("\"{}\" should be a list of texts", key));
            result.push_back(element.get<std::string>());
        }
        return result;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{}: {}", file_, what));
    }

  private:
    const Json& value(const char* key) const {
        if (!json_.is_object() || !json_.contains(key)) fail(fmt::format("\"{}\" is missing", key));
        return json_.at(key);
    }
    const Json& list(const char* key) const {
        if (!value(key).is_array()) fail(fmt::format("\"{}\" should be a list", key));
        return value(key);
    }
    std::int64_t whole(const Json& element, const char* key, std::int64_t most) const {
        const bool usable = element.is_number_integer() && element.get<double>() >= 0 &&
                            element.get<double>() <= static_cast<double>(most);
        if (!usable) fail(fmt::format("\"{}\" should have whole numbers from 0 to {}", key, most));
        return element.get<std::int64_t>();
    }
    void check_bounds() {
        blocks_.bounds = numbers("bounds", most_nodes);
        const std::vector<Index>& bounds = blocks_.bounds;
        if (bounds.size() < 2 || bounds.front() != 0 || bounds.back() != nodes_ ||
            std::ranges::adjacent_find(bounds, std::greater_equal()) != bounds.end())
            fail("\"bounds\" should ascend from 0 to the number of nodes");
    }

    fs::path folder_;
    std::string file_;
    Json json_ = nullptr;
    Index nodes_ = 0;
    NodeBlocks blocks_;
};

/// The files of one part, each compared with its hash.
class PartReader {
  public:
    PartReader(const ShardList& list, Index part)
        : hashes_(list.hashes_of(part)), folder_(list.folder() / shard_part_name(part)) {
        std::tie(first_, end_) = list.nodes_of(part);
    }

    std::size_t nodes() const { return static_cast<std::size_t>(end_ - first_); }
    std::string where(std::string_view file) const { return (folder_ / file).string(); }

    std::string content(std::string_view file) const {
        const std::string key(file);
        if (!hashes_.contains(key) || !hashes_.at(key).is_string())
            fail_in_file(where(file), fmt::format("is not listed in {}", shard_file::list));
        std::string bytes = read_file(folder_ / file);
        const std::string hash = Sha256().bytes(bytes.data(), bytes.size()).hex();
        if (hash != hashes_.at(key).get<std::string>()) {
            fail_in_file(where(file),
                         fmt::format("is damaged: its SHA-256 is not that in {}; write the shards "
                                     "again (hwgcn shard --force)",
                                     shard_file::list));
        }
        return bytes;
    }

    /// All elements of an array with one axis.
    template <typename T>
    std::vector<T> array(std::string_view file) const {
        std::string bytes = content(file);
        NpyHeader header = parse_npy_header(bytes, where(file));
        header.array.bytes = bytes.substr(header.size);
        expect_axes(header.array, 1, where(file));
        return to_vector<T>(header.array, where(file));
    }

    /// An array with an element per node.
    template <typename T>
    std::vector<T> list(std::string_view file) const {
        std::vector<T> values = array<T>(file);
        if (values.size() != nodes())
            fail_in_file(where(file), fmt::format("has {} elements for {} nodes", values.size(), nodes()));
        return values;
    }

    std::vector<std::string> lines(std::string_view file) const {
        const std::string text = content(file);
        std::vector<std::string> result;
        std::size_t begin = 0;
        for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
            result.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        if (begin != text.size() || result.size() != nodes())
            fail_in_file(where(file), fmt::format("should have a line for each of {} nodes", nodes()));
        return result;
    }

    /// Adds the rows of this part; without a file of values they are 1.
    void append_rows(CsrMatrix<float>& matrix, std::string_view offsets, std::string_view columns,
                     std::string_view values) const {
        CsrMatrix<float> own{static_cast<Index>(nodes()),
                             matrix.columns,
                             array<std::int64_t>(offsets),
                             array<Index>(columns),
                             {}};
        own.values = values.empty() ? std::vector<float>(own.indices.size(), 1.0F) : array<float>(values);
        validate_csr(own, where(columns));
        const std::int64_t before = matrix.entries();
        matrix.indices.insert(matrix.indices.end(), own.indices.begin(), own.indices.end());
        matrix.values.insert(matrix.values.end(), own.values.begin(), own.values.end());
        for (std::size_t row = 1; row < own.offsets.size(); ++row)
            matrix.offsets.push_back(before + own.offsets[row]);
    }

  private:
    const Json& hashes_;
    fs::path folder_;
    Index first_ = 0;
    Index end_ = 0;
};

// Of an undirected graph each edge once, from the lower end; what its other end says must be the same.
void take_edges(Dataset& dataset, const CsrMatrix<float>& neighbors, bool weighted, const ShardList& list) {
    std::int64_t downwards = 0;
    std::int64_t upwards = 0;
    for (Index node = 0; node < neighbors.rows; ++node) {
        const SparseRow<float> row = neighbors.row(node);
        for (std::size_t k = 0; k < row.size(); ++k) {
            (row.indices[k] < node ? downwards : upwards) += row.indices[k] == node ? 0 : 1;
            if (!dataset.directed && row.indices[k] < node) continue;
            dataset.edges.push_back({node, row.indices[k]});
            if (weighted) dataset.edge_weights.push_back(row.values[k]);
        }
    }
    if (!dataset.directed && upwards != downwards)
        list.fail("the graph is not directed, but edges are missing at one of their ends");
}

void take_split(Dataset& dataset, const std::vector<std::int32_t>& places, const std::string& name) {
    Split split{name, {}, {}, {}};
    const std::array<std::vector<Index>*, 3> lists = {&split.train, &split.validation, &split.test};
    for (std::size_t node = 0; node < places.size(); ++node) {
        if (places[node] < 0 || places[node] > 3)
            throw InputError(
                fmt::format("{}: {} should have numbers from 0 to 3", dataset.source, shard_file::split));
        if (places[node] > 0)
            lists[static_cast<std::size_t>(places[node]) - 1]->push_back(static_cast<Index>(node));
    }
    dataset.published_split = std::move(split);
}

template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

ShardLayout read_shard_layout(const fs::path& folder) {
    const ShardList list(folder);
    return {list.blocks(), list.text("order")};
}

std::vector<fs::path> shard_files(const fs::path& folder) {
    std::vector<fs::path> files = {folder / shard_file::list};
    const ShardList list(folder);
    for (Index part = 0; part < list.parts(); ++part) {
        for (const auto& [file, hash] : list.hashes_of(part).items())
            files.push_back(folder / shard_part_name(part) / fs::path(file).filename());
    }
    return files;
}

Dataset read_shards(const fs::path& folder) {
    const ShardList list(folder);
    Dataset dataset;
    dataset.name = list.text("name");
    dataset.source = folder.string();
    dataset.nodes = list.nodes();
    dataset.directed = list.flag("directed");
    dataset.class_names = list.texts("classes");
    dataset.feature_names = list.texts("feature_names");
    for (const Index kind : list.numbers("feature_kinds", static_cast<int>(FeatureKind::number)))
        dataset.feature_kinds.push_back(static_cast<FeatureKind>(kind));
    dataset.scale = scale_named(list.text("scale"));
    const bool weighted = list.flag("weighted");
    const bool has_ids = list.flag("ids");
    CsrMatrix<float> neighbors{dataset.nodes, dataset.nodes, {0}, {}, {}};
    dataset.features = {dataset.nodes, static_cast<Index>(list.number("features", most_nodes)), {0}, {}, {}};
    std::vector<std::int32_t> places;
    for (Index part = 0; part < list.parts(); ++part) {
        const PartReader reader(list, part);
        reader.append_rows(neighbors, shard_file::neighbor_offsets, shard_file::neighbors,
                           weighted ? shard_file::neighbor_weights : "");
        reader.append_rows(dataset.features, shard_file::feature_offsets, shard_file::feature_columns,
                           shard_file::feature_values);
        append(dataset.labels, reader.list<Index>(shard_file::labels));
        if (list.has("split")) append(places, reader.list<std::int32_t>(shard_file::split));
        if (has_ids) append(dataset.node_ids, reader.lines(shard_file::ids));
    }
    take_edges(dataset, neighbors, weighted, list);
    if (list.has("split")) take_split(dataset, places, list.text("split"));
    validate_dataset(dataset);
    return dataset;
}

}  // namespace hwgcn
