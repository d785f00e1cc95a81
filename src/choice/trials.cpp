#include "choice/trials.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/random_stream.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_folds = 5;

std::vector<std::vector<Index>> classes_of_two_or_more(const Dataset& dataset,
                                                       const std::vector<Index>& nodes) {
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(dataset.classes()));
    for (const Index node : nodes)
        members[dataset.labels[node]].push_back(node);
    std::erase_if(members, [](const auto& nodes_of_class) { return nodes_of_class.size() < 2; });
    return members;
}

std::vector<Trial> deal_folds(const Dataset& dataset, const std::vector<Index>& train, std::uint64_t seed) {
    std::vector<std::vector<Index>> members = classes_of_two_or_more(dataset, train);
    if (members.empty()) return {};
    const std::size_t largest = std::ranges::max(members, {}, &std::vector<Index>::size).size();
    std::vector<Trial> folds(std::min(most_folds, largest));
    std::size_t next = 0;
    for (std::size_t c = 0; c < members.size(); ++c) {
        RandomStream(seed, stream_for(StreamPurpose::folds, c)).shuffle(std::span(members[c]));
        for (const Index node : members[c])
            folds[next++ % folds.size()].held_out.push_back(node);
    }
    for (Trial& fold : folds) {
        std::ranges::sort(fold.held_out);
        std::ranges::set_difference(train, fold.held_out, std::back_inserter(fold.split.train));
    }
    return folds;
}

}  // namespace

std::vector<Trial> plan_trials(const Dataset& dataset, const Split& split, std::uint64_t seed) {
    std::vector<Index> train = split.train;
    std::ranges::sort(train);
    std::vector<Trial> trials = {{{split.name, train, split.validation, {}}, split.validation}};
    if (split.validation.empty()) trials = deal_folds(dataset, train, seed);
    for (Trial& trial : trials)
        trial.split.name = split.name;
    return trials;
}

}  // namespace hwgcn
