#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "methods/trees/tree_growth.hpp"

namespace hwgcn {

struct BoostingOptions {
    TreeOptions tree;
    double column_share = 1;  ///< of the columns, drawn anew for every round
    std::uint64_t seed = 0;
};

/// Rows of a table and their classes.
struct LabelledTable {
    const BinnedTable& table;
    std::span<const Index> labels;
    Index classes = 0;
    std::span<const double> weights = {};  ///< of each in the loss; empty: all count the same

    double weight(std::uint32_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

/// Gradient boosting of the softmax loss, weight * -log p(label): each round adds a tree per class, all from
/// the same probabilities. The same bits at any number of threads.
class Boosting {
  public:
    /// Learns from some rows; `judged` are others, whose scores it keeps as well.
    Boosting(const LabelledTable& data, std::vector<std::uint32_t> learned, std::vector<std::uint32_t> judged,
             const BoostingOptions& options);

    /// Another round.
    void advance(const ExecutionControl& control);

    int rounds() const { return static_cast<int>(trees_.size()) / Forest::trees_of_a_round(data_.classes); }

    /// weight * -log p(label) of every judged row.
    std::vector<double> losses() const;

    /// The first so many rounds.
    Forest forest(int rounds) const;

  private:
    void find_probabilities(const ExecutionControl& control);
    std::vector<Index> columns_of_round() const;
    void grow(Index tree, std::span<const Index> columns, TreeGrower& grower,
              const ExecutionControl& control);
    std::span<double> numbers_of(std::vector<double>& all, Index c) const;

    LabelledTable data_;
    BoostingOptions options_;
    std::vector<std::uint32_t> learned_, judged_;
    std::vector<Index> usable_;          // columns that differ somewhere
    std::vector<double> bias_;           // per class
    std::vector<double> least_weights_;  // of the trees of each class
    std::vector<double> scores_;         // class by class, a number for every row of the table
    std::vector<double> probabilities_;  // likewise
    std::vector<GrownTree> trees_;
    std::vector<std::unique_ptr<TreeGrower>> growers_;  // one per thread
};

/// How often boosting adds a number to a histogram, at most: half of the rows on every level of a tree, and
/// all of them at its root. About 7e8 of them take a second of one core.
double boosting_work(double rows, double columns, double rounds, double classes,
                     const BoostingOptions& options);

}  // namespace hwgcn
