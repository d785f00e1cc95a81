#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "io/shards/shard_files.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {

/// shards.json, checked as far as the rest relies on it.
class ShardList {
  public:
    using Json = nlohmann::ordered_json;
    static constexpr std::int64_t most = std::numeric_limits<Index>::max() - 1;

    explicit ShardList(const std::filesystem::path& folder);

    Index nodes() const { return nodes_; }
    const NodeBlocks& blocks() const { return blocks_; }
    const std::filesystem::path& folder() const { return folder_; }
    Index parts() const { return static_cast<Index>(parts_.size()) - 1; }

    /// SHA-256 (hex) of the list itself.
    const std::string& hash() const { return hash_; }

    /// SHA-256 (hex) of what weights are learned from: sizes, scaling, and the hashes of the files with
    /// neighbors and features.
    std::string content() const;

    /// The nodes of a part, and the part of a node.
    std::pair<Index, Index> nodes_of(Index part) const;
    Index part_of(Index node) const;

    /// The files of a part with their hashes.
    const Json& hashes_of(Index part) const;

    std::string text(const char* key) const;
    bool flag(const char* key) const;
    bool has(const char* key) const { return !value(key).is_null(); }
    double measure(const char* key) const;  ///< finite, not negative
    std::int64_t number(const char* key, std::int64_t largest) const {
        return whole(value(key), key, largest);
    }
    std::vector<Index> numbers(const char* key, std::int64_t largest) const;
    std::vector<std::int64_t> large_numbers(const char* key) const;
    std::vector<std::string> texts(const char* key) const;

    /// How the features are scaled.
    FeatureScaling scaling() const;

    /// All but edges, features, labels, split and ids.
    Dataset description() const;

    [[noreturn]] void fail(const std::string& what) const;

  private:
    const Json& value(const char* key) const;
    const Json& list(const char* key) const;
    std::int64_t whole(const Json& element, const char* key, std::int64_t largest) const;
    void check_version();
    void check_bounds();
    void check_scaling(const FeatureScaling& scaling) const;

    std::filesystem::path folder_;
    std::string file_;
    std::string hash_;
    Json json_ = Json::object();
    bool has_checksum_ = false;  // one of its own
    Index nodes_ = 0;
    NodeBlocks blocks_;
    std::vector<Index> parts_;  // the first node of each, and the number of nodes
};

/// The SHA-256 (hex) that a list holds of itself: of its text without this number.
std::string shard_list_checksum(nlohmann::ordered_json list);

/// A scaling as shards.json has it: numbers come back with the same bits.
nlohmann::ordered_json scaling_json(const FeatureScaling& scaling);

}  // namespace hwgcn
