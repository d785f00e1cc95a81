#include "explanation/average_explainer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "operators/propagation.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

constexpr double least_probability = 1e-30;  // which has a logarithm

// Scores divided by the temperature are on one scale, that of calibrated log-odds.
double factor_of(const Member& member) {
    return member.share.weight / member.share.temperature;
}

DenseMatrix softmax(const std::vector<double>& scores) {
    const double largest = *std::ranges::max_element(scores);
    double sum = 0;
    for (const double score : scores)
        sum += exponential(score - largest);
    DenseMatrix row(1, static_cast<Index>(scores.size()));
    for (std::size_t c = 0; c < scores.size(); ++c)
        row.at(0, static_cast<Index>(c)) = static_cast<float>(exponential(scores[c] - largest) / sum);
    return row;
}

std::vector<double> logarithms(const float* probabilities, Index classes) {
    std::vector<double> result;
    for (Index c = 0; c < classes; ++c)
        result.push_back(std::log(std::max(static_cast<double>(probabilities[c]), least_probability)));
    return result;
}

}  // namespace

AverageExplainer::AverageExplainer(const PreparedGraph& graph, std::vector<Part> parts,
                                   const ShownScores& shown)
    : Explainer(graph, shown), parts_(std::move(parts)), class_weights_(shown.decision.class_weights) {}

Explainer::Case AverageExplainer::case_of_part(const Part& part, Index node,
                                               const std::optional<Classes>& given) {
    if (part.explainer) return part.explainer->case_of(node, given);
    Case said;
    said.scores = logarithms(part.probabilities.row(node), part.probabilities.columns());
    std::tie(said.predicted, said.runner_up) = given.value_or(Classes{0, 0});
    return said;
}

// The classes are known once all members have said how probable they are; then each speaks of these two.
Explainer::Case AverageExplainer::case_of(Index node, const std::optional<Classes>& given) const {
    std::vector<Case> cases;
    MemberMean mean(class_weights_);
    for (const Part& part : parts_) {
        cases.push_back(case_of_part(part, node, given));
        mean.add(softmax(cases.back().scores), part.member->share);
    }
    const DenseMatrix said = mean.said();
    Case decided;
    decided.scores = logarithms(said.row(0), said.columns());
    std::tie(decided.predicted, decided.runner_up) = classes_of(decided.scores, given);
    const Classes both{decided.predicted, decided.runner_up};
    decided.margin = 0;
    std::map<Index, double> by_node;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const Part& part = parts_[k];
        const double factor = factor_of(*part.member);
        Case& own = cases[k];
        if (Classes{own.predicted, own.runner_up} != both) own = case_of_part(part, node, both);
        const double margin = own.scores[both.first] - own.scores[both.second];
        *decided.margin += factor * margin;
        decided.offset += factor * own.offset;
        for (const NeighborTerm& term : own.terms)
            by_node[term.node] += factor * term.contribution;
        decided.members.push_back({method_label(part.member->settings), part.member->share, {}, margin});
        if (part.explainer) decided.members.back().kind = part.explainer->kind();
    }
    for (const auto& [from, sum] : by_node) {
        NeighborTerm& term = decided.terms.emplace_back();
        term.node = from;
        term.weight = std::numeric_limits<double>::quiet_NaN();
        term.contribution = sum;
    }
    return decided;
}

std::vector<FeatureTerm> AverageExplainer::features_of(Index node, const Case& decided) const {
    std::map<Index, FeatureTerm> sums;
    for (const Part& part : parts_) {
        if (!part.explainer) continue;
        const double factor = factor_of(*part.member);
        for (const FeatureTerm& own : part.explainer->features_of(node, decided)) {
            FeatureTerm& sum = sums[own.feature];
            sum.feature = own.feature;
            sum.name = own.name;
            sum.contribution += factor * own.contribution;
            sum.own += factor * own.own;
        }
    }
    std::vector<FeatureTerm> terms;
    for (auto& [feature, term] : sums)
        terms.push_back(std::move(term));
    std::ranges::stable_sort(terms, std::greater(),
                             [](const FeatureTerm& term) { return std::abs(term.contribution); });
    return terms;
}

std::int64_t AverageExplainer::cost() const {
    std::int64_t all = 0;
    for (const Part& part : parts_)
        all += part.explainer ? 2 * part.explainer->cost() : 0;  // most are asked once more, of other classes
    return all;
}

std::unique_ptr<Explainer> make_average_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                                  std::span<const Member> members, const ShownScores& shown,
                                                  const ExecutionControl& control) {
    std::vector<AverageExplainer::Part> parts;
    bool any = false;
    for (const Member& member : members) {
        const Propagation& propagation = operators(member.settings);
        AverageExplainer::Part& part = parts.emplace_back(AverageExplainer::Part{&member});
        part.explainer = make_explainer(graph, propagation, member.settings, member.parameters, {}, control);
        any = any || part.explainer;
        if (!part.explainer)
            part.probabilities =
                predict_nodes(graph, propagation, member.settings, member.parameters, control);
    }
    if (!any) return nullptr;
    return std::make_unique<AverageExplainer>(graph, std::move(parts), shown);
}

}  // namespace hwgcn
