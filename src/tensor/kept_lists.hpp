#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "tensor/device.hpp"

namespace hwgcn::gpu {

/// Keeps lists of the host on a device for as long as it lives.
class KeptLists {
  public:
    explicit KeptLists(Device& device) : device_(&device) {}
    KeptLists(const KeptLists&) = delete;
    KeptLists& operator=(const KeptLists&) = delete;
    ~KeptLists() {
        for (const void* list : lists_)
            device_->forget(list);
    }

    template <typename Item>
    void add(const std::vector<Item>& list) {
        add(list.data(), list.size() * sizeof(Item));
    }
    /// One for each run.
    template <typename Item>
    void add_runs(std::span<const std::vector<Item>* const> lists) {
        std::vector<const void*> places;
        for (const std::vector<Item>* list : lists)
            places.push_back(list->data());
        add_runs(places, lists.front()->size() * sizeof(Item));
    }
    void add(ConstMatrixView matrix) { add(matrix.data, matrix.size() * sizeof(float)); }
    void add(const CsrMatrix<float>& matrix) {
        add(matrix.offsets);
        add(matrix.indices);
        add(matrix.values);
    }

  private:
    void add(const void* list, std::size_t bytes) {
        if (bytes == 0) return;
        lists_.reserve(lists_.size() + 1);
        device_->keep(list, bytes);
        lists_.push_back(list);
    }
    void add_runs(std::span<const void* const> lists, std::size_t bytes) {
        if (bytes == 0) return;
        lists_.reserve(lists_.size() + 1);
        device_->keep_runs(lists, bytes);
        lists_.push_back(lists.front());
    }

    Device* device_;
    std::vector<const void*> lists_;
};

}  // namespace hwgcn::gpu
