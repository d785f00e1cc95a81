#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hwgcn {

/// Base of everything the library throws on purpose. Messages quote what files and callers hold: control
/// characters in them and bytes that are not UTF-8 are escaped (as \x1b), so that any terminal or log may
/// show them.
class Error : public std::runtime_error {
  public:
    explicit Error(std::string_view message);
};

/// Wrong usage or bad input: the caller can fix it. The program exits with status 2.
class InputError : public Error {
  public:
    using Error::Error;
};

/// The run itself failed (disk full, network down, memory limit). The program exits with status 1.
class ExecutionError : public Error {
  public:
    using Error::Error;
};

/// A training whose numbers are not finite any more; other settings, or other data, may do better.
class Diverged : public ExecutionError {
  public:
    using ExecutionError::ExecutionError;
};

/// The caller asked to stop (Ctrl-C); nothing half-written is left behind.
class Interrupted : public Error {
  public:
    Interrupted() : Error("interrupted") {}
};

/// Bad input at a place that a person can go to: "cora.csv:17: message".
[[noreturn]] void fail_at_line(std::string_view file, std::int64_t line, std::string_view message);

/// Bad input in a binary file: "ind.cora.x: byte 1042: message".
[[noreturn]] void fail_at_byte(std::string_view file, std::int64_t byte, std::string_view message);

/// Bad input that concerns the file as a whole: "cora.npz: message".
[[noreturn]] void fail_in_file(std::string_view file, std::string_view message);

/// The candidate closest to `word` in edit distance, or "" when none is close enough to suggest.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// An unknown name: says what was expected and suggests the nearest valid one.
/// `what` is the kind of thing, for example "dataset" or "weighting".
[[noreturn]] void fail_unknown_name(std::string_view what, std::string_view word,
                                    std::span<const std::string> candidates);

}  // namespace hwgcn
