#include "training/training_loss.hpp"

#include <algorithm>
#include <array>

#include "linalg/losses.hpp"

namespace hwgcn {
namespace {

Variable add(Tape& tape, Variable a, Variable b, double factor = 1.0) {
    return combine(tape, 1.0F, a, static_cast<float>(factor), b);
}

// One stochastic pass: the scores of all outputs, and what they are to minimise apart from the rest.
struct StochasticPass {
    Variable scores;
    Variable cross_entropy;
    Variable total;  // with penalties, and the loss of the nodes that a teacher labelled
};

StochasticPass evaluation_pass(Tape& tape, const Pass& pass, Variable scores, const LabelledField& train,
                               const FitOptions& options) {
    StochasticPass result;
    result.scores = scores;
    result.cross_entropy =
        cross_entropy(tape, labelled_scores(tape, scores, train), train.labels, train.weights);
    result.total = result.cross_entropy;
    for (const Variable penalty : pass.penalties())
        result.total = add(tape, result.total, penalty);
    if (!train.taught_rows.empty()) {
        const Variable taught = select_rows(tape, scores, train.taught_rows);
        result.total = add(tape, result.total, cross_entropy(tape, taught, train.taught_labels),
                           options.self_training_weight);
    }
    return result;
}

std::vector<StochasticPass> run_passes(std::uint32_t count, Tape& tape, const FitState& state,
                                       const Network& network, const LabelledField& train,
                                       const std::vector<Variable>& parameters, const FitOptions& options) {
    const double node_dropout = options.scheme == Scheme::plain ? 0.0 : options.node_dropout;
    std::vector<Pass> passes;
    for (std::uint32_t number = 0; number < count; ++number) {
        const DropoutSeed seed{state.seed, static_cast<std::uint32_t>(state.epoch), number, node_dropout};
        passes.emplace_back(tape, train.field, parameters, seed)
            .set_labels({train.rows, train.labels, train.weights});
    }
    const std::vector<Variable> scores = network.scores_of(passes);
    std::vector<StochasticPass> results;
    for (std::uint32_t number = 0; number < count; ++number)
        results.push_back(evaluation_pass(tape, passes[number], scores[number], train, options));
    return results;
}

}  // namespace

Variable labelled_scores(Tape& tape, Variable scores, const LabelledField& nodes) {
    return nodes.rows.empty() ? scores : select_rows(tape, scores, nodes.rows);
}

// Consistency: two passes with dropout of their own are drawn to what they say together (as in Feng et al.
// 2020),
//   mean of both passes' losses + lambda mean over nodes and passes of |p - q|^2,
// lambda growing evenly over the first epochs: at once, it makes all nodes agree before they have learned.
TrainingLoss training_loss(Tape& tape, const FitState& state, const Network& network,
                           const LabelledField& train, const std::vector<Variable>& parameters,
                           const FitOptions& options) {
    const auto run = [&](std::uint32_t count) {
        return run_passes(count, tape, state, network, train, parameters, options);
    };
    if (options.scheme == Scheme::plain) {
        const StochasticPass only = run(1).front();
        return {only.total, only.cross_entropy};
    }
    const std::vector<StochasticPass> passes = run(2);
    const std::array distributions = {softmax(tape, passes[0].scores), softmax(tape, passes[1].scores)};
    const std::array shares = {tape.value(distributions[0]), tape.value(distributions[1])};
    const MatrixView target = tape.workspace().matrix(shares[0].rows, shares[0].columns);
    sharpened_mean(shares[0], shares[1], options.sharpening, target);  // it is not differentiated
    const double ramp = std::min(1.0, static_cast<double>(state.epoch) / options.consistency_ramp);
    const auto half_weight = static_cast<float>(0.5 * options.consistency_weight * ramp);
    const Variable distance = combine(tape, half_weight, squared_distance(tape, distributions[0], target),
                                      half_weight, squared_distance(tape, distributions[1], target));
    const Variable losses = combine(tape, 0.5F, passes[0].total, 0.5F, passes[1].total);
    return {add(tape, losses, distance),
            combine(tape, 0.5F, passes[0].cross_entropy, 0.5F, passes[1].cross_entropy)};
}

}  // namespace hwgcn
