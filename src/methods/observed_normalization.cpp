#include "methods/observed_normalization.hpp"

#include "tensor/normalization.hpp"

namespace hwgcn {
namespace {

constexpr double added_to_variances = 1e-5;

}  // namespace

Variable normalize_observed(Pass& pass, const ObservedNormalization& slots, Variable x) {
    BatchMoments found;
    const Variable result = batch_normalize(pass.tape(), x, pass.parameter(slots.scale),
                                            pass.parameter(slots.offset), added_to_variances, &found);
    pass.observe(slots.mean, found.means);
    pass.observe(slots.variance, found.variances);
    return result;
}

FixedNormalization fixed_normalization(Pass& pass, const ObservedNormalization& slots) {
    Tape& tape = pass.tape();
    const auto value = [&](std::size_t slot) { return tape.value(pass.parameter(slot)); };
    const Index columns = value(slots.mean).columns;
    const FixedNormalization result{tape.workspace().matrix(1, columns), tape.workspace().matrix(1, columns)};
    fixed_normalization(value(slots.mean), value(slots.variance), value(slots.scale), value(slots.offset),
                        added_to_variances, result.factors, result.addends);
    return result;
}

}  // namespace hwgcn
