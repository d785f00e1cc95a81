#include "usage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "base/suggestions.hpp"
#include "tables.hpp"

namespace hwgcn::cli {
namespace {

constexpr std::size_t help_column = 30;
constexpr std::size_t help_width = 98;
constexpr std::string_view common_group = "Options";

// Short usage lines, and descriptions that are wrapped in a column of their own.
class HelpFormat : public CLI::Formatter {
  public:
    HelpFormat() {
        column_width(help_column);
        label("Positionals", "Arguments");
    }

    std::string make_usage(const CLI::App* app, std::string name) const override {
        const bool has_commands = !app->get_subcommands({}).empty();
        std::string words = fmt::format("\nUsage: {}", name);
        if (has_commands) words += " COMMAND";
        for (const CLI::Option* option : app->get_options()) {
            if (!option->get_positional()) continue;
            words += fmt::format(" {}{}", option->get_name(true), option->get_expected_max() > 1 ? ".." : "");
        }
        return words + " [options]\n";
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_positional() || option->get_type_size() == 0 ? "" : " " + option->get_type_name();
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), help_width - help_column);
    }

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        const std::string footer = app->get_footer().empty() ? "" : "\n" + make_footer(app);
        return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
               option_groups(app, mode == CLI::AppFormatMode::All) +
               make_subcommands(app, CLI::AppFormatMode::Normal) + footer;
    }

    std::string make_subcommand(const CLI::App* command) const override {
        const std::string description = command->get_description();
        return fmt::format("  {:<10}{}\n", command->get_name(),
                           description.substr(0, description.find('\n')));
    }

  private:
    // One blank line between groups, and last the one that all commands have in common.
    std::string option_groups(const CLI::App* app, bool with_rare) const {
        std::vector<std::string> groups = app->get_groups();
        std::erase_if(groups, is_rare);
        std::stable_partition(groups.begin(), groups.end(),
                              [](const std::string& group) { return group != common_group; });
        std::string text;
        for (const std::string& group : groups) {
            const auto options = app->get_options([&](const CLI::Option* option) {
                const bool is_in =
                    option->get_group() == group || (with_rare && option->get_group() == group + rare_suffix);
                return is_in && option->nonpositional();
            });
            if (!group.empty() && !options.empty()) text += make_group(group, false, options);
        }
        return with_rare ? text : text + rare_names(app);
    }

    static bool is_rare(const std::string& group) { return group.ends_with(rare_suffix); }

    // What there is beyond these, by name.
    static std::string rare_names(const CLI::App* app) {
        std::string names;
        for (const CLI::Option* option : app->get_options()) {
            if (is_rare(option->get_group())) names += (names.empty() ? "" : ", ") + option->get_name();
        }
        return names.empty() ? "" : "\n" + wrapped("More, with --help-all: " + names, help_width) + "\n";
    }
};

std::vector<std::string> command_names(const CLI::App& parent) {
    std::vector<std::string> names;
    for (const CLI::App* command : parent.get_subcommands({}))
        names.push_back(command->get_name());
    return names;
}

// A command that draws random numbers takes their seed as --seed.
[[noreturn]] void fail_without_seed(const std::string& option, const std::string& path,
                                    const std::vector<std::string>& names) {
    const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
    if (has("seed")) throw InputError(fmt::format("unknown option '{}', did you mean '--seed'?", option));
    const char* const hint = has("orders")      ? " (--orders starts with the seed of the run)"
                             : has("synthetic") ? " (another synthetic graph: --synthetic seed=N)"
                                                : "";
    throw InputError(fmt::format(
        "unknown option '{}': {} has no seed, the same input gives the same result{}", option, path, hint));
}

[[noreturn]] void fail_unknown_option(const CLI::App& command, const std::string& path,
                                      const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back(name);
    }
    const std::string option = word.substr(0, word.find('='));
    if (option == "--seed" || option == "--random-state") fail_without_seed(option, path, names);
    std::vector<std::string> likely =
        likely_names(option.substr(std::min(option.find_first_not_of('-'), option.size())), names);
    for (std::string& name : likely)
        name = fmt::format("'--{}'", name);
    const std::string hint = likely.empty() ? fmt::format("; see: {} --help", path)
                                            : fmt::format(", did you mean {}?", join_alternatives(likely));
    throw InputError(fmt::format("unknown option '{}'{}", option, hint));
}

void reject_leftovers_of(const CLI::App& command, const std::string& path) {
    const std::vector<std::string> leftovers = command.remaining();
    for (const std::string& word : leftovers) {
        if (word.size() > 1 && word[0] == '-') fail_unknown_option(command, path, word);
    }
    if (leftovers.empty()) return;
    if (!command_names(command).empty()) {
        const bool inner = command.get_parent() != nullptr;
        fail_unknown_name(inner ? command.get_name() + " command" : "command", leftovers.front(),
                          command_names(command));
    }
    throw InputError(fmt::format("unexpected argument '{}'; see: {} --help", leftovers.front(), path));
}

// CLI11 takes whatever follows an option as its value, even another option.
void reject_options_as_values(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& value : option->results()) {
            if (option->get_positional() || !value.starts_with("--")) continue;
            throw InputError(
                fmt::format("{} needs a value, found the option '{}'", option->get_name(), value));
        }
    }
}

// To take the last one would leave, say, a second file of edges out without a word.
void reject_repeated_options(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const bool takes_one_value = option->get_items_expected_max() == 1;
        if (option->get_positional() || !takes_one_value || option->count() < 2) continue;
        throw InputError(fmt::format("{} was given {} times ('{}', then '{}'), but takes one value",
                                     option->get_name(), option->count(), option->results()[0],
                                     option->results()[1]));
    }
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& examples) {
    CLI::App* command = parent.add_subcommand(name, description);
    command->group("Commands");
    if (!examples.empty()) command->footer("Examples:\n" + examples);
    return *command;
}

void set_up_program(CLI::App& program) {
    program.formatter(std::make_shared<HelpFormat>());
    program.require_subcommand(0, 1);
    program.allow_extras();
    program.set_help_flag("-h,--help", "this text");
    program.set_help_all_flag("--help-all", "the same with rare options");
    program.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::App& chosen_command(CLI::App& program) {
    const std::vector<CLI::App*> chosen = program.get_subcommands();
    return chosen.empty() ? program : chosen_command(*chosen.front());
}

void reject_leftovers(CLI::App& program) {
    CLI::App* command = &program;
    std::string path = program.get_name();
    for (;;) {
        reject_options_as_values(*command);
        reject_repeated_options(*command);
        reject_leftovers_of(*command, path);
        const std::vector<CLI::App*> chosen = command->get_subcommands();
        if (chosen.empty()) break;
        command = chosen.front();
        path += ' ' + command->get_name();
    }
}

std::string message_for(const CLI::ParseError& error) {
    std::string message = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return message;
    // The last one of several values counts, so a mismatch means that there was none, or one for a flag.
    std::string option = message.substr(0, message.find_first_of(": "));
    if (!option.starts_with('-')) option = "--" + option;
    return option + (message.find("flag") == std::string::npos ? " needs a value" : " takes no value");
}

}  // namespace hwgcn::cli
