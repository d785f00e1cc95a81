#include "hwgcn/fetch/fetch.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string_view>

#include <curl/curl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/input_file.hpp"
#include "hwgcn/base/version.hpp"

#include "base/atomic_file.hpp"
#include "base/hash.hpp"
#include "base/stopping.hpp"

namespace hwgcn {
namespace {

// The largest Planetoid file has 5 MiB.
constexpr std::int64_t largest_file = std::int64_t{64} << 20;
constexpr long most_redirects = 5;

/// One mirror did not deliver; another may.
class MirrorFailure : public ExecutionError {
  public:
    using ExecutionError::ExecutionError;
};

enum class FileState { good, missing, damaged };

FileState state_of(const std::filesystem::path& path, const std::string& sha256) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return FileState::missing;
    return file_sha256(path) == sha256 ? FileState::good : FileState::damaged;
}

// What the callbacks of one transfer share.
struct Transfer {
    OutputFile& out;
    const ExecutionControl& control;
    Sha256 hash{};
    std::int64_t bytes = 0;
    std::exception_ptr failure{};  // cannot pass through C and is thrown again afterwards
};

[[noreturn]] void fail_too_large() {
    throw MirrorFailure(fmt::format("sends more than the {} bytes that a file may have", largest_file));
}

// Returning less than was offered makes the transfer fail.
std::size_t receive(const char* data, std::size_t, std::size_t count, void* user) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(user);
    try {
        transfer.bytes += static_cast<std::int64_t>(count);
        if (transfer.bytes > largest_file) fail_too_large();
        transfer.hash.bytes(data, count);
        transfer.out.write(std::string_view(data, count));
        return count;
    } catch (...) {
        transfer.failure = std::current_exception();
        return 0;
    }
}

// Called at least once a second, also while nothing arrives; non-zero aborts.
int check_stop(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    return is_stopped(static_cast<Transfer*>(user)->control) ? 1 : 0;
}

/// A connection that is kept open from file to file.
class Downloader {
  public:
    Downloader(const FetchOptions& options, const ExecutionControl& control)
        : options_(options), control_(control) {
        static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
        if (started == CURLE_OK) curl_.reset(curl_easy_init());
        if (curl_ == nullptr) throw ExecutionError("libcurl cannot be started");
    }

    /// Puts the file under `target` once its checksum has matched; throws MirrorFailure where the mirror does
    /// not deliver it.
    void download(const std::string& url, const std::string& sha256, const std::filesystem::path& target) {
        write_atomically(target, [&](OutputFile& out) {
            Transfer transfer{out, control_};
            const CURLcode code = perform(url, transfer);
            if (transfer.failure) std::rethrow_exception(transfer.failure);
            check_result(code);
            const std::string actual = transfer.hash.hex();
            if (actual != sha256)
                throw MirrorFailure(fmt::format("sent {} bytes with the SHA-256 {}, expected {}",
                                                transfer.bytes, actual, sha256));
        });
    }

  private:
    CURLcode perform(const std::string& url, Transfer& transfer) {
        CURL* const curl = curl_.get();
        const long timeout = options_.timeout_seconds;
        message_[0] = '\0';
        curl_easy_reset(curl);
        curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(curl, CURLOPT_MAXREDIRS, most_redirects);
        // An empty proxy also keeps libcurl from looking for one in the environment.
        curl_easy_setopt(curl, CURLOPT_PROXY, options_.proxy.c_str());
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, timeout);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, timeout);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, curl_off_t{largest_file});
        curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, fmt::format("hwgcn/{}", version()).c_str());
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message_.data());
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &receive);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &check_stop);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        return curl_easy_perform(curl);
    }

    void check_result(CURLcode code) const {
        if (code == CURLE_OK) return;
        if (code == CURLE_ABORTED_BY_CALLBACK) throw Interrupted();
        if (code == CURLE_FILESIZE_EXCEEDED) fail_too_large();
        if (code == CURLE_HTTP_RETURNED_ERROR) {
            long status = 0;
            curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
            throw MirrorFailure(fmt::format("HTTP status {}", status));
        }
        throw MirrorFailure(message_[0] != '\0' ? message_.data() : curl_easy_strerror(code));
    }

    struct Cleanup {
        void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    };
    const FetchOptions& options_;
    const ExecutionControl& control_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    std::unique_ptr<CURL, Cleanup> curl_;
};

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
    Downloader downloader(options, control);
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
            download_from_any(downloader, mirrors, file, directory / file.name, result.notes);
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

std::string libcurl_version() {
    return curl_version_info(CURLVERSION_NOW)->version;
}

}  // namespace hwgcn
