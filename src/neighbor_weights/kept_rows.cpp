#include "neighbor_weights/kept_rows.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "data/npz_archive.hpp"
#include "support/hash.hpp"

namespace hwgcn {
namespace {

// The numbers of a tally, in the order in which they are stored.
std::array<std::int64_t, 16> counts_of(const OrderTally& tally) {
    const OrderSummary& s = tally.summary;
    std::array<std::int64_t, 16> counts{s.problems,     s.ring_pairs, s.largest_ring,
                                        s.support,      s.unfinished, s.capped_rings,
                                        s.capped_pairs, s.iterations, s.worst_node};
    std::ranges::copy(tally.bins, counts.begin() + 9);
    counts.back() = s.sampled_rings;
    return counts;
}

OrderTally tally_from(const std::vector<std::int64_t>& counts, const std::vector<double>& measures) {
    OrderTally tally;
    OrderSummary& s = tally.summary;
    s.problems = counts.at(0);
    s.ring_pairs = counts.at(1);
    s.largest_ring = counts.at(2);
    s.support = counts.at(3);
    s.unfinished = counts.at(4);
    s.capped_rings = counts.at(5);
    s.capped_pairs = counts.at(6);
    s.iterations = counts.at(7);
    s.worst_node = static_cast<Index>(counts.at(8));
    for (std::size_t k = 0; k < tally.bins.size(); ++k)
        tally.bins[k] = counts.at(9 + k);
    s.sampled_rings = counts.at(15);
    s.worst_gap = measures.at(0);
    s.seconds = measures.at(1);
    return tally;
}

// Some rows of an order, as they lie in a file.
struct RowFile {
    CsrMatrix<double> rows;
    std::vector<Index> ring_sizes;
    OrderTally tally;

    std::array<double, 2> measures() const { return {tally.summary.worst_gap, tally.summary.seconds}; }

    // Over key and place as well: a file that was renamed is as wrong as one that was changed.
    std::string checksum(const std::string& key, Index first) const {
        Sha256 hash;
        hash.text(key).value(first).array(rows.offsets).array(rows.indices).array(rows.values);
        return hash.array(ring_sizes).array(counts_of(tally)).array(measures()).hex();
    }
};

RowFile read_rows(const std::filesystem::path& file, const std::string& key, Index first, Index nodes) {
    const NpzArchive archive = read_npz(file);
    RowFile found;
    found.ring_sizes = archive.values<Index>("ring_sizes");
    found.rows = {static_cast<Index>(found.ring_sizes.size()), nodes, archive.values<std::int64_t>("indptr"),
                  archive.values<Index>("indices"), archive.values<double>("data")};
    found.tally = tally_from(archive.values<std::int64_t>("counts"), archive.values<double>("measures"));
    const std::vector<Index> stored = archive.values<Index>("checksum");
    if (found.checksum(key, first) != std::string(stored.begin(), stored.end()))
        fail_in_file(file.string(), "checksum does not match");
    if (found.rows.rows == 0 || found.rows.rows > nodes - first)
        fail_in_file(file.string(), fmt::format("has {} rows", found.rows.rows));
    validate_csr(found.rows, file.string());
    return found;
}

void write_rows(const std::filesystem::path& file, const std::string& key, Index first, const RowFile& part) {
    const std::string text = part.checksum(key, first);
    const std::vector<std::uint8_t> checksum_bytes(text.begin(), text.end());
    const auto counts = counts_of(part.tally);
    const auto measures = part.measures();
    const std::vector<NpyEntry> entries{
        npy_entry("indptr", part.rows.offsets),
        npy_entry("indices", part.rows.indices),
        npy_entry("data", part.rows.values),
        npy_entry("ring_sizes", part.ring_sizes),
        npy_entry("counts", std::span<const std::int64_t>(counts)),
        npy_entry("measures", std::span<const double>(measures)),
        npy_entry("checksum", checksum_bytes),
    };
    write_npz(file, entries);
}

}  // namespace

KeptRows::KeptRows(std::filesystem::path directory, std::string key, std::vector<std::string>& notes,
                   Clock::duration interval)
    : directory_(std::move(directory)),
      key_(std::move(key)),
      notes_(notes),
      interval_(interval),
      last_(Clock::now()) {}

std::filesystem::path KeptRows::file_from(Index first) const {
    return directory_ / fmt::format("weights-{}-rows-{:010}.npz", key_.substr(0, 32), first);
}

bool KeptRows::restore_from(Index first, OrderWeights& order, OrderTally& tally) {
    const std::filesystem::path file = file_from(first);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return false;
    firsts_.push_back(first);
    try {
        const RowFile found = read_rows(file, key_, first, order.matrix.rows);
        CsrMatrix<double>& matrix = order.matrix;
        const std::int64_t before = matrix.entries();
        matrix.indices.insert(matrix.indices.end(), found.rows.indices.begin(), found.rows.indices.end());
        matrix.values.insert(matrix.values.end(), found.rows.values.begin(), found.rows.values.end());
        for (std::size_t row = 1; row < found.rows.offsets.size(); ++row)
            matrix.offsets.push_back(before + found.rows.offsets[row]);
        order.ring_sizes.insert(order.ring_sizes.end(), found.ring_sizes.begin(), found.ring_sizes.end());
        tally.merge(found.tally);
        return true;
    } catch (const Error& failure) {
        notes_.push_back(fmt::format("damaged part of the weights, learning it again: {}", failure.what()));
    } catch (const std::out_of_range&) {  // too few numbers in an array
        notes_.push_back(fmt::format("damaged part of the weights, learning it again: {}", file.string()));
    }
    return false;
}

void KeptRows::restore(OrderWeights& order, OrderTally& tally) {
    while (kept_ < order.matrix.rows && restore_from(kept_, order, tally))
        kept_ = static_cast<Index>(order.ring_sizes.size());
}

void KeptRows::keep(const OrderWeights& order, Index end, OrderTally tally) {
    tally.summary.seconds = std::chrono::duration<double>(Clock::now() - last_).count();
    const CsrMatrix<double>& all = order.matrix;
    const std::int64_t begin = all.offsets[kept_];
    RowFile part{{end - kept_, all.columns, {}, {}, {}},
                 {order.ring_sizes.begin() + kept_, order.ring_sizes.begin() + end},
                 tally};
    for (Index row = kept_; row <= end; ++row)
        part.rows.offsets.push_back(all.offsets[row] - begin);
    part.rows.indices.assign(all.indices.begin() + begin, all.indices.begin() + all.offsets[end]);
    part.rows.values.assign(all.values.begin() + begin, all.values.begin() + all.offsets[end]);
    try {
        write_rows(file_from(kept_), key_, kept_, part);
        firsts_.push_back(kept_);
        kept_ = end;
    } catch (const Error& failure) {
        failed_ = true;
        notes_.push_back(fmt::format("unfinished weights could not be kept: {}", failure.what()));
    }
    last_ = Clock::now();
}

void KeptRows::remove() {
    std::error_code ignored;  // what stays is found by its name, and removed, the next time
    for (const Index first : firsts_)
        std::filesystem::remove(file_from(first), ignored);
}

}  // namespace hwgcn
