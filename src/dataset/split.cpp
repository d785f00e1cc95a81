#include "hwgcn/dataset/split.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/dataset.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/random_stream.hpp"

namespace hwgcn {
namespace {

struct SplitPart {
    std::string_view name;
    const std::vector<Index>& nodes;
};

std::array<SplitPart, 3> parts_of(const Split& split) {
    return {{{"train", split.train}, {"validation", split.validation}, {"test", split.test}}};
}

// Moves `count` elements, chosen at random, from the end of `nodes` to a list of their own, which ascends.
std::vector<Index> take_random(std::vector<Index>& nodes, int count, RandomStream& random) {
    std::vector<Index> taken;
    for (; count > 0; --count) {
        std::swap(nodes[random.below(nodes.size())], nodes.back());
        taken.push_back(nodes.back());
        nodes.pop_back();
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

void validate_options(const RandomSplitOptions& options) {
    const auto require_at_least = [](std::string_view option, int value, int lowest) {
        if (value < lowest)
            throw InputError(
                fmt::format("random split: {} is {}, expected at least {}", option, value, lowest));
    };
    require_at_least("per_class", options.per_class, 1);
    require_at_least("validation", options.validation, 0);
    require_at_least("test", options.test, 0);
}

std::string specification_of(const RandomSplitOptions& options) {
    const RandomSplitOptions defaults;
    const bool usual = options.validation == defaults.validation && options.test == defaults.test;
    const std::string counts = usual ? "" : fmt::format(":{}:{}", options.validation, options.test);
    return fmt::format("random:{}{}", options.per_class, counts);
}

std::string name_of(const RandomSplitOptions& options) {
    return fmt::format("{}:seed={}", specification_of(options), options.seed);
}

std::vector<std::vector<Index>> labelled_by_class(const Dataset& dataset) {
    std::vector<std::vector<Index>> members(dataset.class_names.size());
    for (Index node = 0; node < dataset.nodes; ++node) {
        if (dataset.labels[node] != unlabelled) members[dataset.labels[node]].push_back(node);
    }
    return members;
}

std::vector<std::string_view> fields_of(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    for (std::size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
        fields.push_back(text.substr(0, end));
    fields.push_back(text);
    return fields;
}

// The numbers behind the word in "random:20:300:1000"; nothing where something else is there.
std::optional<std::vector<int>> parse_numbers(std::string_view specification) {
    std::vector<int> numbers;
    const std::vector<std::string_view> fields = fields_of(specification, ':');
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const char* const end = fields[i].data() + fields[i].size();
        int number = 0;
        const auto [rest, error] = std::from_chars(fields[i].data(), end, number);
        if (error != std::errc() || rest != end) return std::nullopt;
        numbers.push_back(number);
    }
    return numbers;
}

// The options that "random:20" or "random:20:300:1000" stands for; nothing where it has another form.
std::optional<RandomSplitOptions> parse_random(std::string_view specification) {
    const std::optional<std::vector<int>> numbers = parse_numbers(specification);
    if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) return std::nullopt;
    RandomSplitOptions options;
    options.per_class = (*numbers)[0];
    if (numbers->size() == 3) {
        options.validation = (*numbers)[1];
        options.test = (*numbers)[2];
    }
    return options;
}

// "a, b, c and 4 more"
std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most_named = 8;
    const std::size_t unnamed = names.size() > most_named ? names.size() - most_named : 0;
    names.resize(names.size() - unnamed);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       unnamed > 0 ? fmt::format(" and {} more", unnamed) : "");
}

}  // namespace

