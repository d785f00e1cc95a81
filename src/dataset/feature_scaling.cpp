#include "hwgcn/dataset/feature_scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/safe_text.hpp"
#include "dataset/column_statistics.hpp"
#include "dataset/feature_kinds.hpp"
#include "dataset/scaling_fit.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

constexpr std::array<std::pair<std::string_view, Scale>, 5> scale_names = {{{"auto", Scale::automatic},
                                                                            {"rows", Scale::rows},
                                                                            {"standard", Scale::standard},
                                                                            {"unit", Scale::unit},
                                                                            {"none", Scale::none}}};

// Numbers beyond these fences, the far outliers of a box plot, count as lying on them. Where half of the
// numbers are the same there are none.
std::pair<double, double> fences(const SortedColumn& numbers, const ColumnStatistics& statistics) {
    constexpr double far = 3;
    const double lower = numbers.quantile(0.25);
    const double upper = numbers.quantile(0.75);
    const double reach = far * (upper - lower);
    if (reach == 0) return {statistics.least, statistics.largest};
    return {std::max<double>(lower - reach, statistics.least),
            std::min<double>(upper + reach, statistics.largest)};
}

// To mean 0 and deviation 1. A column that is nearly always zero keeps its zeros, stays sparse
// and is divided by its root mean square.
ColumnScaling standardized(const SortedColumn& numbers, const ColumnStatistics& statistics) {
    constexpr double sparse = 0.1;
    const auto [least, largest] = fences(numbers, statistics);
    const SortedColumn::Moments moments = numbers.moments(least, largest);
    ColumnScaling column{FeatureKind::number, static_cast<float>(least), static_cast<float>(largest)};
    column.centre = statistics.filled() < sparse ? 0 : moments.mean;
    const double spread =
        column.centre == 0 ? std::hypot(moments.mean, moments.deviation) : moments.deviation;
    // What is left of a constant is rounding.
    const double rounding = 1e-6 * std::max(std::abs(least), std::abs(largest));
    column.factor = moments.deviation > rounding ? 1 / spread : 0;
    return column;
}

// To 0..1; a column with a single value counts as present.
ColumnScaling to_unit(const ColumnStatistics& statistics) {
    ColumnScaling column{FeatureKind::number, statistics.least, statistics.largest};
    const double width = static_cast<double>(statistics.largest) - static_cast<double>(statistics.least);
    column.centre = width == 0 ? statistics.least - 1.0 : statistics.least;
    column.factor = width == 0 ? (statistics.least == 0 ? 0 : 1) : 1 / width;
    return column;
}

// The number that a column compares: `number`, or a logarithm. What is negative lies outside of such a
// column.
float compared(float number, double unit) {
    if (unit == 0) return number;
    return static_cast<float>(logarithm(1 + std::max(0.0, static_cast<double>(number)) / unit));
}

// The unit of numbers that should be compared by their ratios: log(1 + x / unit) keeps zeros apart from the
// least numbers. They go over three powers of ten or more, a few outliers left out, and most of them lie at
// the lower end, unlike those of a range such as 1..10000. 0: none.
double unit_of_logarithms(const SortedColumn& numbers, const ColumnStatistics& statistics) {
    constexpr double wide = 1000, lower_end = 0.1;
    constexpr std::size_t enough = 20, different = 10, outliers = 3;
    const std::span<const float> positives = numbers.positives();
    if (statistics.least < 0 || positives.size() < enough) return 0;
    const auto at_share = [&](std::size_t percent) {
        return static_cast<double>(positives[(positives.size() - 1) * percent / 100]);
    };
    const double high = positives[positives.size() - 1 - std::max(outliers, positives.size() / 10'000)];
    if (high < wide * at_share(1) || at_share(50) > lower_end * high) return 0;
    std::size_t found = 1;
    for (std::size_t k = 1; k < positives.size() && found < different; ++k)
        found += positives[k] != positives[k - 1] ? 1 : 0;
    return found < different ? 0 : at_share(5);
}

}  // namespace

ColumnScaling fit_number_column(std::vector<float> stored, const FeatureKinds& kinds, std::size_t c) {
    ColumnScaling column{FeatureKind::number, 0, 0, 0, 0};
    ColumnStatistics statistics = kinds.columns[c];
    const auto zeros = statistics.known - static_cast<std::int64_t>(stored.size());
    const SortedColumn sorted(std::move(stored), zeros);
    if (sorted.size() == 0) return column;
    const double unit = kinds.may_be_logarithms[c] != 0 ? unit_of_logarithms(sorted, statistics) : 0;
    if (unit > 0) {
        std::vector<float> logarithms(sorted.positives().begin(), sorted.positives().end());
        for (float& number : logarithms)
            number = compared(number, unit);
        statistics.least = compared(statistics.least, unit);
        statistics.largest = compared(statistics.largest, unit);
        const auto others = sorted.size() - static_cast<std::int64_t>(logarithms.size());
        column = standardized(SortedColumn(std::move(logarithms), others), statistics);
        column.unit = unit;
    } else {
        column = kinds.scale == Scale::unit ? to_unit(statistics) : standardized(sorted, statistics);
    }
    column.typical = static_cast<float>(sorted.quantile(0.5));
    return column;
}

void WordNorms::add(const CsrMatrix<float>& features, const std::vector<FeatureKind>& kinds) {
    for (Index node = 0; node < features.rows; ++node) {
        const SparseRow<float> row = features.row(node);
        double sum = 0, square = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (kinds[row.indices[e]] != FeatureKind::word || std::isnan(row.values[e])) continue;
            const double value = std::abs(static_cast<double>(row.values[e]));
            sum += value;
            square += value * value;
        }
        if (sum == 0) continue;
        squares += square / (sum * sum);
        ++rows;
    }
}

