#include <algorithm>
#include <cstdio>
#include <new>
#include <span>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/input_file.hpp"
#include "hwgcn/base/run_control.hpp"
#include "hwgcn/base/version.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "interrupt.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "terminate.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

// With --method, the help lists the settings of these methods, too. CLI11 has not read it when it meets
// --help.
void explain_methods_asked_for(CLI::App& command, std::span<const char* const> arguments) {
    constexpr std::string_view option = "--method";
    if (command.get_option_no_throw(std::string(option)) == nullptr) return;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const std::string_view word = arguments[k];
        if (word == option && k + 1 < arguments.size()) explain_settings(command, arguments[k + 1]);
        if (word.starts_with("--method=")) explain_settings(command, std::string(word.substr(9)));
    }
}

int run_program(int argc, const char* const* argv) {
    CLI::App program(
        "Node classification with higher-order weighted graph convolutional networks: learns, for every\n"
        "node, which of its neighbours at distance 2, 3, .. matter, and trains networks on them.",
        "hwgcn");
    set_up_program(program);
    program.set_version_flag("--version", fmt::format("hwgcn {}", version()), "the version");
    program.footer("For the options of a command: hwgcn COMMAND --help");
    std::vector<Command> commands;
    add_info_command(program, commands);
    add_data_commands(program, commands);
    add_shard_command(program, commands);
    add_inspect_command(program, commands);
    add_weights_command(program, commands);
    add_train_command(program, commands);
    add_predict_command(program, commands);
    add_explain_command(program, commands);
    add_report_command(program, commands);
    add_evaluate_command(program, commands);
    add_reproduce_command(program, commands);

    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        explain_methods_asked_for(chosen_command(program), {argv, static_cast<std::size_t>(argc)});
        write_standard_output(program.help());
        return exit_status::success;
    } catch (const CLI::CallForAllHelp&) {
        CLI::App& command = chosen_command(program);
        explain_methods_asked_for(command, {argv, static_cast<std::size_t>(argc)});
        describe_methods(command);
        write_standard_output(program.help("", CLI::AppFormatMode::All));
        return exit_status::success;
    } catch (const CLI::CallForVersion& call) {
        write_standard_output(std::string(call.what()) + '\n');
        return exit_status::success;
    } catch (const CLI::ParseError& error) {
        throw InputError(message_for(error));
    }
    reject_leftovers(program);
    const CLI::App* const chosen = &chosen_command(program);
    const auto command = std::find_if(commands.begin(), commands.end(),
                                      [&](const Command& candidate) { return candidate.syntax == chosen; });
    if (command == commands.end()) {
        write_standard_output(program.help());
        return exit_status::wrong_usage;
    }
    return command->run();
}

// Also where there is no memory for a message of its own.
int fail(int status, const char* message) noexcept {
    try {
        say("error", message);
    } catch (...) {
        constexpr std::string_view prefix = "hwgcn: error: ";
        std::fwrite(prefix.data(), 1, prefix.size(), stderr);
        std::fputs(message, stderr);
        std::fputc('\n', stderr);
    }
    return status;
}

// Work that was done by fewer threads than were asked for is right, but took longer.
void tell_of_refused_threads() {
    if (const int refused = refused_threads(); refused > 0)
        say("note", fmt::format("{} of the threads asked for could not be created: the others did the work "
                                "(--threads asks for fewer)",
                                refused));
}

}  // namespace
}  // namespace hwgcn::cli

int main(int argc, char** argv) {
    using namespace hwgcn;
    using namespace hwgcn::cli;
    exit_instead_of_abort();
    try {
        open_standard_descriptors();
        install_signal_handlers();
        set_stream_limit(chosen_stream_limit());
        const int status = run_program(argc, argv);
        tell_of_refused_threads();
        return status;
    } catch (const Interrupted&) {
        return fail(exit_status::interrupted, "interrupted");
    } catch (const InputError& error) {
        return fail(exit_status::wrong_usage, error.what());
    } catch (const std::bad_alloc&) {
        return fail(
            exit_status::failed_run,
            "out of memory: the data are too large for this machine (when learning weights, a smaller "
            "--order, fewer --threads or --max-ring need less)");
    } catch (const std::exception& error) {
        return fail(exit_status::failed_run, error.what());
    }
}
