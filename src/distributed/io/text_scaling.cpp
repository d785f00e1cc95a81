#include "distributed/io/text_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataset/column_statistics.hpp"
#include "dataset/feature_kinds.hpp"
#include "dataset/scaling_fit.hpp"
#include "distributed/io/peer_texts.hpp"

namespace hwgcn {
namespace {

std::vector<ColumnStatistics> joined_statistics(Peers& peers, Index features,
                                                const std::vector<CsrMatrix<float>>& own) {
    std::vector<ColumnStatistics> columns(static_cast<std::size_t>(features));
    const auto add = [&](const std::vector<ColumnStatistics>& more) {
        for (std::size_t c = 0; c < columns.size(); ++c)
            join_statistics(columns[c], more[c]);
    };
    for (const CsrMatrix<float>& rows : own)
        add(column_statistics(rows));
    const std::vector<Bytes> all = gather(peers, 0, bytes_of(columns));
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        add(values_of<ColumnStatistics>(all[rank]));
    broadcast(peers, 0, std::as_writable_bytes(std::span(columns)));
    return columns;
}

// The values of some columns, of which the own rows are looked through once.
std::vector<std::vector<float>> own_columns(const std::vector<CsrMatrix<float>>& own,
                                            std::span<const std::size_t> columns, std::size_t features) {
    std::vector<char> wanted(features, 0);
    for (const std::size_t column : columns)
        wanted[column] = 1;
    std::vector<std::vector<float>> values(columns.size());
    for (const CsrMatrix<float>& rows : own) {
        const std::vector<std::vector<float>> stored = stored_columns(rows, wanted);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::vector<float>& more = stored[columns[k]];
            values[k].insert(values[k].end(), more.begin(), more.end());
        }
    }
    return values;
}

// Each process fits one of the columns, from the values that all have of it; at most one per process.
std::vector<ColumnScaling> fit_some(Peers& peers, const FeatureKinds& kinds,
                                    std::span<const std::size_t> columns,
                                    std::span<const std::vector<float>> own) {
    std::vector<std::vector<float>> out(own.begin(), own.end());
    out.resize(static_cast<std::size_t>(peers.size()));
    std::vector<float> column;
    for (const std::vector<float>& more : exchange_values(peers, out))
        column.insert(column.end(), more.begin(), more.end());
    std::vector<ColumnScaling> fitted;
    const auto rank = static_cast<std::size_t>(peers.rank());
    if (rank < columns.size()) fitted.push_back(fit_number_column(std::move(column), kinds, columns[rank]));
    std::vector<ColumnScaling> all;
    for (const std::vector<ColumnScaling>& one : share_values(peers, fitted))
        all.insert(all.end(), one.begin(), one.end());
    return all;
}

// A column of all nodes is the most that a process holds of the others' rows.
std::vector<ColumnScaling> fit_columns(Peers& peers, const FeatureKinds& kinds, Index nodes,
                                       const std::vector<CsrMatrix<float>>& own) {
    constexpr std::int64_t most_values = 1 << 24;
    std::vector<ColumnScaling> columns;
    std::vector<std::size_t> numbers;
    for (std::size_t c = 0; c < kinds.kinds.size(); ++c) {
        columns.push_back({kinds.kinds[c]});
        if (kinds.kinds[c] == FeatureKind::number) numbers.push_back(c);
    }
    const auto processes = static_cast<std::size_t>(peers.size());
    const std::size_t batch =
        processes * static_cast<std::size_t>(std::max<std::int64_t>(1, most_values / nodes));
    for (std::size_t first = 0; first < numbers.size(); first += batch) {
        const auto some = std::span(numbers).subspan(first, std::min(batch, numbers.size() - first));
        const std::vector<std::vector<float>> values = own_columns(own, some, columns.size());
        for (std::size_t k = 0; k < some.size(); k += processes) {
            const std::size_t count = std::min(processes, some.size() - k);
            const std::vector<ColumnScaling> fitted =
                fit_some(peers, kinds, some.subspan(k, count), std::span(values).subspan(k, count));
            for (std::size_t j = 0; j < count; ++j)
                columns[some[k + j]] = fitted[j];
        }
    }
    return columns;
}

}  // namespace

FeatureScaling fit_scaling_together(Peers& peers, const Dataset& outline,
                                    const std::vector<CsrMatrix<float>>& own) {
    FeatureScaling scaling;
    if (outline.features.columns == 0) return scaling;
    const FeatureKinds kinds = decide_kinds(outline, joined_statistics(peers, outline.features.columns, own));
    scaling = unfitted_scaling(outline, kinds);
    if (kinds.scale != Scale::standard && kinds.scale != Scale::unit) return scaling;
    place_columns(scaling, fit_columns(peers, kinds, outline.nodes, own), kinds, outline);
    scaling.word_factor = sum_in_order<WordNorms>(peers, {}, [&](WordNorms& norms) {
                              for (const CsrMatrix<float>& rows : own)
                                  norms.add(rows, kinds.kinds);
                          }).factor();
    return scaling;
}

}  // namespace hwgcn