double WordNorms::factor() const {
    return rows == 0 ? 1 : 1 / std::sqrt(squares / static_cast<double>(rows));
}

FeatureScaling unfitted_scaling(const Dataset& dataset, const FeatureKinds& kinds) {
    FeatureScaling scaling;
    scaling.features = dataset.features.columns;
    scaling.scale = kinds.scale;
    scaling.given = dataset.feature_kinds;
    scaling.description = describe(kinds);
    scaling.note = dataset.scale == Scale::automatic ? explain(kinds) : note_on_gaps(kinds);
    return scaling;
}

void place_columns(FeatureScaling& scaling, std::vector<ColumnScaling> columns, const FeatureKinds& kinds,
                   const Dataset& dataset) {
    std::vector<std::string> logarithms;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].unit > 0) {
            logarithms.push_back(dataset.feature_names.empty()
                                     ? fmt::format("feature {}", c)
                                     : fmt::format("'{}'", safe_text(dataset.feature_names[c])));
        }
        if (kinds.kinds[c] == FeatureKind::number && kinds.columns[c].missing > 0)
            columns[c].marker = scaling.features++;
    }
    scaling.columns = std::move(columns);
    if (logarithms.empty()) return;
    scaling.description = describe(kinds, std::ssize(logarithms));
    scaling.note = explain(kinds, logarithms);
}

namespace {

class ScalingFit {
  public:
    ScalingFit(const Dataset& dataset, const FeatureKinds& kinds)
        : dataset_(dataset), features_(dataset.features), kinds_(kinds) {}

    void fit_columns(FeatureScaling& scaling) {
        std::vector<char> numbers(kinds_.kinds.size());
        std::ranges::transform(kinds_.kinds, numbers.begin(),
                               [](FeatureKind kind) { return kind == FeatureKind::number; });
        std::vector<std::vector<float>> stored = stored_columns(features_, numbers);
        std::vector<ColumnScaling> columns;
        for (std::size_t c = 0; c < kinds_.kinds.size(); ++c) {
            ColumnScaling column{kinds_.kinds[c]};
            if (column.kind == FeatureKind::number)
                column = fit_number_column(std::move(stored[c]), kinds_, c);
            columns.push_back(column);
        }
        place_columns(scaling, std::move(columns), kinds_, dataset_);
        WordNorms norms;
        norms.add(features_, kinds_.kinds);
        scaling.word_factor = norms.factor();
    }

  private:
    const Dataset& dataset_;
    const CsrMatrix<float>& features_;
    const FeatureKinds& kinds_;
};

// Scales column by column. A number that is not stored is 0, and 0 has a scaled value, too.
class ColumnwiseScaling {
  public:
    ColumnwiseScaling(const CsrMatrix<float>& features, const FeatureScaling& scaling)
        : features_(features), scaling_(scaling), dense_(static_cast<std::size_t>(scaling.features), 0.0F) {
        for (std::size_t c = 0; c < scaling.columns.size(); ++c) {
            const ColumnScaling& column = scaling.columns[c];
            if (column.kind == FeatureKind::number && scaled(column, 0) != 0)
                shifted_.push_back(static_cast<Index>(c));
        }
    }

    CsrMatrix<float> matrix() {
        check_size();
        CsrMatrix<float> result{features_.rows, scaling_.features, {0}, {}, {}};
        for (Index node = 0; node < features_.rows; ++node)
            append(node, result);
        return result;
    }

  private:
    static float scaled(const ColumnScaling& column, float number) {
        const float moved = std::clamp(compared(number, column.unit), column.least, column.largest);
        return static_cast<float>((static_cast<double>(moved) - column.centre) * column.factor);
    }

    void check_size() const {
        const double entries = static_cast<double>(features_.rows) * static_cast<double>(shifted_.size());
        constexpr double most = 2e9;
        if (entries <= most) return;
        throw InputError(
            fmt::format("standardising {} columns of {} nodes would take {:.0f} GB; `scale=rows` keeps "
                        "the features sparse",
                        shifted_.size(), features_.rows, entries * 8 / 1e9));
    }

