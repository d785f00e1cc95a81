#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "base/files/file_descriptor.hpp"
#include "distributed/io/peer_pieces.hpp"
#include "distributed/peers/peers.hpp"
#include "io/csv/record_scan.hpp"
#include "io/csv/table_source.hpp"

namespace hwgcn {

/// What all stages of reading need.
struct TextReading {
    const CsvFiles& files;
    std::size_t piece_bytes;
    Peers& peers;
    const ExecutionControl& control;
    std::map<std::filesystem::path, std::filesystem::path> unpacked = {};  ///< files and what is in them
};

/// Where a file can be read only from its beginning, as it is packed with gzip or a pipe, writes its text to
/// `target`; false where it can be read anywhere.
bool unpack_text(const std::filesystem::path& file, const std::filesystem::path& target,
                 const ExecutionControl& control);

/// A table of which each process reads its own records: those that begin in its range of bytes. The ranges
/// have the order of the ranks. A process never holds more than a piece of its records. Where one finds a
/// fault, the others look through the rest of their records, so that the first fault in the file is reported.
class TextPieces final : public TableSource {
  public:
    /// `records` of the file are wanted as its head. Throws InputError where it holds a NUL byte.
    TextPieces(const TextReading& reading, const std::filesystem::path& file, CsvComments comments,
               int records);

    std::int64_t bytes() const { return size_; }

    /// As the function of this name finds it, of what has been read. All processes call it together.
    std::int64_t line_not_utf8();

    CsvTable& head() override { return *head_; }
    std::string_view head_text() const override { return head_text_; }
    TablePieces& pieces() override { return pieces_; }

  protected:
    void rewind() override;
    bool next_piece() override;
    void read_piece(const Use& use) override;

  private:
    /// What a process finds in the lines that begin in its range of bytes, which is not yet that of its
    /// records: whether the first line lies within a field is known only when all have looked.
    struct Lines {
        std::int64_t begin = 0;
        std::int64_t count = 0;
        std::int64_t first_record = 0;  // behind the field that the first line would lie in
        std::int64_t count_before = 0;  // of the lines in front of it
        std::int64_t line_of_nul = -1;
        bool has_return = false;
        bool ends_quoted[2] = {};  // where the first line lies outside of a field, and within one
    };

    void open(const std::filesystem::path& file);
    std::string text_between(std::int64_t from, std::int64_t end) const;
    std::string_view piece() const { return std::string_view(buffer_).substr(0, piece_size_); }
    std::int64_t first_line_start(std::int64_t from) const;
    CsvSyntax find_syntax() const;
    Lines look_through(std::int64_t from, std::int64_t end) const;
    std::vector<Lines> look_through_all();
    void settle_range();
    void cut_behind_unclosed(std::int64_t from, std::int64_t end, bool quoted);
    void read_head(int records);
    bool next();
    void read_own(const Use& use);

    const TextReading& reading_;
    PeerPieces pieces_;
    std::string name_;
    CsvSyntax syntax_;
    char line_end_ = '\n';
    FileDescriptor descriptor_;
    std::int64_t size_ = 0;
    std::int64_t text_begin_ = 0;  // behind the byte order mark
    std::int64_t text_end_ = 0;
    std::int64_t begin_ = 0;  // own records
    std::int64_t end_ = 0;
    std::int64_t first_line_ = 1;
    std::string head_text_;
    std::optional<CsvTable> head_;
    std::optional<RecordScan> scan_;  // of what was read of the own records
    std::int64_t place_ = 0;          // what is to be read next
    std::string buffer_;
    std::size_t piece_size_ = 0;
    std::int64_t line_ = 1;
    std::int64_t line_not_utf8_ = 0;
};

}  // namespace hwgcn
