#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "hwgcn/models/methods.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "methods/method_definition.hpp"
#include "operators/propagation.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

/// What the settings of a method stand for.
struct MethodOptions {
    OperatorKind operator_kind = OperatorKind::plain;
    WeightOptions weights;
    PropagationOptions propagation;
    FitOptions fit;
    MethodMaker maker;
};

/// Reads them from their texts. Throws InputError for an unexpected one.
MethodOptions read_options(const MethodDefinition& method, const std::vector<Setting>& settings);

/// How a method was declared. Throws InputError for an unknown one, suggesting the nearest.
const MethodDefinition& method_definition(std::string_view method);

/// Throws InputError, suggesting the nearest, unless some method has a parameter of this name.
void expect_known_parameter(std::string_view name);

/// What every method starts from: the plain graph and, should the user ask for the higher-order operator, the
/// paper's orders.
std::vector<Setting> published_operator(std::string_view dataset);

/// Whether a method learns without epochs.
bool is_classic(const MethodSettings& settings);

/// The network that a method trains, with its published shape changed by `settings`, which must be its own.
std::unique_ptr<Network> make_network(std::string_view method, const std::vector<Setting>& settings,
                                      NetworkShape shape);
std::unique_ptr<Network> make_network(const MethodSettings& settings, NetworkShape shape);

/// The same for methods without epochs.
std::unique_ptr<ClassicMethod> make_classic_method(std::string_view method,
                                                   const std::vector<Setting>& settings);
std::unique_ptr<ClassicMethod> make_classic_method(const MethodSettings& settings);

}  // namespace hwgcn
