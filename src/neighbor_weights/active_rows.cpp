#include "neighbor_weights/active_rows.hpp"

#include <algorithm>

#include "linalg/cpu/kernels.hpp"

namespace hwgcn {

void ActiveRows::clear() {
    for (const Index feature : features_)
        line_of_[feature] = kNoLine;
    features_.clear();
    lines_.clear();
    slots_ = 0;
    free_slots_.clear();
}

std::size_t ActiveRows::add(const SparseRow<float>& row) {
    if (free_slots_.empty()) {
        if (slots_ == stride_) widen();
        free_slots_.push_back(slots_++);
    }
    const std::size_t slot = free_slots_.back();
    free_slots_.pop_back();
    for (std::size_t e = 0; e < row.size(); ++e) {
        std::int32_t& line = line_of_[row.columns[e]];
        if (line == kNoLine) {
            line = static_cast<std::int32_t>(features_.size());
            features_.push_back(row.columns[e]);
            lines_.resize(features_.size() * stride_, 0.0F);
        }
        at(row.columns[e], slot) = row.values[e];
    }
    return slot;
}

void ActiveRows::remove(std::size_t slot, const SparseRow<float>& row) {
    for (const Index column : row.columns)
        at(column, slot) = 0.0F;
    free_slots_.push_back(slot);
}

const std::vector<double>& ActiveRows::products(const SparseRow<float>& row) {
    chosen_lines_.clear();
    chosen_factors_.clear();
    for (std::size_t e = 0; e < row.size(); ++e) {
        const std::int32_t line = line_of_[row.columns[e]];
        if (line == kNoLine) continue;
        chosen_lines_.push_back(lines_.data() + static_cast<std::size_t>(line) * stride_);
        chosen_factors_.push_back(row.values[e]);
    }
    products_.resize((slots_ + 7) / 8 * 8);
    cpu::sum_lines(chosen_lines_, chosen_factors_.data(), products_);
    return products_;
}

void ActiveRows::widen() {
    std::vector<float> wider(features_.size() * 2 * stride_, 0.0F);
    for (std::size_t line = 0; line < features_.size(); ++line) {
        std::copy_n(lines_.data() + line * stride_, stride_, wider.data() + line * 2 * stride_);
    }
    lines_ = std::move(wider);
    stride_ *= 2;
}

}  // namespace hwgcn
