#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/files/file_descriptor.hpp"
#include "distributed/peers/peers.hpp"
#include "io/csv/csv_table.hpp"

namespace hwgcn {

/// A plain text file of which each process reads its own lines: those that begin in its range of bytes. The
/// ranges have the order of the ranks. A process never holds more than a piece of its lines.
class TextPieces {
  public:
    /// Throws InputError where the file is packed, is no plain file or holds a NUL byte. All processes call
    /// it together, and also `next_round`.
    TextPieces(const std::filesystem::path& file, std::size_t piece_bytes, Peers& peers);

    const std::string& name() const { return name_; }
    std::int64_t bytes() const { return size_; }

    /// The first lines of the file: at least so many records, or the whole file.
    std::string head(CsvComments comments, int records) const;

    /// Before the first piece.
    void rewind();

    /// Moves to the next piece; false at the end of the own lines.
    bool next();

    /// The same for all processes together: pieces may be empty; false where all processes are through.
    bool next_round(Peers& peers);

    /// Whole lines, and the number of the first of them.
    std::string_view piece() const { return std::string_view(buffer_).substr(0, piece_size_); }
    std::int64_t line() const { return line_; }

  private:
    void read(std::string& buffer, std::int64_t from, std::int64_t end) const;
    std::int64_t first_line_start(std::int64_t from) const;
    void count_lines(Peers& peers);

    std::string name_;
    std::int64_t piece_bytes_;
    FileDescriptor descriptor_;
    std::int64_t size_ = 0;
    std::int64_t text_begin_ = 0;  // behind the byte order mark
    std::int64_t begin_ = 0;       // own lines
    std::int64_t end_ = 0;
    std::int64_t first_line_ = 1;
    std::int64_t place_ = 0;  // what is to be read next
    std::string buffer_;
    std::size_t piece_size_ = 0;
    std::int64_t line_ = 1;
};

}  // namespace hwgcn
