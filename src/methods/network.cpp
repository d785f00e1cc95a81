#include "methods/network.hpp"

#include <cmath>
#include <utility>

#include "methods/layered_parameters.hpp"
#include "operators/propagation.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
std::vector<Variable> Network::scores_of(std::span<Pass> passes) const {
    std::vector<Variable> scores_by_pass;
    for (Pass& pass : passes)
        scores_by_pass.push_back(scores(pass));
    return scores_by_pass;
}

ReceptiveField field_of(const Network& network, const Propagation& propagation,
                        const SharedFeatures& features, std::span<const Index> outputs) {
    return network.needs_all_nodes() ? whole_field(propagation, features, network.steps())
                                     : receptive_field(propagation, features, outputs, network.steps());
}

void add_training_input(ReceptiveField& field, const Network& network, const Propagation& propagation,
                        const SharedFeatures& features, const ExecutionControl& control) {
    const std::optional<PropagatedInput> input = network.propagated_input();
    if (!input) return;
    PropagatedFeatures own;
    PropagatedFeatures& made = propagation.features ? *propagation.features : own;
    field.groups = made.groups(propagation, features, input->powers, input->groups, control);
}

void add_propagated_outputs(ReceptiveField& field, const NodeGroups& groups,
                            const ExecutionControl& control) {
    std::int64_t entries = field.features.matrix->entries();
    for (const Step& step : field.steps)
        entries += step.forward.matrix->entries();
    const auto outputs = static_cast<Index>(field.outputs->size());
    const Index columns = groups.parts.front().columns();
    if (std::int64_t{outputs} * columns >= entries) return;
    auto sum = std::make_shared<DenseMatrix>(outputs, columns);
    const std::vector<ConstMatrixView> parts(groups.parts.begin(), groups.parts.end());
    const RowSums sums{parts, *sum};
    gather_row_sums({&sums, 1}, *field.outputs, 1.0F, control);
    field.propagated = std::move(sum);
}

TrainableMatrix glorot(std::string name, Index rows, Index columns, bool decays, std::uint64_t seed,
                       std::uint64_t number) {
    RandomStream random(seed, stream_for(StreamPurpose::parameters, number));
    const double limit = std::sqrt(6.0 / (static_cast<double>(rows) + columns));
    TrainableMatrix matrix{std::move(name), DenseMatrix(rows, columns), decays};
    std::vector<float> numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (float& weight : numbers)
        weight = static_cast<float>((2.0 * random.uniform() - 1.0) * limit);
    upload(numbers, matrix.value);
    return matrix;
}

std::vector<TrainableMatrix> layered_parameters(int layers, int hidden, NetworkShape shape,
                                                std::uint64_t seed) {
    std::vector<TrainableMatrix> parameters;
    for (int layer = 1; layer <= layers; ++layer) {
        const Index rows = layer == 1 ? shape.features : hidden;
        const Index columns = layer == layers ? shape.classes : hidden;
        parameters.push_back(glorot("theta" + std::to_string(layer), rows, columns, layer == 1, seed,
                                    static_cast<std::uint64_t>(layer)));
    }
    return parameters;
}

}  // namespace hwgcn
