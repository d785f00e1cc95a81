#include <fmt/format.h>

#include "hwgcn/base/version.hpp"

#include "command.hpp"
#include "one_process.hpp"
#include "program.hpp"
#include "reproduce_program.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

int run_arguments(std::span<char* const> arguments) {
    start_reproduce_program(arguments);
    CLI::App program(
        "Node classification with higher-order weighted graph convolutional networks: learns, for every\n"
        "node, which of its neighbors at distance 2, 3, .. matter, and trains networks on them.",
        "hwgcn");
    set_up_program(program);
    program.set_version_flag("--version", fmt::format("hwgcn {}", version()), "the version");
    program.footer("For the options of a command: hwgcn COMMAND --help");
    std::vector<Command> commands;
    const auto context = one_process();
    add_info_command(program, commands);
    add_data_commands(program, commands);
    add_shard_command(program, commands, *context);
    add_inspect_command(program, commands);
    add_weights_command(program, commands, *context);
    add_train_command(program, commands, *context);
    add_predict_command(program, commands, *context);
    add_explain_command(program, commands);
    add_report_command(program, commands);
    add_evaluate_command(program, commands, *context);
    add_command(program, "reproduce", reproduce_description, "");
    return run_command(program, commands, arguments);
}

}  // namespace
}  // namespace hwgcn::cli

int main(int argc, char** argv) {
    return hwgcn::cli::run_program([&] {
        return hwgcn::cli::run_arguments({argv, static_cast<std::size_t>(argc)});
    });
}
