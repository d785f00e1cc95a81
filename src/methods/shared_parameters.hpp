#pragma once

#include <optional>
#include <string_view>

#include "base/parameter.hpp"

namespace hwgcn {

// Parameters that several methods have, each for any options with a member of that name.

template <typename Options>
Parameter<Options> layers_parameter() {
    return number_parameter("layers", &Options::layers, Range<int>{1, 16}, "N", "layers of the network");
}

template <typename Options>
Parameter<Options> hidden_parameter() {
    return number_parameter("hidden", &Options::hidden, Range<int>{1, 4096}, "N", "units of a hidden layer");
}

/// The same as a whole number of vectors in each row: products with several operators then lie side by side.
template <typename Options>
Parameter<Options> units_parameter() {
    constexpr Range<int> range{16, 1024};
    constexpr int vector = 16;
    Parameter<Options> parameter = hidden_parameter<Options>();
    parameter.expected = "a multiple of 16 in 16..1024";
    parameter.set = [=](Options& options, std::string_view text) {
        const std::optional<int> value = parse_value<int>(text);
        if (!value || !range.contains(*value) || *value % vector != 0) return false;
        options.hidden = *value;
        return true;
    };
    return parameter;
}

template <typename Options>
Parameter<Options> input_dropout_parameter() {
    return number_parameter("input_dropout", &Options::input_dropout, Range<double>{0.0, 0.99}, "RATE",
                            "share of the features dropped in training");
}

template <typename Options>
Parameter<Options> hidden_dropout_parameter() {
    return number_parameter("hidden_dropout", &Options::hidden_dropout, Range<double>{0.0, 0.99}, "RATE",
                            "share of the hidden units dropped in training");
}

template <typename Options>
Parameter<Options> propagations_parameter() {
    return number_parameter("propagations", &Options::propagations, Range<int>{1, 64}, "N",
                            "multiplications with the operator");
}

template <typename Options>
Parameter<Options> classifier_l2_parameter() {
    return list_parameter(
        "classifier_l2", &Options::classifier_l2, Range<double>{0.0, 1e6, true}, "L,L,..",
        "weight of the penalty half the squared norm; of several, the best on validation nodes", 1);
}

template <typename Options>
Parameter<Options> solver_tolerance_parameter(std::string help) {
    return number_parameter("solver_tolerance", &Options::solver_tolerance, Range<double>{0.0, 0.1, true},
                            "T", std::move(help));
}

template <typename Options>
Parameter<Options> solver_iterations_parameter() {
    return number_parameter("solver_iterations", &Options::solver_iterations, Range<int>{1, 10000000}, "N",
                            "iterations at most");
}

}  // namespace hwgcn
