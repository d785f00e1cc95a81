#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hwgcn/distributed/peers.hpp"

#include "io/name_index.hpp"

namespace hwgcn {

/// The ids that a process has read, in the order of the file, and the number of the first of them: those of
/// successive processes follow each other.
struct OwnIds {
    std::string texts;  ///< ended as `for_each_text` has them
    Index first = 0;
    Index count = 0;
};

/// Nodes by their ids, each kept by the process that `keeper_of` names. All processes call all of this
/// together, and in rounds, so that a message is a piece of a file.
class PeerIds {
  public:
    enum class Ids { once, may_repeat };  ///< whether each may be added only once
    PeerIds(Peers& peers, Ids ids);

    /// For the next records of the process.
    void add(std::string_view id, std::int64_t line);
    void send();

    /// Numbers nodes by the place of their records in the file, of a node table: every record is a node.
    /// Gives the first id that was given twice, if any.
    struct Twice {
        std::string id;
        std::int64_t line = 0;
        std::int64_t first_line = 0;
    };
    std::optional<Twice> number_records();

    /// Numbers nodes by the place where an id comes first. Gives those that come first in the own piece.
    OwnIds number_first_appearances();

    std::int64_t size() const { return nodes_; }

    /// The number of the first own record, once they are numbered.
    Index first() const { return first_; }

    /// Questions, then their answers in the same order; -1 where no node has the id.
    void ask(std::string_view id);
    std::vector<Index> answers();

    /// Whether a word may be an id misspelt.
    bool has_near_one(std::string_view word) const;

  private:
    static constexpr Index unknown = -1;

    // Where an id was read: the record of a process, and its line.
    struct Place {
        std::int64_t record;
        std::int64_t line;
    };
    struct Kept {
        int process;
        Place place;
    };
    struct Question {
        int keeper;
        std::uint32_t place;
    };

    void keep(std::string_view id, int process, const Place& place);
    std::vector<std::int64_t> firsts_of(std::int64_t own);
    std::optional<Twice> first_kept_twice() const;

    Peers* peers_;
    Ids ids_;
    std::int64_t records_ = 0;  // own ones
    std::vector<std::string> sent_;
    std::vector<std::vector<Place>> sent_places_;

    NameIndex kept_;
    std::vector<Kept> first_places_;                        // of each kept id
    std::vector<Index> numbers_;                            // of each kept id
    std::unordered_map<Index, std::int64_t> second_lines_;  // of kept ids that were added twice
    std::int64_t nodes_ = 0;
    Index first_ = 0;

    std::vector<std::string> asked_;
    std::vector<std::uint32_t> asked_count_;
    std::vector<std::size_t> last_asked_;  // where the last question to each keeper begins
    std::vector<Question> questions_;
};

}  // namespace hwgcn
