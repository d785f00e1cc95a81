#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tensor/opencl/matrices.hpp"
#include "tensor/opencl/sparse_lists.hpp"

namespace hwgcn::opencl {

/// A copy of a list of the host. The write waits: whoever gets the buffer afterwards may use it on any queue,
/// and the host may forget the list.
Buffer copy_of(const Context& context, const void* host, std::size_t bytes, cl_command_queue queue);

/// Lists of the host that stay on a device (gpu::Device::keep).
class HostLists {
  public:
    explicit HostLists(const Context& context) : context_(context) {}

    void keep(const void* host, std::size_t bytes);
    void keep_runs(std::span<const void* const> lists, std::size_t bytes);
    void forget(const void* host) noexcept;

    /// Where a list is that is kept; it is copied when it is first asked for.
    std::optional<Place> find(const void* host, std::size_t bytes, cl_command_queue queue);

    /// Of a matrix that is kept: made once. Of others: made for each call.
    std::shared_ptr<const RowPieces> pieces_of(const CsrMatrix<float>& matrix);
    std::shared_ptr<const ColumnLists> columns_of(const CsrMatrix<float>& matrix);

  private:
    struct KeptList {
        Buffer buffer = {};  // once it was used
        std::size_t bytes = 0;
        int users = 0;
        std::vector<std::byte> of_runs = {};  // one after the other, where each has its own
        std::shared_ptr<const RowPieces> pieces = {};
        std::shared_ptr<const ColumnLists> columns = {};
    };

    template <typename Lists>
    std::shared_ptr<const Lists> made_once(const CsrMatrix<float>& matrix,
                                           std::shared_ptr<const Lists> KeptList::*made);

    const Context& context_;
    std::map<const void*, KeptList> kept_;
    std::recursive_mutex access_;
};

}  // namespace hwgcn::opencl
