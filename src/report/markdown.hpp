#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

struct MarkdownColumn {
    std::string heading;
    bool numeric = false;  ///< aligned to the right
};

/// Every row has a cell per column. Cells are text on one line and may use inline Markdown.
struct MarkdownTable {
    std::vector<MarkdownColumn> columns;
    std::vector<std::vector<std::string>> rows;
};

/// The table with its pipes one below the other, as long as every character is one column wide. Pipes and
/// backslashes in cells are escaped, line breaks become spaces. Throws InputError where there is no column or
/// a row has another number of cells.
std::string markdown_text(const MarkdownTable& table);

/// "## text" and an empty line; `level` is in 1..6.
std::string markdown_heading(int level, std::string_view text);

}  // namespace hwgcn
