#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "base/text_file.hpp"
#include "io/numpy/npy_format.hpp"
#include "io/shards/shard_list.hpp"

namespace hwgcn {

/// The names of the files that hold some rows of a matrix; `values` is empty where all of them are 1.
struct RowFiles {
    std::string_view offsets;
    std::string_view columns;
    std::string_view values;
};
inline constexpr RowFiles feature_files{shard_file::feature_offsets, shard_file::feature_columns,
                                        shard_file::feature_values};
inline RowFiles neighbor_files(bool weighted) {
    return {shard_file::neighbor_offsets, shard_file::neighbors,
            weighted ? shard_file::neighbor_weights : ""};
}
inline RowFiles arc_files(bool weighted) {
    return {shard_file::arc_offsets, shard_file::arcs, weighted ? shard_file::arc_weights : ""};
}

/// The files of one part, each compared with its hash.
class PartReader {
  public:
    PartReader(const ShardList& list, Index part);

    std::size_t nodes() const { return static_cast<std::size_t>(end_ - first_); }
    std::string where(std::string_view file) const { return (folder_ / file).string(); }

    /// The hash that a file should have.
    std::string hash_of(std::string_view file) const;

    [[noreturn]] void fail_damaged(std::string_view file) const;

    std::string content(std::string_view file) const;

    /// All elements of an array with one axis.
    template <typename T>
    std::vector<T> array(std::string_view file) const {
        std::string bytes = content(file);
        NpyHeader header = parse_npy_header(bytes, where(file));
        header.array.bytes = bytes.substr(header.size);
        expect_axes(header.array, 1, where(file));
        return to_vector<T>(header.array, where(file));
    }

    /// An array with an element per node.
    template <typename T>
    std::vector<T> list(std::string_view file) const {
        std::vector<T> values = array<T>(file);
        if (values.size() != nodes()) fail_size(file, values.size());
        return values;
    }

    /// A text with a line per node.
    std::vector<std::string> lines(std::string_view file) const;

    /// Adds the rows of this part.
    void append_rows(CsrMatrix<float>& matrix, const RowFiles& files) const;

  private:
    [[noreturn]] void fail_size(std::string_view file, std::size_t found) const;

    const ShardList::Json& hashes_;
    std::filesystem::path folder_;
    Index first_ = 0;
    Index end_ = 0;
};

/// Adds rows at the end.
void append_rows(CsrMatrix<float>& matrix, const CsrMatrix<float>& rows);

/// Takes the place of every node in the split that comes with the data: 0: nowhere, 1: train, 2: validation,
/// 3: test.
void take_split(Dataset& dataset, const std::vector<std::int32_t>& places, const std::string& name);

}  // namespace hwgcn
