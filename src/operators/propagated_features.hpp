#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "operators/propagation.hpp"

namespace hwgcn {

/// A = share / (T + 1) * sum over t = 0..T of P^t, the mean of the first powers of an operator.
struct MeanOfPowers {
    int steps = 1;       ///< T
    float share = 1.0F;  ///< what the features are multiplied by

    auto operator<=>(const MeanOfPowers&) const = default;
};

/// A X, divided by the nodes that the features come from: the nodes fall into groups at random, and matrix g
/// is A X with the features of group g alone. To drop nodes group by group, those that are kept are added up;
/// nothing is propagated again.
struct NodeGroups {
    std::vector<DenseMatrix> parts;
};

using SharedFeatures = std::shared_ptr<const CsrMatrix<float>>;

/// The group of each node: sizes differ by one at most. The same for every training.
std::vector<int> random_groups(Index nodes, int groups);

/// Features propagated with one operator, each kind once, however many trainings at the same time want it.
class PropagatedFeatures {
  public:
    /// Those who come while the groups are being made help.
    std::shared_ptr<const NodeGroups> groups(const Propagation& propagation, const SharedFeatures& features,
                                             const MeanOfPowers& powers, int count,
                                             const ExecutionControl& control);

  private:
    struct Work {
        std::shared_ptr<NodeGroups> groups;
        std::vector<int> todo;
        int done = 0;
    };
    using GroupsKey = std::tuple<SharedFeatures, MeanOfPowers, int>;

    std::mutex access_;
    std::condition_variable changed_;
    std::map<GroupsKey, Work> groups_;
};

}  // namespace hwgcn
