#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// The longest text that a compressed file may unfold to.
inline constexpr std::size_t largest_text = std::size_t{8} << 30;

/// A whole text file, plain or gzip, as `decode_text` gives it.
std::string read_text_file(const std::filesystem::path& file, const ExecutionControl& control = {});

/// The text in `bytes`: unpacked where they are gzip (recognised by content), without byte order mark, and
/// with \n where all lines end in \r, as those of old Macs do. Throws InputError, naming `name`, where the
/// archive is damaged, unfolds to more than `limit` bytes, or the text holds a NUL byte.
std::string decode_text(std::string_view name, std::string bytes, std::size_t limit = largest_text,
                        const ExecutionControl& control = {});

/// Whether a file that begins so is gzip.
bool is_gzip(std::string_view bytes);

/// Unpacks gzip that comes in pieces: `next` gives them, "" at the end, and `put` receives the text, a
/// fraction of a second's work at a time. Throws InputError, naming `name`, where it is damaged or cut short.
void unpack_gzip(std::string_view name, const std::function<std::string_view()>& next,
                 const std::function<void(std::string_view)>& put, const ExecutionControl& control = {});

/// Walks through the lines of a text, which end in \n or \r\n.
class LineReader {
  public:
    explicit LineReader(std::string_view text) : rest_(text) {}

    /// Moves to the next line; false at the end of the text.
    bool next();

    std::string_view line() const { return line_; }       ///< without its end
    std::int64_t line_number() const { return number_; }  ///< counted from 1

  private:
    std::string_view rest_;
    std::string_view line_;
    std::int64_t number_ = 0;
};

/// What a dataset in `file` is called: "papers" for "data/papers.csv.gz".
std::string name_of_file(std::filesystem::path file);

/// `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// `text` in ASCII lower case.
std::string lower_case(std::string_view text);

/// `text` as it may stand in a message: on one line, and no longer than a person would read.
std::string excerpt(std::string_view text);

}  // namespace hwgcn
