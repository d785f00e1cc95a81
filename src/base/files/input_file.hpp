#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hwgcn {

/// The whole file as bytes. Throws InputError where it cannot be opened or is a folder, ExecutionError where
/// it cannot be read to its end or memory does not suffice: never returns a part of it.
std::string read_file(const std::filesystem::path& file);

/// SHA-256 (hex) of a file, which is read in pieces. Throws as read_file does.
std::string file_sha256(const std::filesystem::path& file);

/// The most bytes that are read from what is not a regular file (a pipe, a device) and may never end.
/// `advice` ends the message about a longer one: how to raise the limit.
struct StreamLimit {
    std::uint64_t bytes = std::uint64_t{4} << 30;
    std::string advice;
};

/// For the whole process; set before anything is read.
void set_stream_limit(StreamLimit limit);

}  // namespace hwgcn
