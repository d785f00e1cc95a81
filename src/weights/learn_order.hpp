#pragma once

#include <vector>

#include "weights/order_tally.hpp"
#include "weights/ring_learner.hpp"

namespace hwgcn {

class KeptRows;

/// Nodes are learned so many at a time: the rows that workers finish in any order are put in order then.
inline constexpr Index rows_at_once = 2048;

/// Learns rows of one order, in parallel, with as many learners as `control` has threads.
class RowLearner {
  public:
    /// Both must outlive it.
    RowLearner(const Graph& rings, std::vector<RingLearner>& learners, int order);

    /// Learns the rings of the nodes begin..end-1 and appends their rows and sizes.
    void learn(Index begin, Index end, CsrMatrix<double>& matrix, std::vector<Index>& ring_sizes,
               const ExecutionControl& control);

    /// What was counted since the last call.
    OrderTally take_tally();

    /// Rows in the order in which one worker finished them, and where each went.
    struct FinishedRows {
        std::vector<Index> columns;
        std::vector<double> values;

        void clear() {
            columns.clear();
            values.clear();
        }
    };
    struct RowPlace {
        int worker;
        std::size_t begin;
        std::size_t count;
    };

  private:
    const Graph* rings_;
    std::vector<RingLearner>* learners_;
    int order_;
    std::vector<FinishedRows> finished_;
    std::vector<OrderTally> tallies_;
};

/// Learns all rings of one order, in parallel, with as many learners as `control` has threads. Rows that are
/// kept are not learned again, and others are added to them.
OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control, KeptRows* kept = nullptr);

}  // namespace hwgcn
