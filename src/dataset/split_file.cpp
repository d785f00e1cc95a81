#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "base/json_text.hpp"
#include "base/safe_text.hpp"
#include "base/utf8.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

/// Finds nodes by their original ids.
class NodeLookup {
  public:
    explicit NodeLookup(const Dataset& dataset) : dataset_(dataset) {
        node_of_.reserve(dataset.node_ids.size());
        for (std::size_t node = 0; node < dataset.node_ids.size(); ++node)
            node_of_.emplace(dataset.node_ids[node], static_cast<Index>(node));
    }

    std::optional<Index> find(std::string_view id) const {
        if (dataset_.node_ids.empty()) return parse_number(id);
        const auto found = node_of_.find(id);
        return found == node_of_.end() ? std::nullopt : std::optional(found->second);
    }

    /// What could have been meant, to end an error message.
    std::string hint(std::string_view id) const {
        if (dataset_.node_ids.empty()) return fmt::format(", expected 0..{}", dataset_.nodes - 1);
        const std::string nearest = nearest_name(id, dataset_.node_ids);
        return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
    }

  private:
    // Only the form that node_id() gives: no sign, no leading zeros.
    std::optional<Index> parse_number(std::string_view id) const {
        Index node = -1;
        std::from_chars(id.data(), id.data() + id.size(), node);
        if (node < 0 || node >= dataset_.nodes || std::to_string(node) != id) return std::nullopt;
        return node;
    }

    const Dataset& dataset_;
    std::unordered_map<std::string_view, Index> node_of_;
};

// For a message. Lists and objects are only named: they may be long.
std::string shown(const Json& value) {
    return value.is_structured() ? value.type_name() : value.dump();
}

// An id may be written as a string or, where it is a whole number, without the quotes.
std::vector<Index> read_part(const std::string& file, const Json& json, const char* part,
                             const NodeLookup& lookup) {
    const auto list = json.find(part);
    if (list == json.end()) fail_in_file(file, fmt::format("the key \"{}\" is missing", part));
    if (!list->is_array())
        fail_in_file(file, fmt::format("{}: expected a list of node ids, found {}", part, list->type_name()));
    std::vector<Index> nodes;
    nodes.reserve(list->size());
    for (const Json& entry : *list) {
        if (!entry.is_string() && !entry.is_number_integer())
            fail_in_file(
                file, fmt::format("{}: entry {}: expected a node id (a string or a whole number), found {}",
                                  part, nodes.size(), shown(entry)));
        const std::string id = entry.is_string() ? entry.get<std::string>() : entry.dump();
        const std::optional<Index> node = lookup.find(id);
        if (!node)
            fail_in_file(file, fmt::format("{}: entry {}: unknown node id '{}'{}", part, nodes.size(), id,
                                           lookup.hint(id)));
        nodes.push_back(*node);
    }
    return nodes;
}

void check_stored_hash(const std::string& file, const Json& json, const Split& split,
                       const Dataset& dataset) {
    const auto stored = json.find("sha256");
    if (stored == json.end()) return;
    if (!stored->is_string())
        fail_in_file(file, fmt::format("sha256: expected a string, found {}", stored->type_name()));
    const std::string actual = split_hash(split, dataset);
    if (stored->get<std::string>() != actual) {
        fail_in_file(file,
                     fmt::format("the lists were changed after the split was written: their SHA-256 is {}, "
                                 "expected {}",
                                 actual, stored->get<std::string>()));
    }
}

}  // namespace

Split read_split(const std::filesystem::path& path, const Dataset& dataset) {
    return split_from_text(path.string(), read_file(path), dataset);
}

Split split_from_text(const std::string& file, const std::string& text, const Dataset& dataset) {
    const Json json = parse_json(file, text);
    if (!json.is_object())
        fail_in_file(file, fmt::format("expected an object with train, validation and test, found {}",
                                       json.type_name()));
    const NodeLookup lookup(dataset);
    Split split;
    split.name = file;
    split.train = read_part(file, json, "train", lookup);
    split.validation = read_part(file, json, "validation", lookup);
    split.test = read_part(file, json, "test", lookup);
    validate_split(split, dataset);
    check_stored_hash(file, json, split, dataset);
    return split;
}

void check_split_names(const std::filesystem::path& file, const Split& split, const Dataset& dataset) {
    const auto check = [&](std::string_view what, const std::string& name, std::string_view cure) {
        if (is_utf8(name)) return;
        fail_in_file(file.string(),
                     fmt::format("cannot be written: the {} '{}' is not valid UTF-8, which JSON "
                                 "requires; {}",
                                 what, safe_text(name, 200), cure));
    };
    check("name of the dataset", dataset.name, "give its file or folder another name");
    check("name of the split", split.name, "give its file another name");
    for (const std::vector<Index>* nodes : {&split.train, &split.validation, &split.test}) {
        for (const Index node : *nodes)
            check("node id", node_id(dataset, node),
                  "if it is Latin-1, iconv -f latin1 -t utf-8 converts the file");
    }
}

std::string split_text(const std::filesystem::path& file, const Split& split, const Dataset& dataset) {
    validate_split(split, dataset);
    check_split_names(file, split, dataset);
    const auto ids = [&](const std::vector<Index>& nodes) {
        Json list = Json::array();
        for (const Index node : nodes)
            list.push_back(node_id(dataset, node));
        return list;
    };
    Json json = Json::object();  // a null one that fails to become an object crashes when destroyed
    json["name"] = split.name;
    json["dataset"] = dataset.name;
    json["sha256"] = split_hash(split, dataset);
    json["train"] = ids(split.train);
    json["validation"] = ids(split.validation);
    json["test"] = ids(split.test);
    return json.dump(1) + "\n";
}

void write_split(const std::filesystem::path& file, const Split& split, const Dataset& dataset) {
    write_text_atomically(file, split_text(file, split, dataset));
}

}  // namespace hwgcn
