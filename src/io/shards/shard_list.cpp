#include "io/shards/shard_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/regular_file.hpp"
#include "base/hash.hpp"
#include "base/json_text.hpp"
#include "dataset/table_column.hpp"

namespace hwgcn {
namespace {

// One list per property of the columns.
template <typename Member>
std::vector<Member> over_columns(const FeatureScaling& scaling, Member ColumnScaling::*member) {
    std::vector<Member> values;
    for (const ColumnScaling& column : scaling.columns)
        values.push_back(column.*member);
    return values;
}

std::vector<int> numbers_of(const std::vector<FeatureKind>& kinds) {
    std::vector<int> numbers;
    for (const FeatureKind kind : kinds)
        numbers.push_back(static_cast<int>(kind));
    return numbers;
}

std::vector<FeatureKind> kinds_from(const nlohmann::ordered_json& numbers) {
    std::vector<FeatureKind> kinds;
    for (const auto& number : numbers)
        kinds.push_back(static_cast<FeatureKind>(number.get<std::uint8_t>()));
    return kinds;
}

// False where the list is not as long as the others.
template <typename Member>
bool set_columns(const nlohmann::ordered_json& json, const char* key, Member ColumnScaling::*member,
                 std::vector<ColumnScaling>& columns) {
    const auto values = json.at(key).get<std::vector<Member>>();
    if (values.size() != columns.size()) return false;
    for (std::size_t c = 0; c < values.size(); ++c)
        columns[c].*member = values[c];
    return true;
}

bool set_columns(const nlohmann::ordered_json& json, std::vector<ColumnScaling>& columns) {
    for (const FeatureKind kind : kinds_from(json.at("kind")))
        columns.push_back({.kind = kind});
    return set_columns(json, "least", &ColumnScaling::least, columns) &&
           set_columns(json, "largest", &ColumnScaling::largest, columns) &&
           set_columns(json, "centre", &ColumnScaling::centre, columns) &&
           set_columns(json, "factor", &ColumnScaling::factor, columns) &&
           set_columns(json, "typical", &ColumnScaling::typical, columns) &&
           set_columns(json, "marker", &ColumnScaling::marker, columns) &&
           (!json.contains("unit") || set_columns(json, "unit", &ColumnScaling::unit, columns));
}

}  // namespace

nlohmann::ordered_json scaling_json(const FeatureScaling& scaling) {
    nlohmann::ordered_json json = {{"scale", name_of(scaling.scale)},
                                   {"features", scaling.features},
                                   {"description", scaling.description},
                                   {"note", scaling.note},
                                   {"word_factor", scaling.word_factor},
                                   {"given", numbers_of(scaling.given)},
                                   {"kind", numbers_of(over_columns(scaling, &ColumnScaling::kind))},
                                   {"least", over_columns(scaling, &ColumnScaling::least)},
                                   {"largest", over_columns(scaling, &ColumnScaling::largest)},
                                   {"centre", over_columns(scaling, &ColumnScaling::centre)},
                                   {"factor", over_columns(scaling, &ColumnScaling::factor)},
                                   {"typical", over_columns(scaling, &ColumnScaling::typical)},
                                   {"marker", over_columns(scaling, &ColumnScaling::marker)}};
    // Left out where there are none, as in lists of earlier versions: the list is hashed.
    if (std::ranges::any_of(scaling.columns, [](const ColumnScaling& column) { return column.unit > 0; }))
        json["unit"] = over_columns(scaling, &ColumnScaling::unit);
    return json;
}

std::string shard_list_checksum(nlohmann::ordered_json list) {
    list.erase(std::string(shard_file::checksum));
    const std::string text = json_text(list);
    return Sha256().bytes(text.data(), text.size()).hex();
}

ShardList::ShardList(const std::filesystem::path& folder)
    : folder_(folder), file_((folder / shard_file::list).string()) {
    if (const std::string unfinished = unfinished_shards(folder); !unfinished.empty())
        fail_in_file(folder.string(), unfinished);
    const std::string content = read_regular_file(folder / shard_file::list);
    hash_ = Sha256().bytes(content.data(), content.size()).hex();
    json_ = parse_json(file_, content);
    if (text("format") != shard_file::format)
        fail(fmt::format(R"(is not a list of shards: "format" should be "{}")", shard_file::format));
    check_version();
    nodes_ = static_cast<Index>(number("nodes", most));
    check_bounds();
    for (const Index block : shard_part_bounds(blocks_.count()))
        parts_.push_back(blocks_.bounds[block]);
}

std::string ShardList::content() const {
    Sha256 hash;
    // A list with a checksum of its own describes the same content as one without.
    hash.text(shard_file::format).value(shard_file::version_without_checksum).value(nodes_);
    hash.value(number("features", most)).value(flag("weighted")).value(measure("weight_unit"));
    hash.text(value("scale").dump()).text(value("scaling").dump());
    for (Index part = 0; part < parts(); ++part) {
        const Json& hashes = hashes_of(part);
        for (const std::string_view file :
             {shard_file::neighbor_offsets, shard_file::neighbors, shard_file::neighbor_weights,
              shard_file::feature_offsets, shard_file::feature_columns, shard_file::feature_values,
              shard_file::arc_offsets, shard_file::arcs, shard_file::arc_weights}) {
            const auto found = hashes.find(std::string(file));
            if (found != hashes.end()) hash.text(file).text(found->dump());
        }
    }
    return hash.hex();
}

std::pair<Index, Index> ShardList::nodes_of(Index part) const {
    return {parts_[part], parts_[part + std::size_t{1}]};
}

Index ShardList::part_of(Index node) const {
    return static_cast<Index>(std::ranges::upper_bound(parts_, node) - parts_.begin()) - 1;
}

const ShardList::Json& ShardList::hashes_of(Index part) const {
    const Json& all = value("parts");
    if (!all.is_array() || all.size() != static_cast<std::size_t>(parts()))
        fail(fmt::format("should list {} parts", parts()));
    const Json& own = all[part];
    if (!own.is_object() || !own.contains("sha256") || !own["sha256"].is_object())
        fail(fmt::format("part {} has no hashes", part));
    return own["sha256"];
}

std::string ShardList::text(const char* key) const {
    if (!value(key).is_string()) fail(fmt::format("\"{}\" should be text", key));
    return value(key).get<std::string>();
}

bool ShardList::flag(const char* key) const {
    if (!value(key).is_boolean()) fail(fmt::format("\"{}\" should be true or false", key));
    return value(key).get<bool>();
}

double ShardList::measure(const char* key) const {
    const bool usable =
        value(key).is_number() && std::isfinite(value(key).get<double>()) && value(key).get<double>() >= 0;
    if (!usable) fail(fmt::format("\"{}\" should be a number of at least 0", key));
    return value(key).get<double>();
}

std::vector<Index> ShardList::numbers(const char* key, std::int64_t largest) const {
    std::vector<Index> result;
    for (const Json& element : list(key))
        result.push_back(static_cast<Index>(whole(element, key, largest)));
    return result;
}

std::vector<std::int64_t> ShardList::large_numbers(const char* key) const {
    std::vector<std::int64_t> result;
    for (const Json& element : list(key))
        result.push_back(whole(element, key, std::int64_t{1} << 62));
    return result;
}

std::vector<std::string> ShardList::texts(const char* key) const {
    std::vector<std::string> result;
    for (const Json& element : list(key)) {
        if (!element.is_string()) fail(fmt::format("\"{}\" should be a list of texts", key));
        result.push_back(element.get<std::string>());
    }
    return result;
}

FeatureScaling ShardList::scaling() const {
    const Json& json = value("scaling");
    FeatureScaling scaling;
    bool same_size = true;
    try {
        scaling.scale = scale_named(json.at("scale").get<std::string>());
        scaling.features = json.at("features").get<Index>();
        scaling.description = json.at("description").get<std::string>();
        scaling.note = json.at("note").get<std::string>();
        scaling.word_factor = json.at("word_factor").get<double>();
        scaling.given = kinds_from(json.at("given"));
        same_size = set_columns(json, scaling.columns);
    } catch (const Json::exception&) {
        same_size = false;
    }
    if (!same_size) fail("\"scaling\" should say how every feature is scaled");
    check_scaling(scaling);
    return scaling;
}

void ShardList::check_scaling(const FeatureScaling& scaling) const {
    const auto features = static_cast<std::size_t>(number("features", most));
    const auto fits = [&](std::size_t size) { return size == 0 || size == features; };
    const auto known = [](FeatureKind kind) { return kind <= FeatureKind::number; };
    const auto can_be_given = [](FeatureKind kind) { return kind <= FeatureKind::column; };
    std::size_t markers = 0;
    bool usable = scaling.scale != Scale::automatic && fits(scaling.columns.size()) &&
                  fits(scaling.given.size()) && std::ranges::all_of(scaling.given, can_be_given);
    for (const ColumnScaling& column : scaling.columns) {
        usable = usable && known(column.kind) && column.least <= column.largest && column.unit >= 0 &&
                 std::isfinite(column.unit);
        if (column.marker < 0) continue;
        usable = usable && column.marker == static_cast<Index>(features + markers);
        ++markers;
    }
    if (!usable || scaling.features != static_cast<Index>(features + markers))
        fail("\"scaling\" should say how every feature is scaled");
}

Dataset ShardList::description() const {
    Dataset dataset;
    dataset.name = text("name");
    dataset.source = folder_.string();
    dataset.nodes = nodes_;
    dataset.directed = flag("directed");
    dataset.class_names = texts("classes");
    dataset.feature_names = texts("feature_names");
    for (const Index kind : numbers("feature_kinds", static_cast<int>(FeatureKind::column)))
        dataset.feature_kinds.push_back(static_cast<FeatureKind>(kind));
    dataset.columns = category_columns(dataset.feature_names, dataset.feature_kinds);
    dataset.scale = scale_named(text("scale"));
    dataset.blocks = blocks_;
    if (number("features", most) > 0)
        dataset.fitted_scaling = std::make_shared<const FeatureScaling>(scaling());
    if (flag("weighted")) dataset.weight_unit = measure("weight_unit");
    dataset.content = content();
    if (!has_checksum_)
        dataset.notes.push_back(
            fmt::format("{} has no checksum of its own, as older versions wrote it: whether its numbers are "
                        "those that were written is not known; hwgcn shard writes it with one",
                        file_));
    return dataset;
}

void ShardList::fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", file_, what));
}

