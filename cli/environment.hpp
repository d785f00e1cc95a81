#pragma once

#include <filesystem>
#include <string>

namespace hwgcn::cli {

/// Where datasets are looked for unless --data-dir says otherwise: $HWGCN_DATA, else the user's data home.
/// Empty where there is neither.
std::filesystem::path default_data_directory();

/// Where learned weights are kept unless --cache-dir says otherwise. Empty where there is no home.
std::filesystem::path default_cache_directory();

/// The proxy for downloads, or "".
std::string default_proxy();

/// True where `descriptor` is a terminal that understands control sequences.
bool is_terminal(int descriptor);

/// True where it is such a terminal and nobody asked for plain text by NO_COLOR.
bool wants_color(int descriptor);

}  // namespace hwgcn::cli
