#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

#include "dataset/table_column.hpp"
#include "io/shards/shard_folder.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// Nodes per block: 16,384, or fewer where there would be less than 64 blocks.
Index usual_block_size(Index nodes);

/// Blocks of `size` successive nodes; the last one may have fewer.
NodeBlocks even_blocks(Index nodes, Index size);

/// The same dataset with node `order[k]` as number k; ids stay with their nodes. Edges are merged, and lists
/// of the published split are in the new order.
Dataset reordered(const Dataset& dataset, std::span<const Index> order);

/// A dataset as a folder of plain NumPy arrays, in parts that are runs of whole blocks, so that a process can
/// read just what it needs: shards.json names sizes, bounds and the SHA-256 of every file.
struct ShardLayout {
    NodeBlocks blocks;
    std::string order;  ///< how it was found, for people: "greedy"
};

/// Writes it; shards.json comes last: a folder with one is whole.
void write_shards(ShardFolder& folder, const Dataset& dataset, const ShardLayout& layout);

/// The same; shards that are there are replaced.
void write_shards(const std::filesystem::path& folder, const Dataset& dataset, const ShardLayout& layout);

/// All parts as one dataset. Throws InputError where a file is missing or is not the one that was written.
Dataset read_shards(const std::filesystem::path& folder);

/// Reads such a folder by ranges of nodes: of a file just the part that is needed, after it was compared with
/// its SHA-256 once. Throws InputError where a file is missing or damaged. For several threads.
class ShardReader {
  public:
    explicit ShardReader(const std::filesystem::path& folder);
    ShardReader(ShardReader&&) noexcept;
    ShardReader& operator=(ShardReader&&) noexcept;
    ShardReader(const ShardReader&) = delete;
    ShardReader& operator=(const ShardReader&) = delete;
    ~ShardReader();

    Index nodes() const;
    const NodeBlocks& blocks() const;

    /// What is known of all nodes: names, labels, split and scaling, but neither edges nor features nor ids.
    Dataset outline() const;

    /// The rows first..end-1 of the matrix A of `Graph`: columns are numbers of the whole graph, a loop is on
    /// the diagonal.
    CsrMatrix<float> adjacency(Index first, Index end) const;

    /// Of a directed dataset: these rows of `arcs_of`, in the units of `adjacency`.
    CsrMatrix<float> arcs(Index first, Index end) const;

    /// Their features, scaled as all features are.
    CsrMatrix<float> features(Index first, Index end) const;

    std::vector<std::string> ids(Index first, Index end) const;

    bool weighted() const;                                ///< edges differ in weight
    double weight_unit() const;                           ///< as `Graph` has it
    Index feature_count() const;                          ///< after scaling
    double heaviest_weight() const;                       ///< of an edge or loop, in the units of the data
    FeatureFacts facts() const;                           ///< of all scaled features
    std::string content() const;                          ///< that of `outline`
    std::string list_hash() const;                        ///< SHA-256 (hex) of shards.json
    const std::vector<std::int64_t>& block_work() const;  ///< walks of two steps from the nodes of each block

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// How the nodes of such a folder are cut.
ShardLayout read_shard_layout(const std::filesystem::path& folder);

/// The files that `read_shards` reads.
std::vector<std::filesystem::path> shard_files(const std::filesystem::path& folder);

}  // namespace hwgcn
