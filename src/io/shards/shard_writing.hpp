#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "io/shards/shards.hpp"

namespace hwgcn {

/// One part as it is written: rows and lists of its own nodes, columns being those of the whole.
struct ShardPart {
    Index number = 0;
    Index first = 0;  ///< nodes
    Index end = 0;
    CsrMatrix<float> neighbors = {};
    CsrMatrix<float> arcs = {};  ///< of a directed graph
    CsrMatrix<float> features = {};
    std::vector<Index> labels = {};
    std::vector<std::int8_t> places = {};  ///< in the split that comes with the data; empty: there is none
    std::string ids = {};                  ///< one per line; empty: they are the numbers
};

/// What is to be known of all parts.
struct ShardFacts {
    bool weighted = false;
    bool ids = false;
    double weight_unit = 1;
    bool weights_differ = false;
    float heaviest_weight = 0;
    std::vector<std::int64_t> block_work = {};
    FeatureScaling scaling = {};
    FeatureFacts features = {};
};

/// Throws InputError where ids of the dataset `name` have a line break.
void expect_ids_are_lines(std::string_view name, std::string_view ids);

/// Writes the files of a part and gives its entry in shards.json.
nlohmann::ordered_json write_shard_part(const std::filesystem::path& folder, const ShardPart& part,
                                        const ShardFacts& facts, bool directed);

/// Joins what is known of the rows of features.
void join_facts(FeatureFacts& facts, const FeatureFacts& more);

/// shards.json comes last. Of `dataset` only what is not in the parts is looked at.
void write_shard_list(const std::filesystem::path& folder, const Dataset& dataset, const ShardLayout& layout,
                      const ShardFacts& facts, nlohmann::ordered_json parts);

}  // namespace hwgcn
