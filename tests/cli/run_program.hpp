#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "test_data.hpp"

namespace hwgcn::testing {

/// The program under test: $HWGCN_PROGRAM, as tools/mutate sets it, else the one that was built.
std::string program_path();

/// What a run of the program left behind.
struct Outcome {
    int status = -1;  ///< exit status; 128 + number for a signal
    std::string out;
    std::string err;
};

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

/// A user with a home of their own, who works in the folder work/ inside it.
class User {
  public:
    User();

    /// Runs `hwgcn ARGUMENTS..`; `extra_environment` holds "NAME=value".
    Outcome run(const std::vector<std::string>& arguments,
                const std::vector<std::string>& extra_environment = {}) const;

    /// Starts it and returns its process id; `finish` waits for it.
    pid_t start(const std::vector<std::string>& arguments,
                const std::vector<std::string>& extra_environment = {}) const;
    Outcome finish(pid_t process) const;

    /// The same with --json -; fails the test unless the exit status is `status`.
    nlohmann::json run_json(std::vector<std::string> arguments, int status = 0) const;

    /// Every file and folder in the home but the two that catch the output.
    std::set<std::string> files() const;

    std::filesystem::path work() const { return home_ / "work"; }
    std::filesystem::path cache() const { return home_ / "cache" / "hwgcn"; }
    std::string path(const std::string& name) const { return (work() / name).string(); }
    void write(const std::string& name, const std::string& content) const;

  private:
    TemporaryDirectory home_;
};

std::string content_of(const std::filesystem::path& file);

/// The arguments with --order, unless it is there or the methods asked for do not read it.
std::vector<std::string> with_order(std::vector<std::string> arguments, const std::string& order);

/// The words, and behind them those of the options (name, value) that they do not have: none may be given
/// twice.
std::vector<std::string> with_defaults(std::vector<std::string> words,
                                       const std::vector<std::pair<std::string, std::string>>& defaults);

}  // namespace hwgcn::testing
