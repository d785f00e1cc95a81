#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/models/train.hpp"

namespace hwgcn {

/// What a method has in the mean of several.
struct MemberShare {
    double weight = 1;       ///< those of a run add up to 1
    double temperature = 1;  ///< that calibrates it alone, before it is averaged

    bool operator==(const MemberShare&) const = default;
};

/// A trained method, and its share in the predictions of its run.
struct Member {
    MethodSettings settings;
    MemberShare share = {};
    std::vector<TrainableMatrix> parameters = {};
};

/// Where the operator of a method comes from.
using OperatorSource = std::function<const Propagation&(const MethodSettings& settings)>;

/// From a pool, which must outlive it, as must what the control refers to.
OperatorSource operators_of(OperatorPool& pool, const ExecutionControl& control);

/// The mean of what members say: weights of classes (Decision) divided out, then the temperature of each,
/// then summed up in the order in which they come. Sure and timid members count alike: the one that happens
/// to be too sure of itself does not outvote the others.
class MemberMean {
  public:
    explicit MemberMean(std::span<const double> class_weights = {}) : class_weights_(class_weights) {}

    void add(DenseMatrix said, const MemberShare& share);
    const DenseMatrix& probabilities() const { return mean_; }

    /// What a single network with such weights of classes would have said, for `calibrate`.
    DenseMatrix said() const;

  private:
    std::span<const double> class_weights_;
    DenseMatrix mean_;
};

/// Class probabilities of all nodes as the members of a run say them together: the mean of several, and what
/// a single one says (predict_nodes). `calibrate` with the same decision makes of them those that are shown.
DenseMatrix predict_members(const PreparedGraph& graph, const OperatorSource& operators,
                            std::span<const Member> members, const Decision& decision,
                            const ExecutionControl& control);

/// The name of the only one, or "average", and the highest order that any of them is on.
std::string members_name(std::span<const Member> members);
int members_order(std::span<const Member> members);

/// "SAGE", or "average of Deep GCN, SAGE and GPR".
std::string members_label(std::span<const Member> members);

/// "Average of the probabilities of Deep GCN (weight 0.667) and SAGE (weight 0.333)."
std::string members_text(std::span<const Member> members);

}  // namespace hwgcn
