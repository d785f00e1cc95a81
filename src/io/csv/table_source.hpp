#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/csv_table.hpp"
#include "io/csv/table_pieces.hpp"

namespace hwgcn {

/// The records of a table, piece by piece: of a whole one, or of the share that one of several readers has.
/// Several readers call everything together.
class TableSource {
  public:
    using Use = std::function<void(const CsvTable& record)>;

    TableSource() = default;
    TableSource(const TableSource&) = delete;
    TableSource& operator=(const TableSource&) = delete;
    virtual ~TableSource() = default;

    /// The file up to some records at least: at first, the table is in front of the first one.
    virtual CsvTable& head() = 0;
    virtual std::string_view head_text() const = 0;

    /// From now on the record at which the head is, a header, is none.
    void leave_out_header() { header_line_ = head().line(); }

    /// What all readers have.
    virtual TablePieces& pieces() = 0;

    /// Calls `use` for each record from the first, and `end_piece` now and then, as often as all readers do.
    void read(
        const Use& use, const std::function<void()>& end_piece = [] {}) {
        for (rewind(); next_piece();) {
            read_piece(use);
            end_piece();
        }
    }

  protected:
    virtual void rewind() = 0;
    virtual bool next_piece() = 0;
    virtual void read_piece(const Use& use) = 0;

    bool is_header(const CsvTable& record) const { return record.line() == header_line_; }

  private:
    std::int64_t header_line_ = 0;
};

/// One reader has it all.
class OnePiece final : public TablePieces {
  public:
    int count() const override { return 1; }
    std::int64_t total(std::int64_t own) override { return own; }
    std::vector<std::string> texts(const std::string& own) override { return {own}; }
    std::vector<Index> join_names(NameIndex& names) override;
    std::int64_t count_different(const NameIndex& names) override { return names.size(); }
    std::int64_t count_different(const std::vector<std::int64_t>& numbers) override;
};

/// A table that lies in memory.
class WholeTable final : public TableSource {
  public:
    /// `name` and `text` must outlive it.
    WholeTable(std::string_view name, std::string_view text, CsvComments comments,
               const ExecutionControl& control = {})
        : text_(text), start_(name, text, comments, control), head_(start_), table_(start_) {}

    CsvTable& head() override { return head_; }
    std::string_view head_text() const override { return text_; }
    TablePieces& pieces() override { return piece_; }

  protected:
    void rewind() override;
    bool next_piece() override { return !at_end_; }
    void read_piece(const Use& use) override;

  private:
    std::string_view text_;
    CsvTable start_;
    CsvTable head_;
    CsvTable table_;
    bool at_end_ = false;
    OnePiece piece_;
};

}  // namespace hwgcn
