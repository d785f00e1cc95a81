#pragma once

#include "distributed/peers/partition.hpp"
#include "tensor/blocks/row_exchange.hpp"

namespace hwgcn {

/// What crosses the rows of several processes. A sum over blocks is at the process that has the first of
/// them, until all are added.
class PeerExchange final : public RowExchange {
  public:
    /// The partition must outlive it.
    explicit PeerExchange(const Partition& partition) : partition_(partition), peers_(partition.peers()) {}

    std::vector<float> sum(std::size_t numbers, const VertexSum<float>& own) override;
    std::vector<double> sum(std::size_t numbers, const VertexSum<double>& own) override;
    std::int64_t total(std::int64_t own) override { return hwgcn::total(peers_, own); }
    std::vector<Index> asked_for(std::span<const Index> wanted) override;
    std::unique_ptr<const ForeignRows> foreign_rows(std::span<const Index> own,
                                                    std::span<const Index> wanted) override;
    std::vector<Index> joined(const std::vector<Index>& own) override;
    double judged(std::span<const float> own,
                  const std::function<double(std::span<const float> all)>& judge) override;
    void expect_same(const std::string& what, const std::string& own) override {
        hwgcn::expect_same(peers_, what, own);
    }

  private:
    const Partition& partition_;
    Peers& peers_;
};

}  // namespace hwgcn