Split random_split(const Dataset& dataset, const RandomSplitOptions& options) {
    validate_options(options);
    Split split;
    split.name = name_of(options);
    std::vector<Index> rest;
    const std::vector<std::vector<Index>> members = labelled_by_class(dataset);
    for (std::size_t label = 0; label < members.size(); ++label) {
        std::vector<Index> candidates = members[label];
        if (candidates.size() < static_cast<std::size_t>(options.per_class)) {
            throw InputError(fmt::format(
                "{}: the split {} needs {} labelled nodes of class '{}' for training, there are {}",
                dataset.name, split.name, options.per_class, dataset.class_names[label], candidates.size()));
        }
        RandomStream random(options.seed, stream_for(StreamPurpose::split, label));
        const std::vector<Index> taken = take_random(candidates, options.per_class, random);
        split.train.insert(split.train.end(), taken.begin(), taken.end());
        rest.insert(rest.end(), candidates.begin(), candidates.end());
    }
    const std::int64_t wanted = std::int64_t{options.validation} + options.test;
    if (static_cast<std::int64_t>(rest.size()) < wanted) {
        throw InputError(
            fmt::format("{}: the split {} needs {} validation and {} test nodes, but of the {} labelled "
                        "nodes {} are left "
                        "after the {} for training; random:{}:{}:{} or shares:60:20 would fit",
                        dataset.name, split.name, options.validation, options.test,
                        rest.size() + split.train.size(), rest.size(), split.train.size(), options.per_class,
                        rest.size() / 3, rest.size() - rest.size() / 3));
    }
    std::sort(split.train.begin(), split.train.end());
    RandomStream random(options.seed, stream_for(StreamPurpose::split, members.size()));
    split.validation = take_random(rest, options.validation, random);
    split.test = take_random(rest, options.test, random);
    return split;
}

Split published_split(const Dataset& dataset) {
    if (!dataset.published_split) {
        throw InputError(fmt::format(
            "{}: no split is published with this dataset, expected a random split or a split file",
            dataset.name));
    }
    return *dataset.published_split;
}

Split shares_split(const Dataset& dataset, int train_percent, int validation_percent, std::uint64_t seed) {
    if (train_percent < 1 || validation_percent < 1 || train_percent + validation_percent > 99) {
        throw InputError(
            fmt::format("split 'shares:{}:{}': expected two positive percentages that leave some "
                        "for testing, such as shares:60:20",
                        train_percent, validation_percent));
    }
    Split split;
    split.name = fmt::format("shares:{}:{}:seed={}", train_percent, validation_percent, seed);
    const std::vector<std::vector<Index>> members = labelled_by_class(dataset);
    for (std::size_t label = 0; label < members.size(); ++label) {
        std::vector<Index> rest = members[label];
        const auto size = static_cast<std::int64_t>(rest.size());
        RandomStream random(seed, stream_for(StreamPurpose::split, label));
        const auto train = static_cast<int>((size * train_percent + 99) / 100);  // rounded up: at least one
        const auto validation =
            static_cast<int>(std::min(size - train, (size * validation_percent + 50) / 100));
        const std::vector<Index> to_train = take_random(rest, train, random);
        const std::vector<Index> to_validate = take_random(rest, validation, random);
        split.train.insert(split.train.end(), to_train.begin(), to_train.end());
        split.validation.insert(split.validation.end(), to_validate.begin(), to_validate.end());
        split.test.insert(split.test.end(), rest.begin(), rest.end());
    }
    for (std::vector<Index>* part : {&split.train, &split.validation, &split.test})
        std::sort(part->begin(), part->end());
    return split;
}

Split all_training_split(const Dataset& dataset) {
    Split split;
    split.name = "all";
    for (Index node = 0; node < dataset.nodes; ++node) {
        if (dataset.labels[node] != unlabelled) split.train.push_back(node);
    }
    return split;
}

Split make_split(const Dataset& dataset, const std::string& specification, std::uint64_t seed) {
    if (specification == "planetoid" || specification == "published") return published_split(dataset);
    if (specification == "all") return all_training_split(dataset);
    if (specification.starts_with("shares:")) {
        const std::optional<std::vector<int>> shares = parse_numbers(specification);
        if (!shares || shares->size() != 2) {
            throw InputError(
                fmt::format("split '{}': expected shares:TRAIN:VALIDATION in percent, such as "
                            "shares:60:20",
                            specification));
        }
        return shares_split(dataset, (*shares)[0], (*shares)[1], seed);
    }
    if (specification == "random" || specification.starts_with("random:")) {
        std::optional<RandomSplitOptions> options = parse_random(specification);
        if (!options) {
            throw InputError(
                fmt::format("split '{}': expected random:PER_CLASS or random:PER_CLASS:VALIDATION:TEST, such "
                            "as random:20",
                            specification));
        }
        options->seed = seed;
        return random_split(dataset, *options);
    }
    std::error_code ignored;
    if (!std::filesystem::exists(specification, ignored)) {
        static const std::array<std::string, 5> known = {"planetoid", "published", "random:20",
                                                         "shares:60:20", "all"};
        const std::string nearest = nearest_name(specification, known);
        throw InputError(
            fmt::format("split '{}': no such file; expected planetoid, random:PER_CLASS, "
                        "shares:TRAIN:VALIDATION, all or a file{}",
                        specification, nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest)));
    }
    return read_split(specification, dataset);
}

