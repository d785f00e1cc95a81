#pragma once

#include "distributed/peers/partition.hpp"
#include "tensor/blocks/row_exchange.hpp"

namespace hwgcn {

/// Rows of other processes: who sends which of its rows, and how many come from whom.
class PeerForeignRows final : public ForeignRows {
  public:
    /// See RowExchange::foreign_rows. Collective. The partition must outlive it.
    PeerForeignRows(const Partition& partition, std::span<const Index> own, std::span<const Index> wanted);

    Index count() const override { return count_; }
    void fetch(MatrixView all) const override;
    void fetch(std::span<const double> own, std::size_t width, std::span<double> all) const override;

  private:
    template <typename Gathered>
    void exchange(std::span<std::byte> foreign, std::size_t row_bytes, const Gathered& gathered) const;

    Peers* peers_;
    std::vector<std::vector<Index>> sent_;  // rows, per process
    std::vector<std::size_t> first_{0};     // of the rows that come from each process
    Index count_;
};

}  // namespace hwgcn
