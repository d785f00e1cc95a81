#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "io/name_index.hpp"

namespace hwgcn {

/// A table that was read in pieces, one by each of several readers. What columns look like is put together
/// with it: all readers make the same calls in the same order, and find what one finds in the whole table.
class TablePieces {
  public:
    TablePieces() = default;
    TablePieces(const TablePieces&) = delete;
    TablePieces& operator=(const TablePieces&) = delete;
    virtual ~TablePieces() = default;

    virtual int count() const = 0;
    virtual std::int64_t total(std::int64_t own) = 0;

    /// What all say, in the order of the pieces.
    virtual std::vector<std::string> texts(const std::string& own) = 0;

    /// Names are then those of all pieces, without line breaks, in the order of the table. Gives the new
    /// number of each of the old ones.
    virtual std::vector<Index> join_names(NameIndex& names) = 0;

    /// How many different ones there are in all pieces.
    virtual std::int64_t count_different(const NameIndex& names) = 0;
    virtual std::int64_t count_different(const std::vector<std::int64_t>& numbers) = 0;

    /// The first text that is not empty.
    std::string first_text(const std::string& own) {
        for (const std::string& text : texts(own)) {
            if (!text.empty()) return text;
        }
        return "";
    }

    /// Plain values of all pieces, in their order.
    template <typename T>
    std::vector<std::vector<T>> values(const std::vector<T>& own) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<std::vector<T>> all;
        for (const std::string& bytes :
             texts({reinterpret_cast<const char*>(own.data()), own.size() * sizeof(T)})) {
            std::vector<T>& values = all.emplace_back(bytes.size() / sizeof(T));
            if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        }
        return all;
    }
};

}  // namespace hwgcn
