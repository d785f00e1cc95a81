#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "tensor/opencl/grid.hpp"
#include "tensor/opencl/host_lists.hpp"
#include "tensor/opencl/queues.hpp"

namespace hwgcn::opencl {

/// Numbers in the precision of the device's sums: double where it has it.
struct Reals {
    float* memory;  ///< on the device
};

/// A device of OpenCL: starts kernels. Lists and matrices of the host may be given to them, too: they are
/// copied to the device for each call, or once for those that are kept. The third number of a work item is
/// its run.
class Device final : public gpu::Device {
  public:
    Device(const Backend& operations, int number, std::string name, gpu::AddressRange addresses);

    float* allocate(std::size_t floats) override;
    void release(float* memory) noexcept override { matrices_.remove(memory); }
    void release_scratch() noexcept override;
    void keep(const void* host, std::size_t bytes) override { lists_.keep(host, bytes); }
    void keep_runs(std::span<const void* const> lists, std::size_t bytes) override {
        lists_.keep_runs(lists, bytes);
    }
    void forget(const void* host) noexcept override { lists_.forget(host); }
    void begin_runs(std::span<const std::uint64_t> seeds) override;
    void end_runs() noexcept override;
    void wait() override;

    /// Of every run to itself.
    void copy(const float* from, float* to, std::size_t floats);

    /// To all runs, or to each of them what is its own.
    void write(const void* host, float* memory, std::size_t bytes);
    void write_runs(std::span<const void* const> hosts, float* memory, std::size_t bytes);

    /// From the first run, or from each of those that the memory has a copy for.
    void read(const void* memory, void* host, std::size_t bytes);
    void read_runs(const void* memory, std::span<void* const> hosts, std::size_t bytes);

    /// How many runs a matrix has copies for.
    std::size_t runs_of(const void* memory) const { return matrices_.place_of(memory).runs; }

    /// Of each of the runs that this thread has side by side; empty for one.
    std::span<const std::uint64_t> seeds() { return queues_.own().seeds; }

    /// Memory that the next call of `scratch` by the same thread may hand out again.
    float* scratch(std::size_t floats);
    Reals real_scratch(std::size_t count) { return {scratch(count * real_floats())}; }

    /// How the kernels see a sparse matrix, and its transpose.
    std::shared_ptr<const RowPieces> pieces_of(const CsrMatrix<float>& matrix) {
        return lists_.pieces_of(matrix);
    }
    std::shared_ptr<const ColumnLists> columns_of(const CsrMatrix<float>& matrix) {
        return lists_.columns_of(matrix);
    }

    /// Starts a kernel. Arguments are numbers, views of matrices and lists, `Reals`.
    template <typename... Arguments>
    void run(const std::string& kernel, const Grid& grid, const Arguments&... arguments) {
        Call call = begin(kernel);
        (add(call, arguments), ...);
        finish(call, grid);
    }

  private:
    struct Call {
        std::string name;
        Queue& queue;
        cl_kernel kernel;
        cl_uint arguments = 0;
        std::vector<Buffer> temporary = {};
    };
    enum class Access { read, write };

    std::size_t real_floats() const { return context_.has_double() ? 2 : 1; }
    Call begin(const std::string& kernel);
    void finish(Call& call, const Grid& grid);
    void add_bytes(Call& call, const void* value, std::size_t size) const;
    void add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element, Access access);
    Place place_for(Call& call, const void* memory, std::size_t bytes, Access access);

    template <typename Number>
    requires std::is_arithmetic_v<Number>
    void add(Call& call, Number value) const { add_bytes(call, &value, sizeof value); }
    void add(Call& call, ConstMatrixView view) {
        add_memory(call, view.data, view.size() * sizeof(float), sizeof(float), Access::read);
    }
    void add(Call& call, const MatrixView& view) {
        add_memory(call, view.data, view.size() * sizeof(float), sizeof(float), Access::write);
    }
    void add(Call& call, Reals numbers) {
        add_memory(call, numbers.memory, 0, real_floats() * sizeof(float), Access::write);
    }
    template <typename Item>
    void add(Call& call, std::span<Item> list) {
        add_memory(call, list.data(), list.size_bytes(), sizeof(Item),
                   std::is_const_v<Item> ? Access::read : Access::write);
    }
    template <typename Item>
    void add(Call& call, const std::vector<Item>& list) {
        add(call, std::span<const Item>(list));
    }

    Context context_;
    Queues queues_;
    Matrices matrices_;
    HostLists lists_;
};

/// The device that has the result of an operation.
inline Device& device_at(const void* result) {
    return static_cast<Device&>(*gpu::Device::of(result));
}
inline Device& device_at(ConstMatrixView result) {
    return device_at(result.data);
}

}  // namespace hwgcn::opencl
