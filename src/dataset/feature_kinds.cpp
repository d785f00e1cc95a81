#include "dataset/feature_kinds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/safe_text.hpp"

namespace hwgcn {
namespace {

constexpr double mostly_zero = 0.5;  // words: at most this share of the numbers is not zero

std::string name_of_column(const Dataset& dataset, std::size_t column) {
    return dataset.feature_names.empty() ? fmt::format("feature {}", column)
                                         : fmt::format("'{}'", safe_text(dataset.feature_names[column]));
}

// Decides about the columns whose kind the reader does not know.
class Decision {
  public:
    Decision(const Dataset& dataset, std::vector<ColumnStatistics> columns) : dataset_(dataset) {
        result_.columns = std::move(columns);
        result_.kinds = dataset.feature_kinds;
        result_.kinds.resize(result_.columns.size(), FeatureKind::unknown);
        result_.may_be_logarithms.assign(result_.columns.size(), 0);
        for (std::size_t c = 0; c < result_.kinds.size(); ++c) {
            if (result_.kinds[c] != FeatureKind::column) continue;
            result_.kinds[c] = FeatureKind::unknown;
            result_.may_be_logarithms[c] = static_cast<char>(dataset.scale == Scale::automatic);
        }
    }

    FeatureKinds decide() {
        if (dataset_.scale == Scale::automatic) {
            result_.reason = why_not_words();
            settle_unknown(result_.reason.empty());
            const bool numbers = count(FeatureKind::number) > 0;
            result_.scale = numbers ? Scale::standard : Scale::rows;
        } else {
            result_.scale = dataset_.scale;
            const bool by_column = dataset_.scale == Scale::standard || dataset_.scale == Scale::unit;
            for (FeatureKind& kind : result_.kinds) {
                if (kind != FeatureKind::category) kind = by_column ? FeatureKind::number : FeatureKind::word;
            }
        }
        return std::move(result_);
    }

  private:
    std::int64_t count(FeatureKind kind) const { return std::ranges::count(result_.kinds, kind); }
    bool unknown(std::size_t c) const { return result_.kinds[c] == FeatureKind::unknown; }

    // Why the unknown columns are not words, all of them; "" where they are.
    std::string why_not_words() const {
        double filled = 0;
        double known = 0;
        bool binary = true;
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            if (!unknown(c)) continue;
            const ColumnStatistics& column = result_.columns[c];
            if (column.least < 0) return fmt::format("{} has negative values", name_of_column(dataset_, c));
            if (column.missing > 0) return fmt::format("{} has missing values", name_of_column(dataset_, c));
            filled += static_cast<double>(column.non_zeros);
            known += static_cast<double>(column.known);
            binary = binary && column.binary;
        }
        if (binary) return "";
        if (filled > mostly_zero * known) return "values are not mostly zero, as those of words are";
        return column_that_drowns_others();
    }

    // A row is divided by its sum: a column of large numbers in every row would drown the others.
    std::string column_that_drowns_others() const {
        constexpr float very_different = 100, no_frequency = 10;
        std::vector<float> largest;
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            if (unknown(c) && result_.columns[c].largest > 0) largest.push_back(result_.columns[c].largest);
        }
        if (largest.empty()) return "";
        const auto middle = largest.begin() + static_cast<std::ptrdiff_t>(largest.size() / 2);
        std::nth_element(largest.begin(), middle, largest.end());
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            const ColumnStatistics& column = result_.columns[c];
            if (unknown(c) && column.filled() > mostly_zero && column.largest > no_frequency &&
                column.largest > very_different * *middle) {
                return fmt::format("{} reaches {}, where others reach {}", name_of_column(dataset_, c),
                                   column.largest, *middle);
            }
        }
        return "";
    }

    void settle_unknown(bool all_words) {
        constexpr std::int64_t many = 20;
        const auto like_word = [&](std::size_t c) {
            const ColumnStatistics& column = result_.columns[c];
            return column.least >= 0 && column.missing == 0 && column.filled() <= mostly_zero;
        };
        std::int64_t words = 0;
        for (std::size_t c = 0; c < result_.columns.size(); ++c)
            words += unknown(c) && like_word(c);
        for (std::size_t c = 0; c < result_.columns.size(); ++c) {
            if (!unknown(c)) continue;
            const bool word = all_words || (words >= many && like_word(c));
            result_.kinds[c] = word                        ? FeatureKind::word
                               : result_.columns[c].binary ? FeatureKind::category
                                                           : FeatureKind::number;
        }
    }

    const Dataset& dataset_;
    FeatureKinds result_;
};

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::int64_t columns_with_gaps(const FeatureKinds& kinds) {
    return std::ranges::count_if(kinds.columns,
                                 [](const ColumnStatistics& column) { return column.missing > 0; });
}

}  // namespace

