#include "weights/kept_rows.hpp"

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "weights/blocks/row_file.hpp"

namespace hwgcn {
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
        append_rows(found, order);
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