const ShardList::Json& ShardList::value(const char* key) const {
    if (!json_.is_object() || !json_.contains(key)) fail(fmt::format("\"{}\" is missing", key));
    return json_.at(key);
}

const ShardList::Json& ShardList::list(const char* key) const {
    if (!value(key).is_array()) fail(fmt::format("\"{}\" should be a list", key));
    return value(key);
}

std::int64_t ShardList::whole(const Json& element, const char* key, std::int64_t largest) const {
    const bool usable = element.is_number_integer() && element.get<double>() >= 0 &&
                        element.get<double>() <= static_cast<double>(largest);
    if (!usable) fail(fmt::format("\"{}\" should have whole numbers from 0 to {}", key, largest));
    return element.get<std::int64_t>();
}

// Lists of a version that has no checksum of its own are still read.
void ShardList::check_version() {
    const std::int64_t version = number("version", most);
    if (version != shard_file::version && version != shard_file::version_without_checksum)
        fail(fmt::format("has version {}; this program reads the versions {} and {}", version,
                         shard_file::version_without_checksum, shard_file::version));
    has_checksum_ = version == shard_file::version;
    if (has_checksum_ && text(shard_file::checksum.data()) != shard_list_checksum(json_))
        fail(
            "was changed or is damaged: its SHA-256 is not the one that it names; write the shards again "
            "(hwgcn shard --force)");
}

void ShardList::check_bounds() {
    blocks_.bounds = numbers("bounds", most);
    const std::vector<Index>& bounds = blocks_.bounds;
    if (bounds.size() < 2 || bounds.front() != 0 || bounds.back() != nodes_ ||
        std::ranges::adjacent_find(bounds, std::greater_equal()) != bounds.end())
        fail("\"bounds\" should ascend from 0 to the number of nodes");
}

}  // namespace hwgcn
