#include "dataset/column_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace hwgcn {

SortedColumn::SortedColumn(std::vector<float> stored, std::int64_t zeros)
    : stored_(std::move(stored)), zeros_(zeros) {
    std::sort(stored_.begin(), stored_.end());
    negatives_ = std::lower_bound(stored_.begin(), stored_.end(), 0.0F) - stored_.begin();
}

// The zeros stand between the negative and the other numbers.
float SortedColumn::at(std::int64_t place) const {
    if (place < negatives_) return stored_[place];
    return place < negatives_ + zeros_ ? 0.0F : stored_[place - zeros_];
}

std::span<const float> SortedColumn::positives() const {
    return std::span(stored_).subspan(
        static_cast<std::size_t>(std::upper_bound(stored_.begin(), stored_.end(), 0.0F) - stored_.begin()));
}

double SortedColumn::quantile(double share) const {
    const double place = share * static_cast<double>(size() - 1);
    const auto below = static_cast<std::int64_t>(place);
    const double lower = at(below);
    const double upper = at(std::min(below + 1, size() - 1));
    return lower + (place - static_cast<double>(below)) * (upper - lower);
}

SortedColumn::Moments SortedColumn::moments(double least, double largest) const {
    const auto moved = [&](double number) { return std::clamp(number, least, largest); };
    const auto count = static_cast<double>(size());
    double sum = static_cast<double>(zeros_) * moved(0);
    for (const float number : stored_)
        sum += moved(number);
    const double mean = sum / count;
    const auto square = [&](double number) { return (moved(number) - mean) * (moved(number) - mean); };
    double squares = static_cast<double>(zeros_) * square(0);
    for (const float number : stored_)
        squares += square(number);
    return {mean, std::sqrt(squares / count)};
}

std::vector<ColumnStatistics> column_statistics(const CsrMatrix<float>& features) {
    std::vector<ColumnStatistics> columns(static_cast<std::size_t>(features.columns));
    for (std::size_t e = 0; e < features.values.size(); ++e) {
        ColumnStatistics& column = columns[features.indices[e]];
        const float value = features.values[e];
        if (std::isnan(value)) {
            ++column.missing;
            continue;
        }
        ++column.known;
        column.least = column.known == 1 ? value : std::min(column.least, value);
        column.largest = column.known == 1 ? value : std::max(column.largest, value);
        column.non_zeros += value != 0;
        column.binary = column.binary && (value == 0 || value == 1);
    }
    for (ColumnStatistics& column : columns) {
        const std::int64_t stored = column.known + column.missing;
        if (stored == features.rows) continue;
        column.least = column.known == 0 ? 0 : std::min(column.least, 0.0F);
        column.largest = column.known == 0 ? 0 : std::max(column.largest, 0.0F);
        column.known = features.rows - column.missing;
    }
    return columns;
}

void join_statistics(ColumnStatistics& column, const ColumnStatistics& more) {
    if (more.known > 0) {
        column.least = column.known == 0 ? more.least : std::min(column.least, more.least);
        column.largest = column.known == 0 ? more.largest : std::max(column.largest, more.largest);
    }
    column.known += more.known;
    column.missing += more.missing;
    column.non_zeros += more.non_zeros;
    column.binary = column.binary && more.binary;
}

std::vector<std::vector<float>> stored_columns(const CsrMatrix<float>& features,
                                               const std::vector<char>& wanted) {
    std::vector<std::size_t> sizes(wanted.size(), 0);
    for (const Index column : features.indices)
        sizes[column] += wanted[column] != 0;
    std::vector<std::vector<float>> columns(wanted.size());
    for (std::size_t column = 0; column < wanted.size(); ++column)
        columns[column].reserve(sizes[column]);
    for (std::size_t e = 0; e < features.values.size(); ++e) {
        const Index column = features.indices[e];
        if (wanted[column] != 0 && !std::isnan(features.values[e]))
            columns[column].push_back(features.values[e]);
    }
    return columns;
}

}  // namespace hwgcn
