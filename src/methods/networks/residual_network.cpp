#include "methods/networks/residual_network.hpp"

#include <string>
#include <utility>

#include "methods/shared_parameters.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

// The parameters in the order of their use: those of the input, of each block, of the output.
enum InputSlot : std::size_t { input_weights, input_bias, input_slots };
enum BlockSlot : std::size_t {
    block_scale,
    block_offset,
    inner_weights,
    inner_bias,
    outer_weights,
    outer_bias,
    block_slots
};
enum OutputSlot : std::size_t { last_scale, last_offset, output_weights, output_bias };

TrainableMatrix row_of(std::string name, Index columns, float value) {
    TrainableMatrix row{std::move(name), DenseMatrix(1, columns), false};
    fill(row.value, value);
    return row;
}

Variable affine(Pass& pass, Variable x, std::size_t weights) {
    const Variable product = multiply(pass.tape(), x, pass.parameter(weights));
    return add_row(pass.tape(), product, pass.parameter(weights + 1));
}

Variable normalized(Pass& pass, Variable x, std::size_t scale) {
    return layer_normalize(pass.tape(), x, pass.parameter(scale), pass.parameter(scale + 1));
}

}  // namespace

std::vector<TrainableMatrix> ResidualNetwork::initial_parameters(std::uint64_t seed) const {
    const Index hidden = options_.hidden;
    std::uint64_t stream = 1;
    std::vector<TrainableMatrix> all;
    const auto add_affine = [&](const std::string& name, Index rows, Index columns) {
        all.push_back(glorot(name, rows, columns, true, seed, stream++));
        all.push_back(row_of(name + "_bias", columns, 0.0F));
    };
    const auto add_norm = [&](const std::string& name) {
        all.push_back(row_of(name + "_scale", hidden, 1.0F));
        all.push_back(row_of(name + "_offset", hidden, 0.0F));
    };
    add_affine("input", shape_.features, hidden);
    for (int block = 1; block <= options_.layers; ++block) {
        const std::string name = "block" + std::to_string(block);
        add_norm(name);
        add_affine(name + "_inner", shape_.blocks * hidden, hidden);
        add_affine(name + "_outer", hidden, hidden);
    }
    add_norm("last");
    add_affine("output", hidden, shape_.classes);
    return all;
}

Variable ResidualNetwork::add_block(Pass& pass, Variable x, std::size_t first) const {
    Tape& tape = pass.tape();
    const Step& step = pass.next_step();
    const Variable kept = step.inputs == step.outputs ? x : at_outputs(tape, step, x);
    Variable h = pass.propagate(normalized(pass, x, first + block_scale));
    h = affine(pass, pass.dropout(h, options_.hidden_dropout), first + inner_weights);
    h = affine(pass, gelu(tape, h), first + outer_weights);
    return combine(tape, 1.0F, kept, 1.0F, pass.dropout(h, options_.hidden_dropout));
}

Variable ResidualNetwork::scores(Pass& pass) const {
    Tape& tape = pass.tape();
    Variable x = pass.features_times(pass.parameter(input_weights), options_.input_dropout);
    x = add_row(tape, x, pass.parameter(input_bias));
    x = gelu(tape, pass.dropout(x, options_.hidden_dropout));
    std::size_t first = input_slots;
    for (int block = 0; block < options_.layers; ++block, first += block_slots)
        x = add_block(pass, x, first);
    return affine(pass, normalized(pass, x, first + last_scale), first + output_weights);
}

std::vector<Parameter<ResidualOptions>> residual_parameters() {
    using Options = ResidualOptions;
    return {layers_parameter<Options>(), units_parameter<Options>(), input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>()};
}

std::vector<Setting> residual_training() {
    return {{"rate", "0.001"}, {"l2", "0"}, {"epochs", "600"}};
}

}  // namespace hwgcn
