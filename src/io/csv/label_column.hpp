#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/csv_table.hpp"
#include "io/csv/label_bins.hpp"
#include "io/csv/label_encoder.hpp"

namespace hwgcn {

/// The labels of a node table, cell by cell. A class is the text of a cell or, as `files` says, its first
/// part or the range that its number is in.
class LabelColumn {
  public:
    /// Throws InputError where `files` contradicts itself. `files` must outlive the column.
    explicit LabelColumn(const CsvFiles& files);

    /// The label of the next node, "" where there is no column.
    void add(const CsvTable& record, std::string_view cell);

    /// Between `add` and `encode`: classes and what is said of them are those of all pieces of the file.
    void join(TablePieces& pieces);

    /// Adds to `notes` what became of the labels of the table `name`.
    EncodedLabels encode(std::string_view name, std::vector<std::string>& notes) const;

    ColumnKind kind() const { return bins_ ? ColumnKind::range : ColumnKind::category; }

  private:
    void add_number(const CsvTable& record, std::string_view cell);
    std::string_view first_part(std::string_view cell);
    EncodedLabels encode_numbers(std::string_view name, std::vector<std::string>& notes) const;
    void note_parts(std::string_view name, std::vector<std::string>& notes) const;

    const CsvFiles& files_;
    std::optional<int> bins_;
    LabelEncoder texts_;
    std::vector<double> numbers_;      // in the place of texts where they are put into ranges; NaN: not known
    std::vector<NumberCount> counts_;  // of the numbers of all pieces
    std::int64_t missing_ = 0;         // labels that say so in words
    std::string missing_text_;         // the first of them
    std::int64_t cut_ = 0;             // labels of which only a part is the class
    std::string cut_text_;             // the first of them
    std::string kept_text_;            // and its class
};

}  // namespace hwgcn
