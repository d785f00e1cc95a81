#include "io/shards/shard_part.hpp"

#include <array>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/files/regular_file.hpp"
#include "base/hash.hpp"

namespace hwgcn {

PartReader::PartReader(const ShardList& list, Index part)
    : hashes_(list.hashes_of(part)), folder_(list.folder() / shard_part_name(part)) {
    std::tie(first_, end_) = list.nodes_of(part);
}

std::string PartReader::hash_of(std::string_view file) const {
    const std::string key(file);
    if (!hashes_.contains(key) || !hashes_.at(key).is_string())
        fail_in_file(where(file), fmt::format("is not listed in {}", shard_file::list));
    return hashes_.at(key).get<std::string>();
}

void PartReader::fail_damaged(std::string_view file) const {
    fail_in_file(where(file), fmt::format("is damaged: its SHA-256 is not that in {}; write the shards "
                                          "again (hwgcn shard --force)",
                                          shard_file::list));
}

void PartReader::fail_size(std::string_view file, std::size_t found) const {
    fail_in_file(where(file), fmt::format("has {} elements for {} nodes", found, nodes()));
}

std::string PartReader::content(std::string_view file) const {
    const std::string expected = hash_of(file);
    std::string bytes = read_regular_file(folder_ / file);
    if (Sha256().bytes(bytes.data(), bytes.size()).hex() != expected) fail_damaged(file);
    return bytes;
}

std::vector<std::string> PartReader::lines(std::string_view file) const {
    const std::string text = content(file);
    std::vector<std::string> result;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        result.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    if (begin != text.size() || result.size() != nodes())
        fail_in_file(where(file), fmt::format("should have a line for each of {} nodes", nodes()));
    return result;
}

void PartReader::append_rows(CsrMatrix<float>& matrix, const RowFiles& files) const {
    CsrMatrix<float> own{static_cast<Index>(nodes()),
                         matrix.columns,
                         array<std::int64_t>(files.offsets),
                         array<Index>(files.columns),
                         {}};
    own.values =
        files.values.empty() ? std::vector<float>(own.indices.size(), 1.0F) : array<float>(files.values);
    validate_csr(own, where(files.columns));
    hwgcn::append_rows(matrix, own);
}

void append_rows(CsrMatrix<float>& matrix, const CsrMatrix<float>& rows) {
    const std::int64_t before = matrix.entries();
    matrix.indices.insert(matrix.indices.end(), rows.indices.begin(), rows.indices.end());
    matrix.values.insert(matrix.values.end(), rows.values.begin(), rows.values.end());
    for (std::size_t row = 1; row < rows.offsets.size(); ++row)
        matrix.offsets.push_back(before + rows.offsets[row]);
}

void take_split(Dataset& dataset, const std::vector<std::int32_t>& places, const std::string& name) {
    Split split{name, {}, {}, {}};
    const std::array<std::vector<Index>*, 3> lists = {&split.train, &split.validation, &split.test};
    for (std::size_t node = 0; node < places.size(); ++node) {
        if (places[node] < 0 || places[node] > 3)
            throw InputError(
                fmt::format("{}: {} should have numbers from 0 to 3", dataset.source, shard_file::split));
        if (places[node] > 0)
            lists[static_cast<std::size_t>(places[node]) - 1]->push_back(static_cast<Index>(node));
    }
    dataset.published_split = std::move(split);
}

}  // namespace hwgcn
