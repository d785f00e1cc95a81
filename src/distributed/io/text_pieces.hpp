#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/base/error.hpp"
#include "hwgcn/distributed/peers.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/file_descriptor.hpp"
#include "distributed/io/peer_texts.hpp"
#include "io/csv/csv_table.hpp"
#include "io/csv/record_scan.hpp"

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
/// have the order of the ranks. A process never holds more than a piece of its records.
class TextPieces {
  public:
    /// `records` of the file are wanted as its head. Throws InputError where it holds a NUL byte. All
    /// processes call it together, and also `next_round` and `read_round`.
    TextPieces(const TextReading& reading, const std::filesystem::path& file, CsvComments comments,
               int records);
    TextPieces(const TextPieces&) = delete;
    TextPieces& operator=(const TextPieces&) = delete;

    const std::string& name() const { return name_; }
    std::int64_t bytes() const { return size_; }

    /// The file up to some records at least, or the whole; the table is in front of its first record.
    const std::string& head_text() const { return head_text_; }
    CsvTable& head() { return *head_; }

    /// From now on the record at which the head is, a header, is no record.
    void leave_out_header() { header_line_ = head_->line(); }

    /// Before the first piece.
    void rewind();

    /// Moves to the next piece, which may be empty; false where all processes are through.
    bool next_round();

    /// Calls use(record) for each record of the own piece. Where a process finds a fault, the others look
    /// through the rest of their records, so that the fault that is reported is the first in the file.
    template <typename Use>
    void read_round(const Use& use) {
        std::exception_ptr fault;
        try {
            for_each_record(use);
        } catch (const Error&) {
            fault = std::current_exception();
        }
        if (!any(reading_.peers, fault != nullptr)) return;
        do_together(reading_.peers, [&] {
            if (fault) std::rethrow_exception(fault);
            while (next())
                for_each_record(use);
        });
    }
    template <typename Use>
    void for_each_record(const Use& use) const {
        CsvTable table(*head_, piece(), line_);
        while (table.next()) {
            if (table.line() != header_line_) use(table);
        }
    }

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
    std::string read(std::int64_t from, std::int64_t end) const;
    std::string_view piece() const { return std::string_view(buffer_).substr(0, piece_size_); }
    std::int64_t first_line_start(std::int64_t from) const;
    CsvSyntax find_syntax() const;
    Lines look_through(std::int64_t from, std::int64_t end) const;
    std::vector<Lines> look_through_all();
    void settle_range();
    void cut_behind_unclosed(std::int64_t from, std::int64_t end, bool quoted);
    void read_head(int records);
    bool next();

    const TextReading& reading_;
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
    std::int64_t header_line_ = 0;
    std::optional<RecordScan> scan_;  // of what was read of the own records
    std::int64_t place_ = 0;          // what is to be read next
    std::string buffer_;
    std::size_t piece_size_ = 0;
    std::int64_t line_ = 1;
};

}  // namespace hwgcn
