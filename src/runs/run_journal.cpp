#include "runs/run_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/models/prepared_graph.hpp"

#include "base/fail.hpp"
#include "base/files/atomic_file.hpp"
#include "base/files/file_lock.hpp"
#include "base/files/regular_file.hpp"
#include "base/hash.hpp"
#include "base/json_text.hpp"
#include "runs/result_values.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

// Tells a journal from any other file, which must never be overwritten.
constexpr std::string_view first_line = "hwgcn runs 2\n";
constexpr std::string_view older_first_line = "hwgcn runs 1\n";

std::string checksum(const std::string& text) {
    return Sha256().text(text).hex().substr(0, 16);
}

// Shares, not percent.
Json to_json(const std::string& key, const RunResult& run) {
    Json json = {{"run", key}};
    for (const MetricInfo& info : all_metrics()) {
        if (run.has(info.metric)) json["test_" + info.key] = known_or_null<Json>(run.test.*info.metric);
    }
    for (const Metric metric : {&Metrics::accuracy, &Metrics::nll})
        json["validation_" + metric_info(metric).key] = known_or_null<Json>(run.validation.*metric);
    json["other_test_accuracy"] = known_or_null<Json>(run.alternative_accuracy.value_or(Metrics::not_known));
    json["best_epoch"] = run.best_epoch;
    json["epochs"] = run.epochs;
    json["seconds"] = run.seconds;
    if (run.peak_mb) json["peak_mb"] = *run.peak_mb;
    if (!run.chosen.empty()) json["chosen"] = run.chosen;
    return json;
}

// What a line of an earlier version does not have is not known.
RunResult from_json(const Json& json) {
    RunResult run;
    json.at("test_accuracy");  // every version wrote it
    for (const MetricInfo& info : all_metrics()) {
        run.test.*info.metric = known_number(json, "test_" + info.key);
        run.validation.*info.metric = known_number(json, "validation_" + info.key);
        if (!json.contains("test_" + info.key)) run.unknown.push_back(info.metric);
    }
    run.alternative_accuracy = number_if_known(json, "other_test_accuracy");
    json.at("best_epoch").get_to(run.best_epoch);
    json.at("epochs").get_to(run.epochs);
    json.at("seconds").get_to(run.seconds);
    run.peak_mb = number_if_known(json, "peak_mb");
    run.chosen = json.value("chosen", "");
    return run;
}

// "<checksum> <json>"
std::string line_of(const std::string& key, const RunResult& run) {
    const std::string text = to_json(key, run).dump();
    return checksum(text) + " " + text + "\n";
}

// That of the file itself, by whatever link it was named.
std::filesystem::path lock_of(const std::filesystem::path& journal) {
    std::filesystem::path lock = std::filesystem::weakly_canonical(journal);
    return lock += ".lock";
}

}  // namespace

struct RunJournal::Access {
    explicit Access(const std::filesystem::path& journal) : lock(lock_of(journal), journal) {}
    FileLock lock;
    std::optional<OutputFile> out;
};

RunJournal::RunJournal(std::filesystem::path file) : file_(std::move(file)) {
    create_folders(file_.parent_path());
    access_ = std::make_unique<Access>(file_);
    read();
    FileDescriptor descriptor(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor.is_open())
        throw ExecutionError(fmt::format("{}: cannot write: {}", file_.string(), std::strerror(errno)));
    access_->out.emplace(std::move(descriptor), file_.string());
    access_->out->seek(std::filesystem::file_size(file_));
}

RunJournal::~RunJournal() = default;

void RunJournal::read() {
    const std::string content = std::filesystem::exists(file_) ? read_regular_file(file_) : "";
    const std::string_view title = first_line;
    // At the start, or where journals were put one after the other.
    if (content.starts_with(older_first_line) ||
        content.find("\n" + std::string(older_first_line)) != content.npos) {
        fail_in_file(file_.string(),
                     "is a journal of an older version, whose runs cannot be compared with those of "
                     "this one; choose another file");
    }
    if (content.size() < title.size() ? !title.starts_with(content) : !content.starts_with(title))
        fail_in_file(file_.string(), "expected a journal of runs, found something else");
    int damaged = 0;
    for (std::size_t begin = title.size(); begin < content.size();) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        const std::string line = content.substr(begin, end - begin);
        const bool is_title = line + '\n' == title;  // of another journal that was appended
        damaged += is_title || read_line(line) ? 0 : 1;
        begin = end + 1;
    }
    if (damaged > 0) {
        write_text_atomically(file_.string() + ".damaged", content);
        notes_.push_back(
            fmt::format("{0}: {1} damaged line{2} left out, to be run again; the file as it was: {0}.damaged",
                        file_.string(), damaged, damaged == 1 ? "" : "s"));
    }
    if (damaged == 0 && content.ends_with('\n')) return;
    // The next line starts on a line of its own.
    std::string intact(title);
    for (const auto& [key, run] : runs_)
        intact += line_of(key, run);
    write_text_atomically(file_, intact);
}

bool RunJournal::read_line(const std::string& line) {
    const std::size_t blank = line.find(' ');
    const std::string text = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (text.empty() || line.substr(0, blank) != checksum(text)) return false;
    try {
        const Json json = parse_json(file_.string(), text);
        runs_[json.at("run").get<std::string>()] = from_json(json);
    } catch (const Json::exception&) {  // a key is missing, or something else than it should be
        return false;
    }
    return true;
}

std::string RunJournal::key(const std::string& dataset_hash, const AskedMethod& method,
                            const std::string& split_hash, std::uint64_t seed) {
    Sha256 hash;
    hash.text(dataset_hash).text(settings_hash(method)).text(split_hash).value(seed);
    return hash.hex().substr(0, 32);
}

std::optional<RunResult> RunJournal::find(const std::string& key) const {
    const std::lock_guard lock(several_threads_);
    const auto found = runs_.find(key);
    return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

void RunJournal::add(const std::string& key, const RunResult& result) {
    const std::lock_guard lock(several_threads_);
    access_->out->write(line_of(key, result));
    access_->out->sync();
    runs_[key] = result;
}

}  // namespace hwgcn
