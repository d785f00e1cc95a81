#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/csv_table.hpp"
#include "io/csv/table_pieces.hpp"
#include "io/csv/whole_numbers.hpp"

namespace hwgcn {

/// How the columns of a node table become features: numbers as they are, texts as one feature per text.
/// Missing numbers become NaN. Every record is shown twice: first to `look_at`, then, after `decide`, to
/// `encode`.
class FeatureColumns {
  public:
    /// `header` has the names of the columns; `taken` are those that are no features (ids and labels).
    FeatureColumns(const CsvTable& header, const std::vector<std::size_t>& taken, const CsvFiles& files);

    void look_at(const CsvTable& record);

    /// What the columns look like in all pieces of the file.
    /// Between `look_at` and `decide`.
    void join(TablePieces& pieces);

    /// Settles what each column is. Adds to `notes` what a person should know.
    void decide(const CsvTable& table, std::vector<std::string>& notes);

    /// Adds a row.
    void encode(const CsvTable& record, CsrMatrix<float>& features) const;

    std::vector<std::string> feature_names() const;
    std::vector<FeatureKind> feature_kinds() const;

    /// Puts what became of each column into its place among all columns of the table.
    void put(std::vector<TableColumn>& columns) const;

  private:
    struct Column : TableColumn {
        std::size_t place = 0;
        std::int64_t numbers = 0;    // cells
        std::int64_t texts = 0;      // cells
        std::int64_t text_line = 0;  // of the first one
        std::string text = {};       // the first one
        NameIndex words = {};        // of a column that is left out perhaps only some of those that differ
        bool called_id = false;      // by its name
        bool categorical = false;    // as the caller wants it
        bool wanted = false;         // as numbers, whatever they look like
        WholeNumbers whole = {};
        std::vector<std::int64_t> ids = {};  // all numbers, where it is called so
        bool all_missing = true;             // whether all words look like this
        bool all_commas = true;
        bool all_dates = true;
    };

    bool is_like_names(const Column& column) const;
    bool has_all_whole(const Column& column) const;
    bool is_left_out_as_ids(const Column& column) const;
    void judge_whole_numbers(const CsvTable& table, Column& column, std::vector<std::string>& notes) const;
    void join_statistics(TablePieces& pieces);
    void join_ids(TablePieces& pieces);

    void look_at_number(const CsvTable& record, Column& column, float number) const;
    void look_at_text(const CsvTable& record, Column& column, std::string_view text) const;
    void decide_kind(const CsvTable& table, Column& column, std::vector<std::string>& notes) const;
    bool mostly_empty(const Column& column) const;
    void decide_gaps(const CsvTable& table, std::vector<std::string>& notes);

    std::vector<Column> columns_;  // in the order of their places
    bool judges_ = true;           // see CsvFiles
    std::int64_t records_ = 0;
    bool sparse_ = false;  // empty cells of columns that are mostly empty are zeros
};

}  // namespace hwgcn
