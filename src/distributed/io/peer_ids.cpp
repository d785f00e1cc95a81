#include "distributed/io/peer_ids.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/text_file.hpp"
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

void PeerIds::add(const CsvTable& record, std::string_view id) {
    const int keeper = keeper_of(id, peers_->size());
    (sent_[keeper] += id) += end_of_text;
    sent_places_[keeper].push_back({records_++, record.line()});
    if (ids_ == Ids::once) (own_ += id) += end_of_text;
}

void PeerIds::end_piece() {
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

// Of all processes.
std::optional<PeerIds::Twice> PeerIds::first_twice() {
    const std::optional<Twice> own = first_kept_twice();
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

std::int64_t PeerIds::finish(const CsvTable& head) {
    const std::vector<std::int64_t> firsts = firsts_of(records_);
    numbers_.reserve(first_places_.size());
    for (const Kept& kept : first_places_)
        numbers_.push_back(
            static_cast<Index>(firsts[static_cast<std::size_t>(kept.process)] + kept.place.record));
    if (const std::optional<Twice> twice = first_twice()) {
        fail_at_line(head.name(), twice->line,
                     fmt::format("id '{}' is given twice, first on line {}{}", excerpt(twice->id),
                                 twice->first_line, hint_at_another_file(head.fields().size())));
    }
    first_places_ = {};
    return nodes_;
}

OwnIds PeerIds::take_own() {
    return {std::exchange(own_, {}), first_, static_cast<Index>(records_)};
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

bool PeerIds::has(std::string_view id) {
    const std::optional<Index> kept = kept_.find(id);
    return any(*peers_, kept.has_value());
}

bool PeerIds::has_near_one(std::string_view word) {
    return any(*peers_, !nearest_id(word, kept_).empty());
}

// Successive records often have the same id, about which one question will do.
void PeerIds::ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint&) {
    file_ = record.name();
    for (const std::size_t field : fields) {
        const std::string_view id = record.fields()[field];
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
        lines_.push_back(record.line());
    }
}

std::vector<Index> PeerIds::answers() {
    std::vector<std::vector<Index>> replies;
    for (const std::string& heard : exchange_texts(*peers_, asked_)) {
        std::vector<Index>& reply = replies.emplace_back();
        for_each_text(heard, [&](std::string_view id) {
            const std::optional<Index> kept = kept_.find(id);
            reply.push_back(kept ? numbers_[*kept] : unknown);
        });
    }
    replies = exchange_values(*peers_, replies);
    std::vector<Index> result;
    result.reserve(questions_.size());
    for (const Question& question : questions_)
        result.push_back(replies[question.keeper][question.place]);
    do_together(*peers_, [&] { expect_known(result); });
    for (std::size_t process = 0; process < asked_.size(); ++process) {
        asked_[process].clear();
        asked_count_[process] = 0;
        last_asked_[process] = 0;
    }
    questions_.clear();
    lines_.clear();
    return result;
}

void PeerIds::expect_known(const std::vector<Index>& answers) const {
    const auto bad = std::ranges::find(answers, unknown);
    if (bad == answers.end()) return;
    const std::size_t place = static_cast<std::size_t>(bad - answers.begin());
    const Question& question = questions_[place];
    std::uint32_t next = 0;
    for_each_text(asked_[question.keeper], [&](std::string_view id) {
        if (next++ != question.place) return;
        fail_at_line(file_, lines_[place],
                     fmt::format("node id '{}' is not among the {} ids of the nodes", excerpt(id), nodes_));
    });
}

}  // namespace hwgcn
