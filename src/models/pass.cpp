#include "models/pass.hpp"

#include <cmath>
#include <utility>

namespace hwgcn {
namespace {

bool is_kept(const DropMask* mask, std::int64_t entry) {
    if (mask == nullptr) return true;
    return (mask->bits[static_cast<std::size_t>(entry) / 64] >> entry % 64 & 1) != 0;
}

// What scales the kept part of each row to length 1; a row of zeros stays as it is.
std::vector<float> inverse_lengths(const RowSlice& x, const DropMask* mask) {
    std::vector<float> factors;
    factors.reserve(x.origin.size());
    for (Index i = 0; i < x.matrix->rows; ++i) {
        double squares = 0;
        std::int64_t entry = x.origin[i];
        for (const float value : x.matrix->row(i).values) {
            if (is_kept(mask, entry++)) squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const double scale = mask != nullptr ? static_cast<double>(mask->scale) : 1.0;
        factors.push_back(squares > 0 ? static_cast<float>(1.0 / (scale * std::sqrt(squares))) : 1.0F);
    }
    return factors;
}

}  // namespace

Pass::Pass(Tape& tape, const ReceptiveField& field, std::vector<Variable> parameters,
           std::optional<DropoutSeed> dropout)
    : tape_(&tape), field_(&field), parameters_(std::move(parameters)), dropout_(dropout) {
    if (dropout_) kept_nodes_ = draw(static_cast<std::size_t>(field.nodes), dropout_->node_dropout);
}

std::optional<DropMask> Pass::draw(std::size_t count, double rate) {
    if (!dropout_ || rate == 0.0) return std::nullopt;
    return draw_mask(tape_->workspace(), count, rate, draw_stream());
}

RandomStream Pass::draw_stream() {
    return {dropout_->seed, std::uint64_t{dropout_->epoch} << 32 | dropout_->pass << 16 | draws_++};
}

Variable Pass::features_times(Variable theta, double dropout_rate) {
    const auto entries = static_cast<std::size_t>(field_->feature_entries);
    const std::optional<DropMask> mask = draw(entries, dropout_rate);
    return drop_nodes(multiply(*tape_, field_->features, mask ? &*mask : nullptr, theta, *field_->inputs));
}

Variable Pass::drop_nodes(Variable rows) {
    if (!kept_nodes_) return rows;
    std::vector<float> factors;
    for (const Index node : *field_->inputs)
        factors.push_back(is_kept(&*kept_nodes_, node) ? kept_nodes_->scale : 0.0F);
    return scale_rows(*tape_, rows, std::move(factors));
}

Variable Pass::unit_features_times(Variable theta, double dropout_rate) {
    const auto entries = static_cast<std::size_t>(field_->feature_entries);
    const std::optional<DropMask> drawn = draw(entries, dropout_rate);
    const DropMask* mask = drawn ? &*drawn : nullptr;
    const Variable product = multiply(*tape_, field_->features, mask, theta, *field_->inputs);
    return drop_nodes(scale_rows(*tape_, product, inverse_lengths(field_->features, mask)));
}

Variable Pass::propagate(Variable h) {
    return hwgcn::propagate(*tape_, take_step(), h);
}

Variable Pass::dropout(Variable h, double rate) {
    const std::size_t bits = static_cast<std::size_t>(field_->nodes) * tape_->value(h).stride();
    const std::optional<DropMask> mask = draw(bits, rate);
    return mask ? drop(*tape_, h, *mask) : h;
}

}  // namespace hwgcn
