#include "weights/blocks/row_file.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "io/numpy/npz_archive.hpp"
#include "weights/summary_counts.hpp"

namespace hwgcn {
namespace {

// The numbers of a tally, in the order in which they are stored.
std::vector<std::int64_t> row_counts(const OrderTally& tally) {
    const auto of_summary = counts_of(tally.summary);
    std::vector<std::int64_t> counts(of_summary.begin(), of_summary.end());
    counts.insert(counts.end(), tally.bins.begin(), tally.bins.end());
    return counts;
}

OrderTally tally_from(const std::vector<std::int64_t>& counts, const std::vector<double>& measures) {
    OrderTally tally{summary_of(counts)};
    const std::size_t first = counts_of(tally.summary).size();
    for (std::size_t k = 0; k < tally.bins.size(); ++k)
        tally.bins[k] = counts.at(first + k);
    tally.summary.worst_gap = measures.at(0);
    tally.summary.seconds = measures.at(1);
    return tally;
}

std::array<double, 2> row_measures(const OrderTally& tally) {
    return {tally.summary.worst_gap, tally.summary.seconds};
}

// Over key and place as well: a file that was renamed is as wrong as one that was changed.
std::string row_checksum(const RowFile& part, const std::string& key, Index first) {
    Sha256 hash;
    hash.text(key).value(first).array(part.rows.offsets).array(part.rows.indices).array(part.rows.values);
    return hash.array(part.ring_sizes).array(row_counts(part.tally)).array(row_measures(part.tally)).hex();
}

}  // namespace

RowFile read_rows(const std::filesystem::path& file, const std::string& key, Index first, Index nodes) {
    const NpzArchive archive = read_npz(file);
    RowFile found;
    found.ring_sizes = archive.values<Index>("ring_sizes");
    found.rows = {static_cast<Index>(found.ring_sizes.size()), nodes, archive.values<std::int64_t>("indptr"),
                  archive.values<Index>("indices"), archive.values<double>("data")};
    found.tally = tally_from(archive.values<std::int64_t>("counts"), archive.values<double>("measures"));
    const std::vector<Index> stored = archive.values<Index>("checksum");
    if (row_checksum(found, key, first) != std::string(stored.begin(), stored.end()))
        fail_in_file(file.string(), "checksum does not match");
    if (found.rows.rows == 0 || found.rows.rows > nodes - first)
        fail_in_file(file.string(), fmt::format("has {} rows", found.rows.rows));
    validate_csr(found.rows, file.string());
    return found;
}

void write_rows(const std::filesystem::path& file, const std::string& key, Index first, const RowFile& part) {
    const std::string text = row_checksum(part, key, first);
    const std::vector<std::uint8_t> checksum_bytes(text.begin(), text.end());
    const auto counts = row_counts(part.tally);
    const auto measures = row_measures(part.tally);
    const std::vector<NpyEntry> entries{
        npy_entry("indptr", part.rows.offsets),
        npy_entry("indices", part.rows.indices),
        npy_entry("data", part.rows.values),
        npy_entry("ring_sizes", part.ring_sizes),
        npy_entry("counts", counts),
        npy_entry("measures", std::span<const double>(measures)),
        npy_entry("checksum", checksum_bytes),
    };
    write_npz(file, entries);
}

void append_rows(const RowFile& part, OrderWeights& order) {
    CsrMatrix<double>& matrix = order.matrix;
    const std::int64_t before = matrix.entries();
    matrix.indices.insert(matrix.indices.end(), part.rows.indices.begin(), part.rows.indices.end());
    matrix.values.insert(matrix.values.end(), part.rows.values.begin(), part.rows.values.end());
    for (std::size_t row = 1; row < part.rows.offsets.size(); ++row)
        matrix.offsets.push_back(before + part.rows.offsets[row]);
    order.ring_sizes.insert(order.ring_sizes.end(), part.ring_sizes.begin(), part.ring_sizes.end());
}

std::string block_folder_name(const std::string& key) {
    return fmt::format("weights-{}", key.substr(0, 32));
}

std::string block_file_name(Index first) {
    return fmt::format("rows-{:010}.npz", first);
}

}  // namespace hwgcn
