#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "distributed/peers/peers.hpp"
#include "io/csv/node_search.hpp"
#include "io/csv/node_table.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// The ids that a process has read, in the order of the file, and the number of the first of them: those of
/// successive processes follow each other.
struct OwnIds {
    std::string texts;  ///< ended as `for_each_text` has them
    Index first = 0;
    Index count = 0;
};

/// Nodes by their ids, each kept by the process that `keeper_of` names. All processes call all of this but
/// `add` and `ask` together, and in rounds, so that a message is a piece of a file.
class PeerIds final : public NodeNumbers, public NodeSearch {
  public:
    enum class Ids { once, may_repeat };  ///< whether each may be added only once
    PeerIds(Peers& peers, Ids ids);

    /// For the next record of the process.
    void add(const CsvTable& record, std::string_view id) override;
    void end_piece() override;

    /// Numbers nodes by the place of their records in a node table: every record is a node.
    std::int64_t finish(const CsvTable& head) override;

    /// Those of the own records, until they are taken. Then nodes are numbered by them.
    OwnIds take_own();

    /// Numbers nodes by the place where an id comes first. Gives those that come first in the own piece.
    OwnIds number_first_appearances();

    std::int64_t size() const { return nodes_; }

    bool has_table() const override { return ids_ == Ids::once; }
    bool has(std::string_view id) override;
    bool has_near_one(std::string_view word) override;
    void ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint& hint) override;
    std::vector<Index> answers() override;

  private:
    static constexpr Index unknown = -1;

    // Where an id was read: the record of a process, and its line.
    struct Place {
        std::int64_t record;
        std::int64_t line;
    };
    struct Twice {
        std::string id;
        std::int64_t line = 0;
        std::int64_t first_line = 0;
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
    std::optional<Twice> first_twice();
    std::vector<std::int64_t> firsts_of(std::int64_t own);
    std::optional<Twice> first_kept_twice() const;
    void expect_known(const std::vector<Index>& answers) const;

    Peers* peers_;
    Ids ids_;
    std::int64_t records_ = 0;  // own ones
    std::string own_;           // their ids, where each is a node
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
    std::vector<std::int64_t> lines_;  // of the records of questions
    std::string file_;                 // that they are about
};

}  // namespace hwgcn