    void append(Index node, CsrMatrix<float>& result) {
        touched_ = shifted_;
        for (const Index column : shifted_)
            dense_[column] = scaled(scaling_.columns[column], 0);
        const SparseRow<float> row = features_.row(node);
        const double words = word_scale(row);
        for (std::size_t e = 0; e < row.size(); ++e)
            set(row.indices[e], row.values[e], words);
        std::ranges::sort(touched_);
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
        for (const Index column : touched_) {
            if (dense_[column] != 0) {
                result.indices.push_back(column);
                result.values.push_back(dense_[column]);
            }
            dense_[column] = 0;
        }
        result.offsets.push_back(result.entries());
    }

    double word_scale(const SparseRow<float>& row) const {
        double sum = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
            const bool word = scaling_.columns[row.indices[e]].kind == FeatureKind::word;
            if (word && !std::isnan(row.values[e])) sum += std::abs(static_cast<double>(row.values[e]));
        }
        return sum == 0 ? 0 : scaling_.word_factor / sum;
    }

    void set(Index feature, float value, double words) {
        const ColumnScaling& column = scaling_.columns[feature];
        touched_.push_back(feature);
        if (std::isnan(value)) {
            dense_[feature] = column.kind == FeatureKind::number ? scaled(column, column.typical) : 0;
            if (column.marker >= 0) {
                touched_.push_back(column.marker);
                dense_[column.marker] = 1;
            }
        } else if (column.kind == FeatureKind::number) {
            dense_[feature] = scaled(column, value);
        } else {
            dense_[feature] = column.kind == FeatureKind::word ? static_cast<float>(value * words) : value;
        }
    }

    const CsrMatrix<float>& features_;
    const FeatureScaling& scaling_;
    std::vector<Index> shifted_;  // columns whose zeros become something else
    std::vector<float> dense_;    // one row, all zero between calls
    std::vector<Index> touched_;
};

}  // namespace

Scale scale_named(std::string_view name) {
    if (name.empty()) return Scale::automatic;
    std::vector<std::string> known;
    for (const auto& [text, scale] : scale_names) {
        if (text == name) return scale;
        known.emplace_back(text);
    }
    fail_unknown_name("scale", std::string(name), known);
}

std::string_view name_of(Scale scale) {
    return std::ranges::find(scale_names, scale, &std::pair<std::string_view, Scale>::second)->first;
}

FeatureScaling fit_scaling(const Dataset& dataset) {
    FeatureScaling scaling;
    scaling.features = dataset.features.columns;
    if (dataset.features.columns == 0) return scaling;
    const FeatureKinds kinds = decide_kinds(dataset);
    scaling = unfitted_scaling(dataset, kinds);
    if (kinds.scale == Scale::standard || kinds.scale == Scale::unit)
        ScalingFit(dataset, kinds).fit_columns(scaling);
    return scaling;
}

CsrMatrix<float> scaled(CsrMatrix<float> features, const FeatureScaling& scaling) {
    if (!scaling.columns.empty()) return ColumnwiseScaling(features, scaling).matrix();
    for (float& value : features.values) {
        if (std::isnan(value)) value = 0;
    }
    return scaling.scale == Scale::rows ? row_normalized(std::move(features)) : features;
}

FeatureScaling scaling_of(const Dataset& dataset) {
    return dataset.fitted_scaling ? *dataset.fitted_scaling : fit_scaling(dataset);
}

FeatureFacts facts_of(const CsrMatrix<float>& features) {
    FeatureFacts facts;
    for (Index row = 0; row < features.rows; ++row) {
        double square = 0;
        for (const double value : features.row(row).values) {
            square += value * value;
            facts.non_negative = facts.non_negative && value >= 0;
        }
        facts.largest_norm = std::max(facts.largest_norm, std::sqrt(square));
    }
    return facts;
}

namespace {

void mark_logarithms(const FeatureScaling& scaling, Dataset& dataset) {
    if (scaling.columns.empty()) return;
    for (TableColumn& column : dataset.columns) {
        if (column.role == ColumnRole::feature && column.kind == ColumnKind::number)
            column.logarithms = scaling.columns[column.first_feature].unit > 0;
    }
}

}  // namespace

FeatureScaling scale_features(Dataset& dataset) {
    FeatureScaling scaling = scaling_of(dataset);
    mark_logarithms(scaling, dataset);
    dataset.features = scaled(std::move(dataset.features), scaling);
    dataset.feature_kinds = {};
    if (dataset.feature_names.empty()) return scaling;
    for (std::size_t c = 0; c < scaling.columns.size(); ++c) {
        if (scaling.columns[c].marker >= 0)
            dataset.feature_names.push_back(dataset.feature_names[c] + " is missing");
    }
    return scaling;
}

}  // namespace hwgcn
