#pragma once

#include <filesystem>
#include <string>

#include "base/files/input_file.hpp"

namespace hwgcn::cli {

/// Where datasets are looked for unless --data-dir says otherwise: $HWGCN_DATA, else the user's data home.
/// Empty where there is neither.
std::filesystem::path default_data_directory();

/// Where learned weights are kept unless --cache-dir says otherwise. Empty where there is no home.
std::filesystem::path default_cache_directory();

/// The proxy for downloads, or "".
std::string default_proxy();

/// How much is read from a pipe or a device: $HWGCN_STREAM_GB gigabytes, else 4. Throws InputError where the
/// variable is no number.
StreamLimit chosen_stream_limit();

/// Seconds since the program was started.
double seconds_since_start();

/// Opens standard input, output and error where they are closed, in a way that makes their use an error:
/// otherwise the next file that is opened would take their place, and be written to.
void open_standard_descriptors();

/// True where `descriptor` is the terminal that the process belongs to, and it understands control sequences.
bool is_terminal(int descriptor);

/// True where it is such a terminal and NO_COLOR does not ask for plain text.
bool wants_color(int descriptor);

}  // namespace hwgcn::cli
