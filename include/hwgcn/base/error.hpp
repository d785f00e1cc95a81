#pragma once

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

}  // namespace hwgcn
