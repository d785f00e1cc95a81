#include "methods/pass.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

// What scales the kept part of each row to length 1.
ConstMatrixView lengths_to_one(Tape& tape, const RowSlice& x, const DropMask* mask) {
    const MatrixView factors = tape.workspace().matrix(1, x.matrix->rows);
    const KeptEntries kept = mask != nullptr ? KeptEntries{mask->bits, x.origin, mask->scale} : KeptEntries{};
    inverse_lengths(*x.matrix, mask != nullptr ? &kept : nullptr, factors);
    return factors;
}

}  // namespace

std::uint64_t stream_of(const DropoutSeed& dropout, std::uint32_t place) {
    return stream_for(StreamPurpose::dropout,
                      std::uint64_t{dropout.epoch} << 24 | dropout.pass << 16 | place);
}

Pass::Pass(Tape& tape, const ReceptiveField& field, std::vector<Variable> parameters,
           std::optional<DropoutSeed> dropout)
    : tape_(&tape), field_(&field), parameters_(std::move(parameters)), dropout_(dropout) {
    if (dropout_) kept_nodes_ = draw_for_nodes(1, dropout_->node_dropout);
    if (kept_nodes_) kept_nodes_->whole_rows = true;
}

std::optional<DropMask> Pass::draw(std::size_t count, double rate) {
    if (!dropout_ || rate == 0.0) return std::nullopt;
    return draw_mask(tape_->workspace(), count, rate, next_mask(), tape_->control());
}

MaskStream Pass::next_mask() {
    return {dropout_->seed, stream_of(*dropout_, draws_++)};
}

std::optional<DropMask> Pass::draw_for_nodes(std::size_t bits_per_node, double rate) {
    const RowLayout* layout = field_->layout.get();
    if (layout == nullptr) return draw(static_cast<std::size_t>(field_->nodes) * bits_per_node, rate);
    if (!dropout_ || rate == 0.0) return std::nullopt;
    const auto blocks = static_cast<std::size_t>(layout->end_block - layout->first_block);
    const std::span<std::uint64_t> first_words = tape_->workspace().words(blocks + 1);
    first_words[0] = 0;
    for (std::size_t k = 0; k < blocks; ++k) {
        const Index* bounds = layout->blocks.bounds.data() + layout->first_block + k;
        const std::size_t bits = static_cast<std::size_t>(bounds[1] - bounds[0]) * bits_per_node;
        first_words[k + 1] = first_words[k] + (bits + 63) / 64;
    }
    DropMask mask = draw_block_masks(tape_->workspace(), first_words, layout->first_block, rate, next_mask(),
                                     tape_->control());
    mask.layout = layout;
    mask.first_words = first_words;
    return mask;
}

std::optional<DropMask> Pass::draw_for_features(double rate) {
    const RowLayout* layout = field_->layout.get();
    if (layout == nullptr) return draw(static_cast<std::size_t>(field_->feature_entries), rate);
    if (!dropout_ || rate == 0.0) return std::nullopt;
    return draw_block_masks(tape_->workspace(), field_->entry_words, layout->first_block, rate, next_mask(),
                            tape_->control());
}

RandomStream Pass::draw_stream() {
    return {dropout_->seed, stream_of(*dropout_, draws_++)};
}

Variable Pass::features_times(Variable theta, double dropout_rate) {
    const std::optional<DropMask> mask = draw_for_features(dropout_rate);
    const Variable product =
        multiply(*tape_, field_->features, mask ? &*mask : nullptr, theta, *field_->inputs);
    return input(theta, drop_nodes(product), {});
}

Variable Pass::hidden_features(Variable theta, Variable bias, double input_dropout, double hidden_dropout) {
    const std::optional<DropMask> mask = draw_for_features(input_dropout);
    const DropMask* const nodes = kept_nodes_ ? &*kept_nodes_ : nullptr;
    const Variable product =
        multiply(*tape_, field_->features, mask ? &*mask : nullptr, theta, *field_->inputs, nodes);
    const std::size_t stride = tape_->value(product).stride();
    const HiddenMasks masks{kept_nodes_, draw_for_nodes(stride, hidden_dropout)};
    return hidden_layer(*tape_, input(theta, product, {}), bias, masks);
}

Variable Pass::input(Variable theta, Variable product, ConstMatrixView row_scale) {
    if (!keeps_inputs_) return product;
    const ConstMatrixView value = tape_->value(product);
    const MatrixView gradient = tape_->workspace().matrix(value.rows, value.columns);
    inputs_.push_back({theta, tape_->parameter(value, gradient), gradient, row_scale});
    return inputs_.back().product;
}

Variable Pass::drop_nodes(Variable rows) {
    return kept_nodes_ ? drop(*tape_, rows, *kept_nodes_) : rows;
}

Variable Pass::unit_features_times(Variable theta, double dropout_rate) {
    const std::optional<DropMask> drawn = draw_for_features(dropout_rate);
    const DropMask* mask = drawn ? &*drawn : nullptr;
    const Variable product = multiply(*tape_, field_->features, mask, theta, *field_->inputs);
    const ConstMatrixView row_scale = lengths_to_one(*tape_, field_->features, mask);
    return input(theta, drop_nodes(scale_rows(*tape_, product, row_scale)), row_scale);
}

std::vector<Variable> Pass::propagated_features(std::span<Pass> passes) {
    const Pass& front = passes.front();
    Tape& tape = *front.tape_;
    const std::vector<DenseMatrix>& groups = front.field_->groups->parts;
    const auto all = static_cast<double>(groups.size());
    const double kept = std::max(1.0, std::round((1.0 - front.dropout_->node_dropout) * all));
    const std::span<const Index> nodes =
        front.rows_.empty() ? std::span<const Index>(*front.field_->outputs) : front.rows_;
    std::vector<RowSums> sums;
    for (Pass& pass : passes) {
        std::vector<ConstMatrixView> parts(groups.begin(), groups.end());
        pass.draw_stream().shuffle(std::span(parts));
        parts.resize(static_cast<std::size_t>(kept));
        const Index columns = parts.front().columns;
        sums.push_back(
            {std::move(parts), tape.workspace().matrix(static_cast<Index>(nodes.size()), columns)});
    }
    gather_row_sums(sums, nodes, static_cast<float>(all / kept), tape.control());
    std::vector<Variable> result;
    for (const RowSums& sum : sums)
        result.push_back(tape.constant(sum.out, front.rows_.empty() ? nodes : front.numbers_));
    return result;
}

Variable Pass::propagated_outputs() {
    const ConstMatrixView known = *field_->propagated;
    const MatrixView here = tape_->workspace().matrix(known.rows, known.columns);
    copy(known, here);
    return tape_->constant(here, *field_->outputs);
}

Variable Pass::propagate(Variable h) {
    return hwgcn::propagate(*tape_, take_step(), h);
}

Variable Pass::dropout(Variable h, double rate) {
    const std::size_t stride = tape_->value(h).stride();
    const std::optional<DropMask> mask =
        rows_.empty() ? draw_for_nodes(stride, rate) : draw(rows_.size() * stride, rate);
    return mask ? drop(*tape_, h, *mask) : h;
}

}  // namespace hwgcn
