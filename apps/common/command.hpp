#pragma once

#include <functional>
#include <vector>

#include <CLI/CLI.hpp>

namespace hwgcn::cli {

/// What the program returns to the shell.
namespace exit_status {
inline constexpr int success = 0;
inline constexpr int failed_run = 1;
inline constexpr int wrong_usage = 2;
inline constexpr int interrupted = 130;
}  // namespace exit_status

/// A command of the program: how it is written, and what it does (returning the exit status).
struct Command {
    const CLI::App* syntax;
    std::function<int()> run;
};

/// In the list of all commands, and in its own help, which another program prints.
inline constexpr const char* reproduce_description =
    "Repeat the paper's experiments and compare the results with its numbers.";

// Each adds its syntax to `program` and itself to `commands`.
void add_info_command(CLI::App& program, std::vector<Command>& commands);
void add_data_commands(CLI::App& program, std::vector<Command>& commands);
void add_data_list_command(CLI::App& data, std::vector<Command>& commands);
void add_data_fetch_command(CLI::App& data, std::vector<Command>& commands);
void add_data_export_command(CLI::App& data, std::vector<Command>& commands);
void add_data_split_command(CLI::App& data, std::vector<Command>& commands);
void add_inspect_command(CLI::App& program, std::vector<Command>& commands);
void add_explain_command(CLI::App& program, std::vector<Command>& commands);
void add_report_command(CLI::App& program, std::vector<Command>& commands);

}  // namespace hwgcn::cli
