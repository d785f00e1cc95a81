#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "io/shards/shards.hpp"

namespace hwgcn {

enum class RowKind : std::uint8_t { adjacency, features };

/// How much of the list of a node is wanted: so many of its neighbors at most, in the order of samples.
struct ListStart {
    Index node;
    Index count;
};

inline Index node_of(Index node) {
    return node;
}
inline Index node_of(const ListStart& start) {
    return start.node;
}

/// The starts of some lists. In each the columns ascend; loops are left out.
struct ListStarts {
    CsrMatrix<float> lists;
    std::vector<double> degrees;  ///< of their nodes: row sums of A + I
};

void append_row(const SparseRow<float>& row, CsrMatrix<float>& matrix);

/// The row sum of A + I of a node, added up as `Graph` does.
double degree_of_row(const SparseRow<float>& row, Index node);

/// Where rows of nodes come from. Those who share the work ask at the same time, maybe for no row.
class RowSource {
  public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    /// The rows of these nodes, ascending, one after the other; nothing where they have more than `most`
    /// entries.
    virtual std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                                 std::int64_t most) = 0;

    /// The same of the starts of lists. Edges below the weight `lightest` are passed over.
    virtual std::optional<ListStarts> starts(std::span<const ListStart> wanted, float lightest,
                                             std::int64_t most) = 0;
};

/// Rows straight from the shards, for a process that works alone: only what is asked for is read.
class FileRows final : public RowSource {
  public:
    /// The reader must outlive it.
    explicit FileRows(const ShardReader& reader) : reader_(&reader) {}

    std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                         std::int64_t most) override;
    std::optional<ListStarts> starts(std::span<const ListStart> wanted, float lightest,
                                     std::int64_t most) override;

  private:
    const ShardReader* reader_;
};

}  // namespace hwgcn
