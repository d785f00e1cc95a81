#include "distributed/io/peer_ids.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hwgcn/base/error.hpp"

#include "distributed/io/peer_texts.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {

PeerIds::PeerIds(Peers& peers, Ids ids)
    : peers_(&peers),
      ids_(ids),
      sent_(static_cast<std::size_t>(peers.size())),
      sent_places_(sent_.size()),
      asked_(sent_.size()),
      asked_count_(sent_.size(), 0),
      last_asked_(sent_.size(), 0) {}

void PeerIds::add(std::string_view id, std::int64_t line) {
    const int keeper = keeper_of(id, peers_->size());
    (sent_[keeper] += id) += end_of_text;
    sent_places_[keeper].push_back({records_++, line});
}

void PeerIds::send() {
    const std::vector<std::string> ids = exchange_texts(*peers_, sent_);
    const std::vector<std::vector<Place>> places = exchange_values(*peers_, sent_places_);
    for (std::size_t process = 0; process < ids.size(); ++process) {
        std::size_t next = 0;
        for_each_text(ids[process], [&](std::string_view id) {
            keep(id, static_cast<int>(process), places[process][next++]);
        });
        sent_[process].clear();
        sent_places_[process].clear();
    }
}

// Pieces arrive in rounds, so that the first place in the file may come later.
void PeerIds::keep(std::string_view id, int process, const Place& place) {
    const auto [number, is_new] = kept_.add(id);
    if (is_new) {
        first_places_.push_back({process, place});
        return;
    }
    Kept& first = first_places_[number];
    Kept other{process, place};
    if (std::pair(process, place.record) < std::pair(first.process, first.place.record))
        std::swap(first, other);
    if (ids_ == Ids::may_repeat) return;
    const auto second = second_lines_.emplace(number, other.place.line).first;
    second->second = std::min(second->second, other.place.line);
}

std::optional<PeerIds::Twice> PeerIds::first_kept_twice() const {
    const auto found =
        std::ranges::min_element(second_lines_, {}, [](const auto& entry) { return entry.second; });
    if (found == second_lines_.end()) return std::nullopt;
    const auto [number, line] = *found;
    return Twice{kept_.names()[number], line, first_places_[number].place.line};
}

// The number of the first node of each process, and that of all at the end, where the own process has `own`.
std::vector<std::int64_t> PeerIds::firsts_of(std::int64_t own) {
    std::vector<std::int64_t> firsts = {0};
    for (const std::vector<std::int64_t>& count : share_values(*peers_, std::vector<std::int64_t>{own}))
        firsts.push_back(firsts.back() + count.front());
    nodes_ = firsts.back();
    if (nodes_ > std::numeric_limits<Index>::max()) throw InputError("more than 2147483647 different names");
    first_ = static_cast<Index>(firsts[static_cast<std::size_t>(peers_->rank())]);
    return firsts;
}

std::optional<PeerIds::Twice> PeerIds::number_records() {
    const std::vector<std::int64_t> firsts = firsts_of(records_);
    numbers_.reserve(first_places_.size());
    for (const Kept& kept : first_places_)
        numbers_.push_back(
            static_cast<Index>(firsts[static_cast<std::size_t>(kept.process)] + kept.place.record));
    const std::optional<Twice> own = first_kept_twice();
    first_places_ = {};
    std::optional<Twice> first;
    const std::vector<std::string> ids = share_texts(*peers_, own ? own->id : "");
    const auto lines =
        share_values(*peers_, own ? std::vector{own->line, own->first_line} : std::vector<std::int64_t>());
    for (std::size_t process = 0; process < lines.size(); ++process) {
        if (lines[process].empty() || (first && first->line < lines[process][0])) continue;
        first = Twice{ids[process], lines[process][0], lines[process][1]};
    }
    return first;
}

// Each keeper tells the process that read an id first. There, they get numbers by their places, which the
// keeper hears.
OwnIds PeerIds::number_first_appearances() {
    const auto processes = static_cast<std::size_t>(peers_->size());
    std::vector<std::string> ids(processes);
    std::vector<std::vector<std::int64_t>> records(processes);
    const std::vector<std::string> names = kept_.names();
    for (std::size_t k = 0; k < names.size(); ++k) {
        (ids[first_places_[k].process] += names[k]) += end_of_text;
        records[first_places_[k].process].push_back(first_places_[k].place.record);
    }
    const std::vector<std::string> told = exchange_texts(*peers_, ids);
    const std::vector<std::vector<std::int64_t>> told_records = exchange_values(*peers_, records);
    struct First {
        std::int64_t record;
        std::size_t keeper;
        std::size_t place;
        std::string_view id;
    };
    std::vector<First> own;
    for (std::size_t keeper = 0; keeper < processes; ++keeper) {
        std::size_t place = 0;
        for_each_text(told[keeper], [&](std::string_view id) {
            own.push_back({told_records[keeper][place], keeper, place, id});
            ++place;
        });
    }
    std::ranges::sort(own, {}, &First::record);
    firsts_of(std::ssize(own));
    OwnIds result{"", first_, static_cast<Index>(own.size())};
    std::vector<std::vector<Index>> numbers(processes);
    for (std::size_t keeper = 0; keeper < processes; ++keeper)
        numbers[keeper].resize(told_records[keeper].size());
    for (std::size_t k = 0; k < own.size(); ++k) {
        numbers[own[k].keeper][own[k].place] = first_ + static_cast<Index>(k);
        (result.texts += own[k].id) += end_of_text;
    }
    const std::vector<std::vector<Index>> heard = exchange_values(*peers_, numbers);
    std::vector<std::size_t> next(processes, 0);
    for (const Kept& kept : first_places_)
        numbers_.push_back(heard[kept.process][next[kept.process]++]);
    first_places_ = {};
    return result;
}

// Successive records often have the same id, about which one question will do.
void PeerIds::ask(std::string_view id) {
    const int keeper = keeper_of(id, peers_->size());
    std::string& text = asked_[keeper];
    const std::string_view last = std::string_view(text).substr(last_asked_[keeper]);
    const bool again = last.size() == id.size() + 1 && last.starts_with(id);
    if (!again) {
        last_asked_[keeper] = text.size();
        (text += id) += end_of_text;
        ++asked_count_[keeper];
    }
    questions_.push_back({keeper, asked_count_[keeper] - 1});
}

std::vector<Index> PeerIds::answers() {
    const std::vector<std::string> heard = exchange_texts(*peers_, asked_);
    std::vector<std::vector<Index>> replies(heard.size());
    for (std::size_t process = 0; process < heard.size(); ++process) {
        for_each_text(heard[process], [&](std::string_view id) {
            const std::optional<Index> kept = kept_.find(id);
            replies[process].push_back(kept ? numbers_[*kept] : unknown);
        });
        asked_[process].clear();
        asked_count_[process] = 0;
        last_asked_[process] = 0;
    }
    const std::vector<std::vector<Index>> answers = exchange_values(*peers_, replies);
    std::vector<Index> result;
    result.reserve(questions_.size());
    for (const Question& question : questions_)
        result.push_back(answers[question.keeper][question.place]);
    questions_.clear();
    return result;
}

bool PeerIds::has_near_one(std::string_view word) const {
    return any(*peers_, !nearest_id(word, kept_).empty());
}

}  // namespace hwgcn
