#include "weights/blocks/learn_blocks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "weights/blocks/block_run.hpp"
#include "weights/blocks/row_file.hpp"

namespace hwgcn {

BlockWeights learn_block_files(const ShardReader& reader, std::span<const Index> blocks,
                               const WeightOptions& options, const BlockOptions& files,
                               const ExecutionControl& control) {
    BlockRun run(reader, options, files);
    for (const Index block : blocks) {
        if (block < 0 || block >= reader.blocks().count())
            throw InputError(fmt::format("block {} is outside 0..{}", block, reader.blocks().count() - 1));
    }
    FileRows rows(reader);
    std::vector<Index> ascending(blocks.begin(), blocks.end());
    std::ranges::sort(ascending);
    ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
    run.look_for(ascending);
    const ProgressTask task(control, "weights", run.nodes_to_learn());
    BlockProgress progress(control);
    run.learn(rows, progress, control);
    return run.finish();
}

BlockWeights finish_blocks(const ShardReader& reader, const WeightOptions& options,
                           const BlockOptions& files) {
    BlockRun run(reader, options, files);
    run.look_for(blocks_from(0, reader.blocks().count()));
    if (run.missing_blocks() > 0) {
        throw InputError(fmt::format("{}: {} blocks of weights are missing or damaged, the first is block {}",
                                     files.folder.string(), run.missing_blocks(), run.first_missing()));
    }
    BlockWeights result = run.finish();
    run.store().write_list(result.orders);
    return result;
}

LearnedWeights read_block_weights(const ShardReader& reader, Index first, Index end,
                                  const WeightOptions& options, const std::filesystem::path& folder) {
    const std::vector<Index>& bounds = reader.blocks().bounds;
    LearnedWeights weights;
    for (int order = 2; order <= options.order; ++order) {
        const std::string key = WeightCache::key(reader.content(), options, order);
        const std::filesystem::path blocks = folder / block_folder_name(key);
        OrderWeights& own = weights.orders.emplace_back();
        own.summary.order = order;
        own.matrix = {bounds[end] - bounds[first], reader.nodes(), {0}, {}, {}};
        for (Index block = first; block < end; ++block)
            append_rows(
                read_rows(blocks / block_file_name(bounds[block]), key, bounds[block], reader.nodes()), own);
        if (!options.keep.empty())
            own.matrix =
                keep_heaviest(own.matrix, own.ring_sizes, options.keep[static_cast<std::size_t>(order) - 2]);
    }
    return weights;
}

}  // namespace hwgcn
