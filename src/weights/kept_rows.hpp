#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "weights/order_tally.hpp"

namespace hwgcn {

/// Rows of an order that are kept in files while the others are learned: a process that is killed loses a
/// few seconds of work. Each file is named by the key of the order and its first row. Files that
/// cannot be written, or are damaged, cost their work and get a note.
class KeptRows {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration usual_interval = std::chrono::seconds(5);

    KeptRows(std::filesystem::path directory, std::string key, std::vector<std::string>& notes,
             Clock::duration interval = usual_interval);

    /// Puts the rows that are there, from the first on without a gap, into an order that has none yet, and
    /// what was counted into `tally`.
    void restore(OrderWeights& order, OrderTally& tally);

    /// Whether it is time to keep something.
    bool is_due() const { return !failed_ && Clock::now() - last_ >= interval_; }

    /// Keeps the rows before `end` that are not kept yet; `tally` has counted these.
    void keep(const OrderWeights& order, Index end, OrderTally tally);

    /// When the whole order is stored elsewhere.
    void remove();

  private:
    std::filesystem::path file_from(Index first) const;
    bool restore_from(Index first, OrderWeights& order, OrderTally& tally);

    std::filesystem::path directory_;
    std::string key_;
    std::vector<std::string>& notes_;
    Clock::duration interval_;
    Clock::time_point last_;
    Index kept_ = 0;             // rows in files
    std::vector<Index> firsts_;  // of the files
    bool failed_ = false;        // to write one: no other comes after a gap
};

}  // namespace hwgcn
