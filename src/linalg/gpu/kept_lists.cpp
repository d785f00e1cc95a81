#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "linalg/gpu/device.hpp"

// Lists of the host that stay on a device.
namespace hwgcn::gpu {
namespace {

ColumnLists transposed_lists(const CsrMatrix<float>& matrix) {
    ColumnLists columns;
    columns.starts.assign(static_cast<std::size_t>(matrix.columns) + 1, 0);
    for (const Index column : matrix.indices)
        ++columns.starts[static_cast<std::size_t>(column) + 1];
    std::partial_sum(columns.starts.begin(), columns.starts.end(), columns.starts.begin());
    columns.rows.resize(matrix.indices.size());
    columns.entries.resize(matrix.indices.size());
    std::vector<std::int64_t> next(columns.starts.begin(), columns.starts.end() - 1);
    for (Index i = 0; i < matrix.rows; ++i) {
        for (std::int64_t entry = matrix.offsets[i]; entry < matrix.offsets[i + std::size_t{1}]; ++entry) {
            const auto place = static_cast<std::size_t>(next[matrix.indices[entry]]++);
            columns.rows[place] = i;
            columns.entries[place] = entry;
        }
    }
    return columns;
}

}  // namespace

void Device::keep(const void* host, std::size_t bytes) {
    const std::scoped_lock lock(access_);
    KeptList& list = kept_[host];
    if (list.users > 0 && list.bytes != bytes) throw std::logic_error("two lists of one address are kept");
    list.bytes = bytes;
    ++list.users;
}

void Device::forget(const void* host) noexcept {
    const std::scoped_lock lock(access_);
    const auto list = kept_.find(host);
    if (list == kept_.end() || --list->second.users > 0) return;
    const std::shared_ptr<const ColumnLists> columns = std::move(list->second.columns);
    kept_.erase(list);
    if (!columns) return;
    forget(columns->starts.data());
    forget(columns->rows.data());
    forget(columns->entries.data());
}

std::shared_ptr<const ColumnLists> Device::columns_of(const CsrMatrix<float>& matrix) {
    const std::scoped_lock lock(access_);
    const auto kept = kept_.find(matrix.values.data());
    const bool is_kept = kept != kept_.end() && matrix.entries() > 0;
    if (is_kept && kept->second.columns) return kept->second.columns;
    auto columns = std::make_shared<const ColumnLists>(transposed_lists(matrix));
    if (!is_kept) return columns;
    keep(columns->starts.data(), columns->starts.size() * sizeof(std::int64_t));
    keep(columns->rows.data(), columns->rows.size() * sizeof(Index));
    keep(columns->entries.data(), columns->entries.size() * sizeof(std::int64_t));
    kept->second.columns = columns;
    return columns;
}

}  // namespace hwgcn::gpu
