#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/models/methods.hpp"
#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Finished runs in a file, one line each with a checksum: whatever is killed continues where it stopped.
/// Lines that are damaged or cut off count as missing. Journals can be put one after the other (`cat`).
class RunJournal {
  public:
    /// Reads the file if it is there; creates its folder where needed. Throws InputError where it is
    /// something else than a journal or another process has it open, ExecutionError where it cannot be
    /// written.
    explicit RunJournal(std::filesystem::path file);
    ~RunJournal();
    RunJournal(const RunJournal&) = delete;
    RunJournal& operator=(const RunJournal&) = delete;

    /// Names a run: data, settings, split and seed.
    static std::string key(const std::string& dataset_hash, const AskedMethod& method,
                           const std::string& split_hash, std::uint64_t seed);

    std::optional<RunResult> find(const std::string& key) const;

    /// Writes a run down at once. For several threads.
    void add(const std::string& key, const RunResult& result);

    /// What was wrong with the file.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    struct Access;

    void read();
    bool read_line(const std::string& line);  // false: damaged

    std::filesystem::path file_;
    std::map<std::string, RunResult> runs_;
    std::unique_ptr<Access> access_;  // held as long as the journal is open
    mutable std::mutex several_threads_;
    std::vector<std::string> notes_;
};

}  // namespace hwgcn
