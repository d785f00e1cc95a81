#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "weights/blocks/learn_blocks.hpp"
#include "weights/blocks/row_file.hpp"

namespace hwgcn {

/// The files of weights that are learned block by block.
class BlockStore {
  public:
    static constexpr std::string_view list_name = "weights.json";

    BlockStore(const ShardReader& reader, const WeightOptions& options, std::filesystem::path folder);

    /// What was counted in a block that is there. A damaged one counts as missing and is noted.
    std::optional<OrderTally> find(Index block, int order, std::vector<std::string>& notes) const;

    void write(Index block, int order, RowFile& rows) const;

    /// When all blocks are there.
    void write_list(const std::vector<OrderSummary>& orders) const;

    /// Names the weights of an order (WeightCache::key).
    const std::string& key(int order) const { return keys_[static_cast<std::size_t>(order) - 2]; }

  private:
    std::filesystem::path file_of(Index block, int order) const;

    const NodeBlocks* blocks_;
    WeightOptions options_;
    std::filesystem::path folder_;
    std::string content_;
    std::vector<std::string> keys_;  // of the orders 2..K
};

/// An order whose blocks are all in a folder; nothing where one is missing. Throws as `read_rows` does.
std::optional<OrderWeights> read_blocks(const std::filesystem::path& folder, const std::string& key,
                                        Index nodes);

}  // namespace hwgcn
