#include <array>
#include <cstdint>
#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "hwgcn/base/version.hpp"

#include "base/files/atomic_file.hpp"
#include "base/hash.hpp"
#include "base/stopping.hpp"
#include "fetch/curl/libcurl.hpp"
#include "fetch/downloader.hpp"

namespace hwgcn {
namespace {

// The largest Planetoid file has 5 MiB.
constexpr std::int64_t largest_file = std::int64_t{64} << 20;
constexpr long most_redirects = 5;

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

class CurlDownloader : public Downloader {
  public:
    CurlDownloader(const LibCurl& curl, const FetchOptions& options, const ExecutionControl& control)
        : curl_(curl), options_(options), control_(control) {
        static const CURLcode started = curl.global_init(CURL_GLOBAL_DEFAULT);
        if (started == CURLE_OK) connection_ = {curl.easy_init(), curl.easy_cleanup};
        if (connection_ == nullptr) throw ExecutionError("libcurl cannot be started");
    }

    void download(const std::string& url, const std::string& sha256,
                  const std::filesystem::path& target) override {
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
        const auto set = [&](CURLoption option, auto value) {
            curl_.easy_setopt(connection_.get(), option, value);
        };
        const long timeout = options_.timeout_seconds;
        message_[0] = '\0';
        curl_.easy_reset(connection_.get());
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
        set(CURLOPT_FOLLOWLOCATION, 1L);
        set(CURLOPT_MAXREDIRS, most_redirects);
        // An empty proxy also keeps libcurl from looking for one in the environment.
        set(CURLOPT_PROXY, options_.proxy.c_str());
        set(CURLOPT_CONNECTTIMEOUT, timeout);
        set(CURLOPT_LOW_SPEED_TIME, timeout);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_MAXFILESIZE_LARGE, curl_off_t{largest_file});
        set(CURLOPT_FAILONERROR, 1L);
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_USERAGENT, fmt::format("hwgcn/{}", version()).c_str());
        set(CURLOPT_ERRORBUFFER, message_.data());
        set(CURLOPT_WRITEFUNCTION, &receive);
        set(CURLOPT_WRITEDATA, &transfer);
        set(CURLOPT_XFERINFOFUNCTION, &check_stop);
        set(CURLOPT_XFERINFODATA, &transfer);
        set(CURLOPT_NOPROGRESS, 0L);
        return curl_.easy_perform(connection_.get());
    }

    void check_result(CURLcode code) const {
        if (code == CURLE_OK) return;
        if (code == CURLE_ABORTED_BY_CALLBACK) throw Interrupted();
        if (code == CURLE_FILESIZE_EXCEEDED) fail_too_large();
        if (code == CURLE_HTTP_RETURNED_ERROR) {
            long status = 0;
            curl_.easy_getinfo(connection_.get(), CURLINFO_RESPONSE_CODE, &status);
            throw MirrorFailure(fmt::format("HTTP status {}", status));
        }
        throw MirrorFailure(message_[0] != '\0' ? message_.data() : curl_.easy_strerror(code));
    }

    const LibCurl& curl_;
    const FetchOptions& options_;
    const ExecutionControl& control_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    std::unique_ptr<CURL, decltype(LibCurl::easy_cleanup)> connection_{nullptr, nullptr};
};

}  // namespace

std::unique_ptr<Downloader> make_downloader(const FetchOptions& options, const ExecutionControl& control) {
    const LibCurl* const curl = libcurl();
    if (curl == nullptr)
        throw InputError("libcurl.so.4, which downloads, is not installed (Debian package libcurl4)");
    return std::make_unique<CurlDownloader>(*curl, options, control);
}

}  // namespace hwgcn
