#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"

#include "io/fetch_plans.hpp"

namespace hwgcn {

struct FetchOptions {
    std::filesystem::path directory;   ///< the data directory; files go to its folder planetoid/
    std::vector<std::string> mirrors;  ///< http or https; empty: default_mirrors()
    std::string proxy;                 ///< as in "http://host:port"; empty: none
    int timeout_seconds = 60;          ///< to connect, and then without a byte received
    bool offline = false;              ///< only verify what is there
};

struct FetchResult {
    int downloaded = 0;
    int already_there = 0;
    std::vector<std::string> notes;  ///< mirrors that failed and why
};

/// Downloads what is missing or damaged. A file appears under its final name only after its checksum matched.
/// Throws ExecutionError, with the reason of every mirror, where none delivers a file; InputError where
/// `offline` is asked for and something is missing.
FetchResult fetch_files(const FetchPlan& plan, const FetchOptions& options,
                        const ExecutionControl& control = {});

/// The same for one of fetch_plans(), by name.
FetchResult fetch_dataset(const std::string& dataset, const FetchOptions& options,
                          const ExecutionControl& control = {});

/// Whether all files of one of fetch_plans() are there and have their checksums, so that nothing is to be
/// fetched.
bool has_dataset(const std::string& dataset, const std::filesystem::path& directory);

/// Of libcurl, which downloads and is loaded when it is needed; "not installed", or "not built in".
std::string libcurl_version();

}  // namespace hwgcn
