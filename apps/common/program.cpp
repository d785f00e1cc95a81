#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/run_control.hpp"

#include "base/files/input_file.hpp"
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

int run_command(CLI::App& program, const std::vector<Command>& commands,
                std::span<const char* const> arguments) {
    try {
        program.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::CallForHelp&) {
        explain_methods_asked_for(chosen_command(program), arguments);
        write_standard_output(program.help());
        return exit_status::success;
    } catch (const CLI::CallForAllHelp&) {
        CLI::App& command = chosen_command(program);
        explain_methods_asked_for(command, arguments);
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
    const auto command = std::ranges::find(commands, chosen, &Command::syntax);
    if (command == commands.end()) {
        write_standard_output(program.help());
        return exit_status::wrong_usage;
    }
    return command->run();
}

int run_program(const std::function<int()>& work) {
    exit_instead_of_abort();
    try {
        open_standard_descriptors();
        install_signal_handlers();
        set_stream_limit(chosen_stream_limit());
        const int status = work();
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

}  // namespace hwgcn::cli
