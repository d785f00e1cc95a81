#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/version.hpp"

#include "base/library_versions.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "environment.hpp"
#include "fetch/fetch.hpp"
#include "graph/node_order.hpp"
#include "io/numpy/npz_archive.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "tensor/cpu/instruction_sets.hpp"
#include "tensor/devices.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct InfoOptions {
    CommonOptions common;
    bool parameters = false;
};

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

Json devices_as_json() {
    Json list = Json::array();
    for (const DeviceInfo& device : devices())
        list.push_back({{"name", device.name},
                        {"platform", device.platform},
                        {"version", device.version},
                        {"gpu", device.is_gpu},
                        {"memory_gb", device.memory_bytes / 1e9}});
    return list;
}

std::string devices_as_text() {
    if (!has_opencl()) return "none (this program was built without OpenCL)";
    if (devices().empty()) return "none (OpenCL finds no device)";
    std::string text;
    for (std::size_t k = 0; k < devices().size(); ++k) {
        const DeviceInfo& device = devices()[k];
        text += fmt::format("{}gpu:{}  {} ({}, {:.1f} GB; {}, {})", k == 0 ? "" : "\n                    ", k,
                            printable(device.name, 80), device.is_gpu ? "GPU" : "a processor",
                            device.memory_bytes / 1e9, printable(device.platform, 80),
                            printable(device.version, 20));
    }
    return text;
}

int run_info(const InfoOptions& options) {
    check_outputs({json_output(options.common)});
    if (options.parameters) {
        deliver(parameters_as_markdown(), parameters_as_json(), options.common.json);
        return exit_status::success;
    }
    const std::vector<std::string> sets = instruction_sets();
    const std::string used = sets.empty() ? "none" : sets.front();
    const int threads = thread_count({options.common.threads});
    const std::string data = data_directory(options.common).string();
    const std::string cache = default_cache_directory().string();
    Json libraries = Json::object();
    std::string library_text;
    const std::map<std::string, std::string> versions = {
        {"curl", libcurl_version()},     {"fmt", version_of_fmt()},     {"highway", version_of_highway()},
        {"libzip", version_of_libzip()}, {"metis", version_of_metis()}, {"zlib", version_of_zlib()},
    };
    for (const auto& [name, number] : versions) {
        libraries[name] = number;
        library_text += fmt::format("    {:<16}{}\n", name, number);
    }
    const Json json = {{"version", version()},
                       {"compiler", compiler()},
                       {"build_type", HWGCN_BUILD_TYPE},
                       {"instruction_set", used},
                       {"instruction_sets", sets},
                       {"backends", devices().empty() ? Json{"cpu"} : Json{"cpu", "opencl"}},
                       {"devices", devices_as_json()},
                       {"cores", std::thread::hardware_concurrency()},
                       {"threads", threads},
                       {"data_directory", data},
                       {"cache_directory", cache},
                       {"libraries", libraries}};
    const std::string text = fmt::format(
        "hwgcn {}\n"
        "  compiler          {}, {} build\n"
        "  instruction set   {} (of {})\n"
        "  devices           {}\n"
        "  threads           {} (of {} cores)\n"
        "  data directory    {}\n"
        "  cache directory   {}\n"
        "  libraries\n{}",
        version(), compiler(), HWGCN_BUILD_TYPE, used, joined(sets), devices_as_text(), threads,
        std::thread::hardware_concurrency(), data.empty() ? "none: HOME is not set" : data,
        cache.empty() ? "none: HOME is not set" : cache, library_text);
    deliver(text, json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_info_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App& command =
        add_command(program, "info", "Show version, compiler, instruction sets, threads and folders.",
                    "  hwgcn info\n"
                    "  hwgcn info --json -");
    command.add_flag("--parameters", options->parameters, "all parameters, as Markdown")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_info(*options); }});
}

}  // namespace hwgcn::cli
