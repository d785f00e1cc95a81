#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"

#include "io/csv/csv_table.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// The nodes that other files speak of, and the table that they come from.
struct KnownNodes {
    const NameIndex& ids;
    std::string_view table_name = {};
    std::string_view table_text = {};  ///< empty: there is no table
    ExecutionControl control = {};
};

/// Throws InputError for an id that no node has, with the reason where one can be seen: another spelling
/// (capitals, leading zeros), a name that is near, or another column of the node table, without repetitions,
/// that has all `ids` of the record, or `hint`.
[[noreturn]] void fail_unknown_id(const CsvTable& table, std::string_view id, const KnownNodes& nodes,
                                  const std::vector<std::string_view>& ids, const std::string& hint = {});

/// What a file of so many columns may be, given as node table, whose ids repeat themselves: "; ..", or "".
std::string hint_at_another_file(std::size_t columns);

/// The first column of a node table that could hold ids, or "": nothing in it is empty, given twice or a
/// number with a fraction. Those of `taken` are not meant.
std::string column_of_names(std::string_view table_name, std::string_view table_text,
                            const std::vector<std::size_t>& taken, const ExecutionControl& control = {});

/// The known id that a word may be a misspelling of, or "".
std::string nearest_id(std::string_view word, const NameIndex& ids);

/// Whether a text is one of those that tables have where nothing is known: "NA", "n/a", "null", "None", "?".
bool stands_for_missing(std::string_view text);

/// Whether a text looks like a date: "2024-03-01", "1.3.2024".
bool looks_like_date(std::string_view text);

/// Whether a text is a number with a comma for its decimal point: "3,5".
bool has_decimal_comma(std::string_view text);

/// The number of the first line that is not UTF-8; 0: there is none.
std::int64_t line_not_utf8(std::string_view text);

/// Adds a note where a file has such a line.
void note_encoding(std::string_view name, std::int64_t line, std::vector<std::string>& notes);

/// Adds a note for classes that are the same but for capitals and blanks, and for those with one or two nodes
/// that may be a common one misspelt. `nodes` has the size of each.
void note_similar_classes(std::string_view name, const std::vector<std::string>& classes,
                          const std::vector<Index>& nodes, std::vector<std::string>& notes);

/// Adds a note where many labels have several parts that other labels have, too ("drama;comedy"). `name` has
/// the labels; `remedy` says what to do about it, with {} in the place of the separator.
void note_compound_classes(std::string_view name, const std::string& remedy,
                           const std::vector<std::string>& classes, const std::vector<Index>& nodes,
                           std::vector<std::string>& notes);

/// How many nodes each class has.
std::vector<Index> class_sizes(std::size_t classes, const std::vector<Index>& labels);

/// Both, for the classes of the node table `name`.
void note_classes(std::string_view name, const std::vector<std::string>& classes,
                  const std::vector<Index>& nodes, std::vector<std::string>& notes);

}  // namespace hwgcn