std::string default_split(const Dataset& dataset) {
    if (dataset.published_split) return "published";
    const std::vector<std::vector<Index>> members = labelled_by_class(dataset);
    if (members.empty())
        fail_in_file(dataset.name,
                     "the dataset has no labels to make a split of; in a node table, `label` "
                     "names their column");
    int labelled = 0;
    int smallest = std::numeric_limits<int>::max();
    for (const std::vector<Index>& nodes : members) {
        labelled += static_cast<int>(nodes.size());
        smallest = std::min(smallest, static_cast<int>(nodes.size()));
    }
    RandomSplitOptions options;
    options.per_class = std::clamp(smallest / 2, 1, options.per_class);
    const int rest = std::max(0, labelled - options.per_class * static_cast<int>(members.size()));
    options.validation = std::min(options.validation, rest / 3);
    options.test = std::min(options.test, rest - options.validation);
    return specification_of(options);
}

bool has_few_labels(const Dataset& dataset) {
    constexpr int plenty_per_class = 50;
    const auto labelled = dataset.nodes - std::ranges::count(dataset.labels, unlabelled);
    return labelled < plenty_per_class * std::int64_t{dataset.classes()};
}

std::vector<std::string> scarce_labels(const Dataset& dataset, const Split& split) {
    std::vector<int> counts(dataset.class_names.size(), 0);
    for (const Index node : split.train)
        ++counts[dataset.labels[node]];
    std::vector<std::string> none, few;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (counts[c] == 0) none.push_back(fmt::format("'{}'", dataset.class_names[c]));
        if (counts[c] == 1 || counts[c] == 2)
            few.push_back(fmt::format("'{}' ({})", dataset.class_names[c], counts[c]));
    }
    std::vector<std::string> sentences;
    if (counts.size() == 1)
        sentences.push_back(
            fmt::format("all labels are '{}': there is nothing to tell apart", dataset.class_names.front()));
    if (!none.empty())
        sentences.push_back(
            fmt::format("no training node has the class {}: nothing can learn it", some_of(none)));
    if (!few.empty())
        sentences.push_back(
            fmt::format("few training nodes have the class {}: expect mistakes there", some_of(few)));
    return sentences;
}

std::string split_hash(const Split& split, const Dataset& dataset) {
    Sha256 hash;
    for (const SplitPart& part : parts_of(split)) {
        std::vector<std::string> ids;
        for (const Index node : part.nodes)
            ids.push_back(node_id(dataset, node));
        std::sort(ids.begin(), ids.end());
        hash.value(static_cast<std::uint64_t>(ids.size()));
        for (const std::string& id : ids)
            hash.text(id);
    }
    return hash.hex();
}

void validate_split(const Split& split, const Dataset& dataset) {
    const auto fail = [&](const std::string& message) { fail_in_file(split.name, message); };
    std::vector<std::string_view> part_with(static_cast<std::size_t>(dataset.nodes));
    for (const SplitPart& part : parts_of(split)) {
        for (const Index node : part.nodes) {
            if (node < 0 || node >= dataset.nodes)
                fail(fmt::format("{}: node number {} is outside 0..{}", part.name, node, dataset.nodes - 1));
            if (part_with[node] == part.name)
                fail(fmt::format("{}: node '{}' is listed twice", part.name, node_id(dataset, node)));
            if (!part_with[node].empty())
                fail(fmt::format("node '{}' is listed in both {} and {}", node_id(dataset, node),
                                 part_with[node], part.name));
            if (dataset.labels[node] == unlabelled)
                fail(fmt::format("{}: node '{}' has no label", part.name, node_id(dataset, node)));
            part_with[node] = part.name;
        }
    }
}

}  // namespace hwgcn
