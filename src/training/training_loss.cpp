#include "training/training_loss.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/losses.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

Variable add(Tape& tape, Variable a, Variable b, double factor = 1.0) {
    return combine(tape, 1.0F, a, static_cast<float>(factor), b);
}

// One stochastic pass: the scores of all outputs, and what they are to minimise apart from the rest.
struct StochasticPass {
    std::vector<Pass::Observation> observed;
    Variable scores;
    Variable cross_entropy;
    Variable total;  // with penalties, and the loss of the nodes that a teacher labelled
};

// Where the rows of an epoch are, on the tape.
struct Epoch {
    const FitState& state;
    const LabelledField& train;
    const ComputedRows& rows;
    const FitOptions& options;

    Variable labelled(Tape& tape, Variable scores) const {
        return rows.nodes.empty() ? labelled_scores(tape, scores, train)
                                  : select_rows(tape, scores, rows.labelled);
    }
    std::span<const Index> taught() const { return rows.nodes.empty() ? train.taught_rows : rows.taught; }
};

StochasticPass evaluation_pass(Tape& tape, const Pass& pass, Variable scores, const Epoch& epoch) {
    StochasticPass result;
    result.observed = pass.observed();
    result.scores = scores;
    result.cross_entropy =
        cross_entropy(tape, epoch.labelled(tape, scores), epoch.train.labels, epoch.train.weights);
    result.total = result.cross_entropy;
    for (const Variable penalty : pass.penalties())
        result.total = add(tape, result.total, penalty);
    if (!epoch.train.taught_rows.empty()) {
        const Variable taught = select_rows(tape, scores, epoch.taught());
        result.total = add(tape, result.total, cross_entropy(tape, taught, epoch.train.taught_labels),
                           epoch.options.self_training_weight);
    }
    return result;
}

std::vector<StochasticPass> run_passes(std::uint32_t count, Tape& tape, const Network& network,
                                       const std::vector<Variable>& parameters, const Epoch& epoch) {
    const FitState& state = epoch.state;
    const double node_dropout = epoch.options.scheme == Scheme::plain ? 0.0 : epoch.options.node_dropout;
    std::vector<Pass> passes;
    for (std::uint32_t number = 0; number < count; ++number) {
        const DropoutSeed seed{state.seed, static_cast<std::uint32_t>(state.epoch), number, node_dropout};
        Pass& pass = passes.emplace_back(tape, epoch.train.field, parameters, seed);
        pass.set_labels({epoch.train.rows, epoch.train.labels, epoch.train.weights});
        pass.set_rows(epoch.rows.nodes, epoch.rows.numbers);
    }
    const std::vector<Variable> scores = network.scores_of(passes);
    std::vector<StochasticPass> results;
    for (std::uint32_t number = 0; number < count; ++number)
        results.push_back(evaluation_pass(tape, passes[number], scores[number], epoch));
    return results;
}

// A sum of losses, each times `weight`.
template <typename Loss>
Variable weighted_sum(Tape& tape, const std::vector<StochasticPass>& passes, float weight, const Loss& loss) {
    Variable sum = combine(tape, weight, loss(0), weight, loss(1));
    for (std::size_t p = 2; p < passes.size(); ++p)
        sum = combine(tape, 1.0F, sum, weight, loss(p));
    return sum;
}

}  // namespace

Variable labelled_scores(Tape& tape, Variable scores, const LabelledField& nodes) {
    return nodes.among_others ? select_rows(tape, scores, nodes.rows, nodes.nodes) : scores;
}

ComputedRows computed_rows(const FitState& state, const Network& network, const LabelledField& train,
                           const FitOptions& options) {
    const Index sampled = network.sampled_nodes();
    const Index nodes = train.field.nodes;
    ComputedRows result;
    if (options.scheme != Scheme::consistency || sampled == 0 || sampled >= nodes) return result;
    std::vector<Index> all(static_cast<std::size_t>(nodes));
    std::iota(all.begin(), all.end(), Index{0});
    RandomStream random(state.seed,
                        stream_for(StreamPurpose::samples, static_cast<std::uint64_t>(state.epoch)));
    for (Index k = 0; k < sampled; ++k)
        std::swap(all[k], all[k + static_cast<Index>(random.below(static_cast<std::uint64_t>(nodes - k)))]);
    result.nodes.assign(all.begin(), all.begin() + sampled);
    std::ranges::sort(result.nodes);
    const auto place_of = [&](Index node) {
        const auto end = result.nodes.begin() + sampled;
        const auto found = std::lower_bound(result.nodes.begin(), end, node);
        if (found != end && *found == node) return static_cast<Index>(found - result.nodes.begin());
        result.nodes.push_back(node);
        return static_cast<Index>(result.nodes.size()) - 1;
    };
    for (const Index node : train.rows)
        result.labelled.push_back(place_of(node));
    for (const Index node : train.taught_rows)
        result.taught.push_back(place_of(node));
    result.numbers.resize(result.nodes.size());
    std::iota(result.numbers.begin(), result.numbers.end(), Index{0});
    result.compared.assign(result.numbers.begin(), result.numbers.begin() + sampled);
    return result;
}

// Consistency: several passes with dropout of their own are drawn to what they say together (as in Feng et
// al. 2020),
//   mean of the passes' losses + lambda mean over nodes and passes of |p - q|^2,
// lambda growing evenly over the first epochs: at once, it makes all nodes agree before they have learned.
TrainingLoss training_loss(Tape& tape, const FitState& state, const Network& network,
                           const LabelledField& train, const ComputedRows& rows,
                           const std::vector<Variable>& parameters, const FitOptions& options) {
    const Epoch epoch{state, train, rows, options};
    const auto count = static_cast<std::uint32_t>(options.scheme == Scheme::plain ? 1 : options.passes);
    const std::vector<StochasticPass> passes = run_passes(count, tape, network, parameters, epoch);
    std::vector<Pass::Observation> observed;
    for (const StochasticPass& pass : passes)
        observed.insert(observed.end(), pass.observed.begin(), pass.observed.end());
    if (options.scheme == Scheme::plain)
        return {passes.front().total, passes.front().cross_entropy, observed};
    std::vector<Variable> distributions;
    std::vector<ConstMatrixView> shares;
    for (const StochasticPass& pass : passes) {
        const Variable scores =
            rows.compared.empty() ? pass.scores : select_rows(tape, pass.scores, rows.compared);
        distributions.push_back(softmax(tape, scores));
        shares.push_back(tape.value(distributions.back()));
    }
    const MatrixView target = tape.workspace().matrix(shares[0].rows, shares[0].columns);
    sharpened_mean(shares, options.sharpening, target, tape.control());  // it is not differentiated
    const double ramp = std::min(1.0, static_cast<double>(state.epoch) / options.consistency_ramp);
    const double share = 1.0 / options.passes;
    const Variable distance =
        weighted_sum(tape, passes, static_cast<float>(share * options.consistency_weight * ramp),
                     [&](std::size_t p) { return squared_distance(tape, distributions[p], target); });
    const auto mean = [&](Variable StochasticPass::*loss) {
        return weighted_sum(tape, passes, static_cast<float>(share),
                            [&](std::size_t p) { return passes[p].*loss; });
    };
    return {add(tape, mean(&StochasticPass::total), distance), mean(&StochasticPass::cross_entropy),
            observed};
}

}  // namespace hwgcn
