#include "weights/active_rows.hpp"

#include <algorithm>

namespace hwgcn {

void ActiveRows::clear() {
    for (const Index feature : used_features_)
        lists_[feature] = {};
    used_features_.clear();
    pool_.clear();
    slots_ = 0;
    free_slots_.clear();
}

void ActiveRows::push(Index feature, Entry entry) {
    List& list = lists_[feature];
    if (list.size == list.capacity) {
        if (list.capacity == 0) used_features_.push_back(feature);
        const std::uint32_t capacity = std::max<std::uint32_t>(4, 2 * list.capacity);
        const auto begin = static_cast<std::uint32_t>(pool_.size());
        pool_.resize(pool_.size() + capacity);
        std::copy_n(pool_.begin() + list.begin, list.size, pool_.begin() + begin);
        list = {begin, list.size, capacity};
    }
    pool_[list.begin + list.size++] = entry;
}

std::size_t ActiveRows::add(const SparseRow<float>& row) {
    if (free_slots_.empty()) free_slots_.push_back(slots_++);
    const std::size_t slot = free_slots_.back();
    free_slots_.pop_back();
    for (std::size_t e = 0; e < row.size(); ++e) {
        push(row.indices[e], {static_cast<std::int32_t>(slot), row.values[e]});
    }
    return slot;
}

void ActiveRows::remove(std::size_t slot, const SparseRow<float>& row) {
    for (const Index feature : row.indices) {
        List& list = lists_[feature];
        Entry* entry = pool_.data() + list.begin;
        while (entry->slot != static_cast<std::int32_t>(slot))
            ++entry;
        *entry = pool_[list.begin + --list.size];
    }
    free_slots_.push_back(slot);
}

const std::vector<double>& ActiveRows::products(const SparseRow<float>& row) {
    products_.assign(slots_, 0.0);
    for (std::size_t e = 0; e < row.size(); ++e) {
        const double value = row.values[e];
        const List& list = lists_[row.indices[e]];
        const Entry* entries = pool_.data() + list.begin;
        for (std::uint32_t k = 0; k < list.size; ++k)
            products_[entries[k].slot] += value * entries[k].value;
    }
    return products_;
}

}  // namespace hwgcn
