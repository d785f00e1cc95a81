#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hwgcn/methods/method_info.hpp"

#include "base/parameter.hpp"
#include "methods/classic_method.hpp"
#include "methods/network.hpp"

namespace hwgcn {

/// Settings as published, where they differ from the defaults of the parameters. Those that were published
/// per dataset follow its name; other datasets get Cora's. They may be of the method itself, of the operator
/// or of training.
using Published = std::vector<Setting> (*)(std::string_view dataset);

using MakeNetwork = std::function<std::unique_ptr<Network>(NetworkShape)>;

/// Makes what a method learns with; it has the options of the method's own equation. Networks have the first.
/// Other methods have the second, and the first, too, where what they learn are the parameters of a network,
/// which then predicts and explains.
struct MethodMaker {
    MakeNetwork network = {};
    std::function<std::unique_ptr<ClassicMethod>()> classic = {};
};

/// A method as its own file declares it; models/method_table.cpp lists them all.
struct MethodDefinition {
    MethodInfo info;
    std::string network;                    ///< methods of the same network and settings are the same
    std::vector<ParameterInfo> parameters;  ///< those of its equation
    Published published;
    std::function<MethodMaker(const std::vector<Setting>&)> maker;  ///< reads its own among the settings
};

inline std::vector<Setting> nothing_published(std::string_view) {
    return {};
}

/// Whether a network says of itself that all its sums over nodes go block by block.
template <typename Net>
concept TakesBlocks = requires {
    requires Net::takes_blocks;
};

/// Whether a network says of itself that it uses operations which devices do not have.
template <typename Net>
concept NeedsProcessor = requires {
    requires Net::needs_processor;
};

/// Declares a method that trains the network `Net(Options, NetworkShape)`.
template <typename Net, typename Options>
MethodDefinition network_method(MethodInfo info, std::string network, std::vector<Parameter<Options>> table,
                                Published published = nothing_published) {
    info.kind = MethodKind::network;
    info.takes_blocks = TakesBlocks<Net>;
    info.weighs_labels = true;
    info.trains_on_devices = !NeedsProcessor<Net>;
    std::vector<ParameterInfo> parameters = parameter_infos(table);
    return {std::move(info), std::move(network), std::move(parameters), published,
            [table = std::move(table)](const std::vector<Setting>& settings) {
                return MethodMaker{[options = options_from(table, settings)](NetworkShape shape) {
                    return std::make_unique<Net>(options, shape);
                }};
            }};
}

/// Declares a method that learns as `Method(Options)` does, and predicts by a network where one is given.
template <typename Method, typename Options>
MethodDefinition classic_method(
    MethodInfo info, std::vector<Parameter<Options>> table,
    std::type_identity_t<std::function<std::unique_ptr<Network>(const Options&, NetworkShape)>> make_network =
        {},
    Published published = nothing_published) {
    info.kind = MethodKind::classic;
    std::string network = info.name;
    std::vector<ParameterInfo> parameters = parameter_infos(table);
    return {std::move(info), std::move(network), std::move(parameters), published,
            [table = std::move(table), make = std::move(make_network)](const std::vector<Setting>& settings) {
                const Options options = options_from(table, settings);
                MakeNetwork network_of;
                if (make) network_of = [make, options](NetworkShape shape) { return make(options, shape); };
                return MethodMaker{std::move(network_of),
                                   [options] { return std::make_unique<Method>(options); }};
            }};
}

}  // namespace hwgcn
