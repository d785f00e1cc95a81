#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/csv/csv_table.hpp"
#include "io/csv/table_pieces.hpp"

namespace hwgcn {

/// The column of an edge file that holds the weights, read row by row. What its numbers look like is known
/// only at the end.
class WeightColumn {
  public:
    /// Reads none.
    WeightColumn() = default;

    /// The column that `wanted` names or numbers, in the record under `first`; "none" for none. Where nothing
    /// is wanted, one that the header calls "weight"; it is taken only if its numbers look like weights,
    /// unless the file has `promised` that they are.
    WeightColumn(const CsvTable& first, const std::string& wanted, bool promised);

    std::optional<std::size_t> place() const { return place_; }

    /// Whether the first record names the column, so that it is a header.
    bool is_named() const { return named_; }

    /// Gives the weight of a record; 0 where it is none.
    float read(const CsvTable& table);

    /// What the column looks like in all pieces of the file.
    void join(TablePieces& pieces);

    /// The weights of all own records; nothing where there is no column, and, with a note, where it holds
    /// something else. Throws InputError, with the line, for a text that is no finite number of at least 0.
    std::optional<std::vector<float>> finish(const CsvTable& table, std::vector<std::string>& notes);

  private:
    std::string what_else() const;

    std::optional<std::size_t> place_;
    std::string name_;      // for messages: "'weight'" or "3"
    bool named_ = false;    // by the header
    bool certain_ = false;  // wanted or promised: no doubts about its numbers
    std::vector<float> weights_;
    std::int64_t records_ = 0;
    std::vector<double> sample_;  // the first of them, exact: a large id has more digits than a float
    std::int64_t numbers_ = 0;    // texts that are numbers of any kind
    std::int64_t bad_line_ = 0;   // of the first text that is no weight; 0: there is none
    std::string bad_text_;
};

}  // namespace hwgcn
