#include "hwgcn/models/members.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "metrics/calibration.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {
namespace {

// "a", "a and b", "a, b and c"
std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (std::size_t k = 0; k < texts.size(); ++k)
        all += (k == 0 ? "" : k + 1 == texts.size() ? " and " : ", ") + texts[k];
    return all;
}

}  // namespace

OperatorSource operators_of(OperatorPool& pool, const ExecutionControl& control) {
    return [&pool, control](const MethodSettings& settings) -> const Propagation& {
        return pool.get(settings, control);
    };
}

DenseMatrix predict_members(const PreparedGraph& graph, const OperatorSource& operators,
                            std::span<const Member> members, const Decision& decision,
                            const ExecutionControl& control) {
    const auto predict = [&](const Member& member) {
        return predict_nodes(graph, operators(member.settings), member.settings, member.parameters, control);
    };
    if (members.size() == 1) return predict(members.front());
    MemberMean mean(decision.class_weights);
    for (const Member& member : members)
        mean.add(predict(member), member.share);
    return mean.said();
}

void MemberMean::add(DenseMatrix said, const MemberShare& share) {
    divide_out_weights(said, class_weights_);
    apply_temperature(said, share.temperature);
    if (mean_.rows() == 0) mean_ = DenseMatrix(said.rows(), said.columns());
    for (Index row = 0; row < said.rows(); ++row) {
        for (Index column = 0; column < said.columns(); ++column) {
            float& sum = mean_.at(row, column);
            sum = static_cast<float>(static_cast<double>(sum) +
                                     share.weight * static_cast<double>(said.at(row, column)));
        }
    }
}

// Divided by the inverse, which puts the weights back in.
DenseMatrix MemberMean::said() const {
    std::vector<double> inverse;
    for (const double weight : class_weights_)
        inverse.push_back(1 / weight);
    DenseMatrix result = mean_;
    divide_out_weights(result, inverse);
    return result;
}

std::string members_name(std::span<const Member> members) {
    return members.size() == 1 ? members.front().settings.method() : "average";
}

int members_order(std::span<const Member> members) {
    int highest = 1;
    for (const Member& member : members)
        highest = std::max(highest, order_of(member.settings));
    return highest;
}

std::string members_label(std::span<const Member> members) {
    if (members.size() == 1) return method_label(members.front().settings);
    std::vector<std::string> labels;
    for (const Member& member : members)
        labels.push_back(method_label(member.settings));
    return "average of " + joined(labels);
}

std::string members_text(std::span<const Member> members) {
    std::vector<std::string> texts;
    for (const Member& member : members)
        texts.push_back(
            fmt::format("{} (weight {:.3f})", method_label(member.settings), member.share.weight));
    return fmt::format("Average of the probabilities of {}.", joined(texts));
}

}  // namespace hwgcn
