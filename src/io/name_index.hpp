#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hwgcn/base/error.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Names, numbered from 0 in the order of their first appearance.
class NameIndex {
  public:
    NameIndex() = default;
    NameIndex(NameIndex&&) = default;
    NameIndex& operator=(NameIndex&&) = default;
    NameIndex(const NameIndex&) = delete;
    NameIndex& operator=(const NameIndex&) = delete;
    ~NameIndex() = default;

    Index size() const { return static_cast<Index>(names_.size()); }

    std::optional<Index> find(std::string_view name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

    /// The number of `name`, and whether the name is new.
    std::pair<Index, bool> add(std::string_view name) {
        if (const std::optional<Index> number = find(name)) return {*number, false};
        if (size() == std::numeric_limits<Index>::max())
            throw InputError("more than 2147483647 different names");
        const Index number = size();
        numbers_.emplace(names_.emplace_back(name), number);
        return {number, true};
    }

    std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

  private:
    std::deque<std::string> names_;  // a deque never moves its elements, so the keys below stay valid
    std::unordered_map<std::string_view, Index> numbers_;
};

}  // namespace hwgcn
