#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/csv/reading_hints.hpp"

namespace hwgcn {

/// The id of a node in a record of edges. Throws InputError where it is empty.
std::string_view id_in(const CsvTable& record, std::size_t column);

/// Finds the nodes that the records of a file speak of. Where several readers have parts of the nodes, all of
/// them make the same calls in the same order.
class NodeSearch {
  public:
    /// What else a person may have meant by a record with an unknown id, or "".
    using Hint = std::function<std::string(const CsvTable& record, const NameIndex& ids)>;

    NodeSearch() = default;
    NodeSearch(const NodeSearch&) = delete;
    NodeSearch& operator=(const NodeSearch&) = delete;
    virtual ~NodeSearch() = default;

    /// Whether the ids are known beforehand, so that other words are none.
    virtual bool has_table() const = 0;
    virtual bool has(std::string_view id) = 0;

    /// Whether a word may be an id misspelt.
    virtual bool has_near_one(std::string_view word) = 0;

    /// Questions for the ids in some fields of a record.
    virtual void ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint& hint) = 0;

    /// The nodes of all that was asked for, in the same order. It, or `ask`, throws InputError for an id that
    /// no node has.
    virtual std::vector<Index> answers() = 0;
};

/// Among nodes that are all known to one reader.
class KnownSearch final : public NodeSearch {
  public:
    explicit KnownSearch(const KnownNodes& nodes) : nodes_(nodes) {}

    bool has_table() const override { return nodes_.ids.size() > 0; }
    bool has(std::string_view id) override { return nodes_.ids.find(id).has_value(); }
    bool has_near_one(std::string_view word) override { return !nearest_id(word, nodes_.ids).empty(); }
    void ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint& hint) override;
    std::vector<Index> answers() override { return std::exchange(found_, {}); }

  private:
    const KnownNodes& nodes_;
    std::vector<Index> found_;
};

/// Without a node table: an id that is new is a further node.
class GrowingSearch final : public NodeSearch {
  public:
    explicit GrowingSearch(NameIndex& ids) : ids_(ids) {}

    bool has_table() const override { return false; }
    bool has(std::string_view) override { return false; }
    bool has_near_one(std::string_view) override { return false; }
    void ask(const CsvTable& record, std::span<const std::size_t> fields, const Hint& hint) override;
    std::vector<Index> answers() override { return std::exchange(found_, {}); }

  private:
    NameIndex& ids_;
    std::vector<Index> found_;
};

}  // namespace hwgcn
