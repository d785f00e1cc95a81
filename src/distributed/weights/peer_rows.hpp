#pragma once

#include "distributed/peers/partition.hpp"
#include "weights/blocks/row_source.hpp"

namespace hwgcn {

/// Every process holds the rows of its own nodes and gives them to those that ask.
class PeerRows final : public RowSource {
  public:
    /// Reads the own rows. The partition must outlive it.
    PeerRows(const ShardReader& reader, const Partition& partition);

    std::optional<CsrMatrix<float>> rows(RowKind kind, std::span<const Index> nodes,
                                         std::int64_t most) override;
    std::optional<ListStarts> starts(std::span<const ListStart> wanted, float lightest,
                                     std::int64_t most) override;

  private:
    const Partition* partition_;
    CsrMatrix<float> adjacency_;
    CsrMatrix<float> features_;
};

}  // namespace hwgcn
