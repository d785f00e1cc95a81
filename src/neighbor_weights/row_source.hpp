#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hwgcn/data/shards.hpp"
#include "hwgcn/linalg/node_blocks.hpp"

namespace hwgcn {

enum class RowKind : std::uint8_t { adjacency, features };

/// Where rows of nodes come from that a process does not have.
class RowSource {
  public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    /// The rows of these nodes, ascending, one after the other; nothing where they have more than `most`
    /// entries. Processes that share the work ask at the same time, maybe for no row.
    virtual std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                                 std::int64_t most) = 0;
};

/// Every process holds the rows of its own nodes and gives them to those that ask.
class PeerRows final : public RowSource {
  public:
    /// Reads the own rows. The partition must outlive it.
    PeerRows(const ShardReader& reader, const Partition& partition, Peers& peers);

    std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                         std::int64_t most) override;

  private:
    using Lists = std::vector<std::vector<Index>>;  // per process

    Lists by_owner(std::span<const Index> nodes) const;
    Lists lengths_of(const CsrMatrix<float>& own, const Lists& asked) const;
    CsrMatrix<float> exchanged(const CsrMatrix<float>& own, const Lists& asked, const Lists& lengths);

    const Partition* partition_;
    Peers* peers_;
    CsrMatrix<float> adjacency_;
    CsrMatrix<float> features_;
};

/// Rows straight from the shards, for a process that works alone: only what is asked for is read.
class FileRows final : public RowSource {
  public:
    /// The reader must outlive it.
    explicit FileRows(const ShardReader& reader) : reader_(&reader) {}

    std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                         std::int64_t most) override;

  private:
    const ShardReader* reader_;
};

}  // namespace hwgcn