FeatureKinds decide_kinds(const Dataset& dataset) {
    return Decision(dataset, column_statistics(dataset.features)).decide();
}

FeatureKinds decide_kinds(const Dataset& dataset, std::vector<ColumnStatistics> columns) {
    return Decision(dataset, std::move(columns)).decide();
}

std::string describe(const FeatureKinds& kinds, std::int64_t logarithms) {
    const auto features = static_cast<std::int64_t>(kinds.kinds.size());
    if (kinds.scale == Scale::none) return counted(features, "feature as it is", "features as they are");
    if (kinds.scale == Scale::rows)
        return counted(features, "feature", "features") + ", each row divided by its sum";
    std::vector<std::string> parts;
    const auto add = [&](FeatureKind kind, std::string_view one, std::string_view many,
                         std::string_view how) {
        const std::int64_t count = std::ranges::count(kinds.kinds, kind);
        if (count > 0) parts.push_back(counted(count, one, many) + " " + std::string(how));
    };
    add(FeatureKind::number, "number", "numbers",
        (kinds.scale == Scale::unit ? "scaled to 0..1" : "standardised") +
            (logarithms == 0
                 ? std::string()
                 : fmt::format(" ({} as {})", logarithms, logarithms == 1 ? "logarithm" : "logarithms")));
    add(FeatureKind::word, "word", "words", "divided by the sum of their row");
    add(FeatureKind::category, "category", "categories", "0 or 1");
    const std::int64_t gaps = columns_with_gaps(kinds);
    if (gaps > 0) parts.push_back(counted(gaps, "mark", "marks") + " of missing values");
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string explain(const FeatureKinds& kinds, const std::vector<std::string>& logarithms) {
    constexpr std::size_t most_named = 8;
    if (kinds.scale == Scale::rows) return "";
    const std::string reason = kinds.reason.empty() ? "" : fmt::format(", because {}", kinds.reason);
    std::string text = fmt::format("features: {}{}; `scale` decides otherwise",
                                   describe(kinds, std::ssize(logarithms)), reason);
    if (logarithms.empty()) return text;
    const std::size_t named = std::min(most_named, logarithms.size());
    return text +
           fmt::format(
               "; {}{} {} over three powers of ten or more, and logarithms stand for {} numbers "
               "(`scale=standard`: the numbers)",
               fmt::join(logarithms.begin(), logarithms.begin() + static_cast<std::ptrdiff_t>(named), ", "),
               named < logarithms.size() ? fmt::format(" and {} more", logarithms.size() - named) : "",
               logarithms.size() == 1 ? "goes" : "go", logarithms.size() == 1 ? "its" : "their");
}

std::string note_on_gaps(const FeatureKinds& kinds) {
    const std::int64_t gaps = columns_with_gaps(kinds);
    if (gaps == 0 || kinds.scale == Scale::standard || kinds.scale == Scale::unit) return "";
    return fmt::format(
        "features: missing values of {} count as 0; `scale=standard` puts the median in their place",
        counted(gaps, "column", "columns"));
}

}  // namespace hwgcn
