#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "hwgcn/base/error.hpp"

#include "fetch/fetch.hpp"

namespace hwgcn {

/// One mirror did not deliver; another may.
class MirrorFailure : public ExecutionError {
  public:
    using ExecutionError::ExecutionError;
};

/// A connection that is kept open from file to file.
class Downloader {
  public:
    Downloader() = default;
    Downloader(const Downloader&) = delete;
    Downloader& operator=(const Downloader&) = delete;
    virtual ~Downloader() = default;

    /// Puts the file under `target` once its checksum has matched; throws MirrorFailure where the mirror does
    /// not deliver it.
    virtual void download(const std::string& url, const std::string& sha256,
                          const std::filesystem::path& target) = 0;
};

/// Throws InputError where nothing can be downloaded: without libcurl, or in a build that has no downloads.
std::unique_ptr<Downloader> make_downloader(const FetchOptions& options, const ExecutionControl& control);

}  // namespace hwgcn
