#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hwgcn {

/// Bytes as text of 64 harmless characters (RFC 4648), four for every three bytes, padded with '='.
std::string base64(std::span<const std::byte> bytes);

}  // namespace hwgcn
