#include "tensor/opencl/host_lists.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace hwgcn::opencl {
namespace {

// Calls use(list) with each of them.
template <typename Use>
void for_each_list(const RowPieces& pieces, const Use& use) {
    use(std::as_bytes(std::span(pieces.starts)));
    for (const std::vector<Index>* const list :
         {&pieces.rows, &pieces.slots, &pieces.long_rows, &pieces.first_slots})
        use(std::as_bytes(std::span(*list)));
}

template <typename Use>
void for_each_list(const ColumnLists& columns, const Use& use) {
    use(std::as_bytes(std::span(columns.starts)));
    use(std::as_bytes(std::span(columns.rows)));
    use(std::as_bytes(std::span(columns.entries)));
    use(std::as_bytes(std::span(columns.values)));
    for_each_list(columns.pieces, use);
}

}  // namespace

Buffer copy_of(const Context& context, const void* host, std::size_t bytes, cl_command_queue queue) {
    Buffer buffer(context, bytes);
    ++context.device().traffic().writes;
    context.expect(
        api()->EnqueueWriteBuffer(queue, buffer.memory(), CL_TRUE, 0, bytes, host, 0, nullptr, nullptr),
        "writing to its memory");
    return buffer;
}

void HostLists::keep(const void* host, std::size_t bytes) {
    const std::scoped_lock lock(access_);
    KeptList& list = kept_[host];
    if (list.users > 0 && list.bytes != bytes) throw std::logic_error("two lists of one address are kept");
    list.bytes = bytes;
    ++list.users;
}

void HostLists::keep_runs(std::span<const void* const> lists, std::size_t bytes) {
    const std::scoped_lock lock(access_);
    if (kept_.contains(lists.front())) throw std::logic_error("a list is kept for all runs and for each");
    std::vector<std::byte> of_runs(lists.size() * bytes);
    for (std::size_t run = 0; run < lists.size(); ++run)
        std::memcpy(of_runs.data() + run * bytes, lists[run], bytes);
    kept_[lists.front()] = {.bytes = bytes, .users = 1, .of_runs = std::move(of_runs)};
}

void HostLists::forget(const void* host) noexcept {
    const std::scoped_lock lock(access_);
    const auto list = kept_.find(host);
    if (list == kept_.end() || --list->second.users > 0) return;
    const std::shared_ptr<const RowPieces> pieces = std::move(list->second.pieces);
    const std::shared_ptr<const ColumnLists> columns = std::move(list->second.columns);
    kept_.erase(list);
    const auto forget_too = [&](std::span<const std::byte> other) {
        if (!other.empty()) forget(other.data());
    };
    if (pieces) for_each_list(*pieces, forget_too);
    if (columns) for_each_list(*columns, forget_too);
}

std::optional<Place> HostLists::find(const void* host, std::size_t bytes, cl_command_queue queue) {
    const std::scoped_lock lock(access_);
    const auto kept = kept_.find(host);
    if (kept == kept_.end() || kept->second.bytes < bytes) return std::nullopt;
    KeptList& list = kept->second;
    const bool has_own = !list.of_runs.empty();
    if (list.buffer.memory() == nullptr) {
        list.buffer = has_own ? copy_of(context_, list.of_runs.data(), list.of_runs.size(), queue)
                              : copy_of(context_, host, list.bytes, queue);
    }
    const std::size_t runs = has_own ? list.of_runs.size() / list.bytes : 1;
    return Place{list.buffer.memory(), 0, has_own ? list.bytes : 0, runs};
}

template <typename Lists>
std::shared_ptr<const Lists> HostLists::made_once(const CsrMatrix<float>& matrix,
                                                  std::shared_ptr<const Lists> KeptList::*made) {
    const std::scoped_lock lock(access_);
    const auto kept = kept_.find(matrix.values.data());
    const bool is_kept = kept != kept_.end() && matrix.entries() > 0;
    if (is_kept && kept->second.*made) return kept->second.*made;
    std::shared_ptr<const Lists> lists;
    if constexpr (std::is_same_v<Lists, RowPieces>)
        lists = std::make_shared<const Lists>(matrix.offsets);
    else
        lists = std::make_shared<const Lists>(matrix);
    if (!is_kept) return lists;
    for_each_list(*lists, [&](std::span<const std::byte> list) {
        if (!list.empty()) keep(list.data(), list.size());
    });
    kept->second.*made = lists;
    return lists;
}

std::shared_ptr<const RowPieces> HostLists::pieces_of(const CsrMatrix<float>& matrix) {
    return made_once(matrix, &KeptList::pieces);
}

std::shared_ptr<const ColumnLists> HostLists::columns_of(const CsrMatrix<float>& matrix) {
    return made_once(matrix, &KeptList::columns);
}

}  // namespace hwgcn::opencl
