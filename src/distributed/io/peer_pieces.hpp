#pragma once

#include "distributed/peers/peers.hpp"
#include "io/csv/table_pieces.hpp"

namespace hwgcn {

/// Each process has read a piece of a table, in the order of the ranks.
class PeerPieces final : public TablePieces {
  public:
    explicit PeerPieces(Peers& peers) : peers_(peers) {}

    int count() const override { return peers_.size(); }
    std::int64_t total(std::int64_t own) override { return hwgcn::total(peers_, own); }
    std::vector<std::string> texts(const std::string& own) override;
    std::vector<Index> join_names(NameIndex& names) override;
    std::int64_t count_different(const NameIndex& names) override;
    std::int64_t count_different(const std::vector<std::int64_t>& numbers) override;

  private:
    Peers& peers_;
};

}  // namespace hwgcn
