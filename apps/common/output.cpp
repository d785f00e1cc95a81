#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hwgcn/base/error.hpp"

#include "base/files/output_file.hpp"
#include "base/safe_text.hpp"
#include "environment.hpp"
#include "parameters.hpp"
#include "program_name.hpp"
#include "tables.hpp"

namespace hwgcn::cli {
namespace {

namespace fs = std::filesystem;

bool muted = false;

[[noreturn]] void fail(const Output& output, std::string_view message) {
    throw InputError(fmt::format("{} {}: {}", output.option, printable(output.path.string(), 300), message));
}

void check_kind(const Output& output) {
    std::error_code error;
    const fs::file_status status = fs::status(output.path, error);
    if (!fs::exists(status)) return;
    if (output.is_folder && !fs::is_directory(status)) fail(output, "is a file, expected a folder");
    if (!output.is_folder && fs::is_directory(status)) fail(output, "is a folder, expected a file name");
    // A file is replaced by renaming: that would do away with a device such as /dev/null.
    if (!output.is_folder && !fs::is_regular_file(status)) fail(output, "is not a regular file");
}

// Missing folders are created later; the nearest one that is there has to allow it.
void check_place(const Output& output) {
    fs::path folder = fs::absolute(output.path).lexically_normal();
    if (!output.is_folder && !folder.has_filename()) fail(output, "is a folder, expected a file name");
    if (!output.is_folder) folder = folder.parent_path();
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path())
        folder = folder.parent_path();
    if (!fs::is_directory(folder, error))
        fail(output, fmt::format("{} is not a folder", printable(folder.string(), 300)));
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        fail(output,
             fmt::format("cannot write in {}: {}", printable(folder.string(), 300), std::strerror(errno)));
    }
}

// By device and inode where both are there: one file may have many names.
bool is_same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    return fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

// "max_ring", as libraries write what is --max-ring here.
bool is_parameter_name(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
    });
}

void check_inputs_stay(const Output& output, const std::vector<fs::path>& inputs) {
    if (output.is_folder) return;
    for (const fs::path& input : inputs) {
        if (is_same_file(input, output.path)) fail(output, "is a file that this command reads");
    }
}

}  // namespace

void check_outputs(const std::vector<Output>& outputs, const std::vector<fs::path>& inputs) {
    for (const Output& output : outputs) {
        if (output.path.empty()) continue;
        check_kind(output);
        check_place(output);
        check_inputs_stay(output, inputs);
        for (const Output& other : outputs) {
            if (&other == &output) break;
            if (!other.path.empty() && is_same_file(other.path, output.path))
                fail(output, fmt::format("{} names the same file", other.option));
        }
    }
}

void mute() {
    muted = true;
}

bool is_muted() {
    return muted;
}

void write_standard_output(const std::string& text) {
    if (muted) return;
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written && errno != EPIPE)
        throw ExecutionError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

std::string json_text(const Json& json) {
    return safe_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

void deliver(const std::string& text, const Json& json, const std::string& json_target) {
    if (muted) return;
    if (json_target == "-") {
        write_standard_output(json_text(json));
        return;
    }
    if (!json_target.empty()) write_text_atomically(json_target, json_text(json));
    write_standard_output(text);
}

// By hand, because a message may be said where memory has run out and a regular expression needs some.
std::string in_options(std::string_view message) {
    std::string text;
    while (!message.empty()) {
        const std::size_t begin = std::min(message.find('`'), message.size());
        text += message.substr(0, begin);
        message.remove_prefix(begin);
        if (message.empty()) break;
        const std::size_t end = message.find('`', 1);
        const std::string_view word = message.substr(1, std::min(end, message.size()) - 1);
        const std::size_t sign = std::min(word.find('='), word.size());
        if (end == std::string_view::npos || !is_parameter_name(word.substr(0, sign))) {
            text += message[0];
            message.remove_prefix(1);
            continue;
        }
        text += option_name(word.substr(0, sign));
        if (sign < word.size()) fmt::format_to(std::back_inserter(text), " {}", word.substr(sign + 1));
        message.remove_prefix(end + 1);
    }
    return text;
}

void say(std::string_view kind, std::string_view message) {
    if (muted && kind != "error") return;
    static const bool color = wants_color(STDERR_FILENO);
    const std::string_view on = !color ? "" : kind == "error" ? "\033[31m" : "\033[1m";
    const std::string line = fmt::format("{}: {}{}:{} {}\n", program_name(), on, kind, color ? "\033[0m" : "",
                                         printable(in_options(message), std::string_view::npos));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void warn(const std::vector<std::string>& messages, std::vector<std::string>& notes) {
    for (const std::string& message : messages) {
        std::string text = in_options(message);
        if (std::ranges::find(notes, text) != notes.end()) continue;  // what several methods say, once
        say("warning", message);
        notes.push_back(std::move(text));
    }
}

}  // namespace hwgcn::cli
