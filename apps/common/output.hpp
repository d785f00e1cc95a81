#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace hwgcn::cli {

using Json = nlohmann::ordered_json;

/// A file or folder that a command is going to write.
struct Output {
    std::string option;          ///< "--out"
    std::filesystem::path path;  ///< empty: not asked for
    bool is_folder = false;
};

/// Throws InputError where an output could not be written, or is one of the files that the command reads:
/// called before long work.
void check_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs = {});

/// Indented by two blanks and ended by a line feed. Names from outside need not be UTF-8, and may hold what
/// commands a terminal: both are replaced by what is valid and harmless.
std::string json_text(const Json& json);

/// The result for people to standard output, or the one for programs: `json_target` is a file, "-" for
/// standard output in place of the text, or empty.
void deliver(const std::string& text, const Json& json, const std::string& json_target);

/// From now on this process writes no results and says nothing but errors: another one speaks for all.
void mute();
bool is_muted();

/// Standard output; a closed pipe is none of our business, a full disk is an ExecutionError.
void write_standard_output(const std::string& text);

/// A message of the library, which writes settings as `max_ring` or `order=4`, in the words of the command
/// line: --max-ring, --order 4.
std::string in_options(std::string_view message);

/// One line on standard error, after `in_options`: "hwgcn: error: ..."; `kind` is "error", "warning" or
/// "note".
void say(std::string_view kind, std::string_view message);

/// Says all of them as warnings and adds them to the notes of a result.
void warn(const std::vector<std::string>& messages, std::vector<std::string>& notes);

}  // namespace hwgcn::cli
