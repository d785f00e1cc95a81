#include "methods/linear/even_columns.hpp"

#include <cmath>
#include <cstdint>

namespace hwgcn {
namespace {

struct Moments {
    double mean = 0;
    double variance = 0;
    double mean_square = 0;
    std::int64_t filled = 0;
};

// Of every column, zeros included, in two passes: the square of a mean can be far above the variance.
std::vector<Moments> moments_of(const CsrMatrix<float>& features) {
    std::vector<Moments> columns(static_cast<std::size_t>(features.columns));
    const double share = 1.0 / features.rows;
    for (std::size_t e = 0; e < features.indices.size(); ++e) {
        Moments& column = columns[features.indices[e]];
        const auto value = static_cast<double>(features.values[e]);
        column.mean += share * value;
        column.mean_square += share * value * value;
        column.filled += value == 0 ? 0 : 1;
    }
    for (std::size_t e = 0; e < features.indices.size(); ++e) {
        Moments& column = columns[features.indices[e]];
        const auto value = static_cast<double>(features.values[e]);
        if (value != 0) column.variance += share * (value - column.mean) * (value - column.mean);
    }
    for (Moments& column : columns)
        column.variance +=
            share * static_cast<double>(features.rows - column.filled) * column.mean * column.mean;
    return columns;
}

}  // namespace

EvenColumns::EvenColumns(const CsrMatrix<float>& features, std::span<const Index> learned_from, Units units) {
    measure(features, units);
    std::vector<char> used(factor_.size(), centred_ ? 1 : 0);
    for (const Index node : learned_from) {
        for (const Index f : features.row(node).indices)
            used[f] = 1;
    }
    place_.assign(factor_.size(), no_place);
    for (std::size_t f = 0; f < used.size(); ++f) {
        if (used[f] != 0 && factor_[f] != 0) place_[f] = columns_++;
    }
}

void EvenColumns::measure(const CsrMatrix<float>& features, Units units) {
    constexpr double rounding = 1e-6;
    const std::vector<Moments> columns = moments_of(features);
    std::int64_t filled = 0, places = 0;
    for (const Moments& column : columns) {
        filled += column.filled;
        places += column.filled > 0 ? features.rows : 0;
    }
    centred_ = units == Units::even && 2 * filled > places;
    double squared_length = 0;
    for (const Moments& column : columns) {
        const double deviation = std::sqrt(column.variance);
        const bool differs = deviation > rounding * std::abs(column.mean);
        centre_.push_back(centred_ ? column.mean : 0.0);
        factor_.push_back(differs ? (centred_ ? 1 / deviation : 1.0) : 0.0);
        squared_length += differs ? (centred_ ? 1 : column.mean_square) : 0;
    }
    for (double& factor : factor_)
        factor /= squared_length > 0 ? std::sqrt(squared_length) : 1.0;
}

CsrMatrix<float> EvenColumns::rows(const CsrMatrix<float>& features, std::span<const Index> nodes) const {
    CsrMatrix<float> result{static_cast<Index>(nodes.size()), columns_, {0}, {}, {}};
    const auto append = [&](Index f, double value) {
        if (place_[f] == no_place) return;
        result.indices.push_back(place_[f]);
        result.values.push_back(static_cast<float>((value - centre_[f]) * factor_[f]));
    };
    for (const Index node : nodes) {
        const SparseRow<float> row = features.row(node);
        Index next = 0;  // zeros become something else where columns are centred
        for (std::size_t e = 0; e < row.size(); ++e) {
            for (; centred_ && next < row.indices[e]; ++next)
                append(next, 0);
            append(row.indices[e], static_cast<double>(row.values[e]));
            next = row.indices[e] + 1;
        }
        for (; centred_ && next < features.columns; ++next)
            append(next, 0);
        result.offsets.push_back(result.entries());
    }
    return result;
}

// theta (x - centre) factor + bias, sorted by x.
DenseMatrix EvenColumns::for_given_features(std::span<const double> theta, Index classes) const {
    const auto width = static_cast<std::size_t>(classes);
    std::vector<double> bias(theta.end() - classes, theta.end());
    const auto features = static_cast<Index>(place_.size());
    DenseMatrix result(features + 1, classes);
    for (Index f = 0; f < features; ++f) {
        if (place_[f] == no_place) continue;
        for (Index c = 0; c < classes; ++c) {
            const double weight =
                theta[static_cast<std::size_t>(place_[f]) * width + static_cast<std::size_t>(c)] * factor_[f];
            result.at(f, c) = static_cast<float>(weight);
            bias[c] -= weight * centre_[f];
        }
    }
    for (Index c = 0; c < classes; ++c)
        result.at(features, c) = static_cast<float>(bias[c]);
    return result;
}

}  // namespace hwgcn
