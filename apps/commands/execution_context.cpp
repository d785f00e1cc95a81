#include "execution_context.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "tables.hpp"

namespace hwgcn::cli {

void ExecutionContext::add_data_options(CLI::App& command, DatasetOptions& options) const {
    add_dataset_options(command, options);
}

void ExecutionContext::add_weight_options(CLI::App& command, DataOptions& options) const {
    add_cache_options(command, options.cache);
}

void ExecutionContext::add_common_options(CLI::App& command, CommonOptions& options) const {
    cli::add_common_options(command, options);
}

void only_alone(CLI::App& command, const ExecutionContext& context,
                std::initializer_list<const char*> options) {
    if (!context.is_shared()) return;
    for (const char* const name : options) {
        command.get_option(name)->group("")->each([name, &command](const std::string&) {
            throw InputError(
                fmt::format("{}: several processes cannot do this; hwgcn {} does, on one machine", name,
                            command.get_name()));
        });
    }
}

void expect_named_methods(const ExecutionContext& context, std::span<const AskedMethod> methods) {
    const auto is_automatic = [](const AskedMethod& method) {
        return std::holds_alternative<Automatic>(method);
    };
    if (context.is_shared() && std::ranges::any_of(methods, is_automatic))
        throw InputError(
            "--method auto: several processes train the methods that they are told; hwgcn has auto, on one "
            "machine");
}

bool asks_for_weights(const std::optional<std::string>& methods, const std::vector<Setting>& given) {
    if (!methods) return false;
    return std::ranges::any_of(chosen_methods(*methods, given, ""), [](const AskedMethod& method) {
        const auto* settings = std::get_if<MethodSettings>(&method);
        return settings != nullptr && order_of(*settings) > 1;
    });
}

std::string process_count(int processes) {
    return fmt::format("{} process{}", grouped(processes), processes == 1 ? "" : "es");
}

std::string processes_text(const ExecutionContext& context) {
    return context.is_shared() ? " on " + process_count(context.processes()) : "";
}

void add_processes(Json& json, const ExecutionContext& context, std::int64_t exchanged_bytes) {
    if (!context.is_shared()) return;
    json["processes"] = context.processes();
    json["exchanged_bytes"] = exchanged_bytes;
}

}  // namespace hwgcn::cli
