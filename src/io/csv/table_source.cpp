#include "io/csv/table_source.hpp"

#include <algorithm>
#include <numeric>

namespace hwgcn {

std::vector<Index> OnePiece::join_names(NameIndex& names) {
    std::vector<Index> numbers(static_cast<std::size_t>(names.size()));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

std::int64_t OnePiece::count_different(const std::vector<std::int64_t>& numbers) {
    std::vector<std::int64_t> sorted = numbers;
    std::ranges::sort(sorted);
    return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

void WholeTable::rewind() {
    table_ = start_;
    at_end_ = false;
}

void WholeTable::read_piece(const Use& use) {
    constexpr int records_of_piece = 1 << 14;
    for (int k = 0; k < records_of_piece && !at_end_; ++k) {
        at_end_ = !table_.next();
        if (!at_end_ && !is_header(table_)) use(table_);
    }
}

}  // namespace hwgcn
