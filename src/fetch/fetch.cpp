#include "fetch/fetch.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/input_file.hpp"
#include "base/stopping.hpp"
#include "fetch/downloader.hpp"

namespace hwgcn {
namespace {

enum class FileState { good, missing, damaged };

FileState state_of(const std::filesystem::path& path, const std::string& sha256) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return FileState::missing;
    return file_sha256(path) == sha256 ? FileState::good : FileState::damaged;
}

std::vector<std::string> checked_mirrors(const FetchOptions& options) {
    std::vector<std::string> mirrors = options.mirrors.empty() ? default_mirrors() : options.mirrors;
    for (std::string& mirror : mirrors) {
        if (!mirror.starts_with("http://") && !mirror.starts_with("https://"))
            throw InputError(fmt::format("mirror '{}': expected a URL with http:// or https://", mirror));
        if (mirror.ends_with('/')) mirror.pop_back();
    }
    return mirrors;
}

// Tries the mirrors in turn and leaves the one that delivered in front.
void download_from_any(Downloader& downloader, std::vector<std::string>& mirrors, const PinnedFile& file,
                       const std::filesystem::path& target, std::vector<std::string>& notes) {
    std::vector<std::string> reasons;
    for (auto mirror = mirrors.begin(); mirror != mirrors.end(); ++mirror) {
        const std::string url = fmt::format("{}/{}", *mirror, file.name);
        try {
            downloader.download(url, file.sha256, target);
            std::rotate(mirrors.begin(), mirror, mirrors.end());
            notes.insert(notes.end(), reasons.begin(), reasons.end());
            return;
        } catch (const MirrorFailure& failure) {
            reasons.push_back(fmt::format("{}: {}", url, failure.what()));
        }
    }
    throw ExecutionError(fmt::format("cannot download {}: {}", file.name, fmt::join(reasons, "; ")));
}

[[noreturn]] void fail_offline(const FetchPlan& plan, const std::filesystem::path& directory,
                               const std::vector<std::string>& lacking) {
    throw InputError(fmt::format(
        "{}: {} of {} files are not usable in {} and may not be downloaded (offline): {}", plan.dataset,
        lacking.size(), plan.files.size(), directory.string(), fmt::join(lacking, ", ")));
}

const FetchPlan& plan_of(const std::string& dataset) {
    std::vector<std::string> known;
    for (const FetchPlan& plan : fetch_plans()) {
        if (plan.dataset == dataset) return plan;
        known.push_back(plan.dataset);
    }
    fail_unknown_name("dataset", dataset, known);
}

}  // namespace

FetchResult fetch_files(const FetchPlan& plan, const FetchOptions& options, const ExecutionControl& control) {
    if (options.timeout_seconds < 1)
        throw InputError(fmt::format("timeout_seconds is {}, expected at least 1", options.timeout_seconds));
    std::vector<std::string> mirrors = checked_mirrors(options);
    const std::filesystem::path directory = options.directory / "planetoid";
    std::unique_ptr<Downloader> downloader;  // once there is something to download
    FetchResult result;
    std::vector<std::string> lacking;
    const ProgressTask task(control, fmt::format("fetching {}", plan.dataset),
                            static_cast<std::int64_t>(plan.files.size()));
    for (const PinnedFile& file : plan.files) {
        if (is_stopped(control)) throw Interrupted();
        const FileState state = state_of(directory / file.name, file.sha256);
        if (state == FileState::good) {
            ++result.already_there;
        } else if (options.offline) {
            const std::string_view word = state == FileState::missing ? "missing" : "damaged";
            lacking.push_back(fmt::format("{} ({})", file.name, word));
        } else {
            if (downloader == nullptr) downloader = make_downloader(options, control);
            download_from_any(*downloader, mirrors, file, directory / file.name, result.notes);
            ++result.downloaded;
        }
        if (control.progress != nullptr) control.progress->advance(1);
    }
    if (!lacking.empty()) fail_offline(plan, directory, lacking);
    return result;
}

bool has_dataset(const std::string& dataset, const std::filesystem::path& directory) {
    const FetchPlan& plan = plan_of(dataset);
    return std::ranges::all_of(plan.files, [&](const PinnedFile& file) {
        return state_of(directory / "planetoid" / file.name, file.sha256) == FileState::good;
    });
}

FetchResult fetch_dataset(const std::string& dataset, const FetchOptions& options,
                          const ExecutionControl& control) {
    return fetch_files(plan_of(dataset), options, control);
}

}  // namespace hwgcn
