#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace hwgcn::cli {

/// The group of options that --help leaves out; those of another group are in "GROUP" + this. --help-all
/// shows them in their group.
inline constexpr const char* rare_options = "Options (rare)";
inline constexpr const char* rare_suffix = " (rare)";

/// Adds a command with a help text that ends in examples.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& examples);

/// Gives the program (the parent of all commands) its way of parsing and its look of help texts.
void set_up_program(CLI::App& program);

/// The innermost command that was given; `program` itself where there was none.
CLI::App& chosen_command(CLI::App& program);

/// Throws InputError for words that no command or option took, with the nearest one that would have been.
void reject_leftovers(CLI::App& program);

/// The message for what CLI11 could not parse.
std::string message_for(const CLI::ParseError& error);

}  // namespace hwgcn::cli
