#include "dataset/target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "dataset/table_column.hpp"

namespace hwgcn {
namespace {

std::int64_t labelled_nodes(const Dataset& dataset) {
    return dataset.nodes - std::ranges::count(dataset.labels, unlabelled);
}

// Class numbers lie close to each other (0..69), incomes and prices do not. `width` is what n numbers may
// reach over, in multiples of n.
bool are_close_integers(const std::vector<double>& numbers, double width) {
    if (std::ranges::any_of(numbers, [](double number) { return number != std::trunc(number); }))
        return false;
    const auto [least, largest] = std::ranges::minmax(numbers);
    return largest - least < width * static_cast<double>(numbers.size());
}

// Many different values, most of them numbers with gaps between them, and a value has but a few nodes. Where
// it has hardly more than one, there may be class numbers that no label has, and more gaps prove nothing.
bool look_measured(const Dataset& dataset) {
    constexpr std::int64_t many = 20, few_nodes = 20, hardly_repeated = 2;
    const std::int64_t classes = dataset.classes();
    const std::int64_t labelled = labelled_nodes(dataset);
    if (classes <= many || labelled >= few_nodes * classes) return false;
    std::vector<double> numbers;
    for (const std::string& name : dataset.class_names) {
        const std::optional<double> number = parse_number<double>(name);
        if (number && std::isfinite(*number)) numbers.push_back(*number);
    }
    return 10 * std::ssize(numbers) >= 9 * classes &&
           !are_close_integers(numbers, labelled < hardly_repeated * classes ? 2.0 : 1.5);
}

std::string memory_text(double megabytes) {
    return megabytes < 1000 ? fmt::format("{:.0f} MB", megabytes)
                            : fmt::format("{:.0f} GB", megabytes / 1024);
}

}  // namespace

const std::vector<Parameter<TargetLimits>>& target_parameters() {
    static const std::vector<Parameter<TargetLimits>> table = {
        number_parameter("max_classes", &TargetLimits::max_classes,
                         Range<int>{0, std::numeric_limits<int>::max()}, "N",
                         fmt::format("most classes to train on; 0: {}, and no labels that look measured",
                                     usual_most_classes)),
    };
    return table;
}

std::string objection_to_target(const Dataset& dataset, const TargetLimits& limits) {
    const Index classes = dataset.classes();
    if (limits.max_classes == 0 && look_measured(dataset)) {
        return fmt::format(
            "the labels look like measured numbers, not like classes: {} different ones for {} nodes, such "
            "as "
            "'{}' and '{}'; {}, or name another column with `label` (`max_classes={}` trains on them "
            "nevertheless)",
            classes, labelled_nodes(dataset), excerpt(dataset.class_names.front()),
            excerpt(dataset.class_names.back()),
            node_table_columns(dataset).empty()
                ? "put them into a few ranges"
                : "`bins=5` puts them into five ranges of about as many nodes each",
            classes);
    }
    const int most = limits.max_classes == 0 ? usual_most_classes : limits.max_classes;
    if (classes <= most) return "";
    return fmt::format(
        "{} classes are more than {}: are the labels numbers or names rather than classes? `label` names "
        "another column; `max_classes={}` trains on them, with about {} for {} nodes",
        classes, most, classes, memory_text(target_megabytes(dataset.nodes, classes)), dataset.nodes);
}

void check_target(const Dataset& dataset, const TargetLimits& limits) {
    if (const std::string objection = objection_to_target(dataset, limits); !objection.empty())
        fail_in_file(dataset.name, objection);
}

// Label propagation solves for all classes at once: right side, solution and four vectors of conjugate
// gradients in double precision. There are also the probabilities of eight candidates and of the model, and
// a confusion matrix for each candidate and for training, validation and test nodes.
double target_megabytes(Index nodes, Index classes) {
    constexpr double bytes_per_node_and_class = 6 * 8 + 12 * 4;
    constexpr double bytes_per_pair = 12 * 4;
    constexpr double megabyte = 1024.0 * 1024.0;
    return classes * (bytes_per_node_and_class * nodes + bytes_per_pair * classes) / megabyte;
}

}  // namespace hwgcn
