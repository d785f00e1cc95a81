#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hwgcn/linalg/devices.hpp"

#include "linalg/gpu/opencl.hpp"
#include "linalg/operands.hpp"

namespace hwgcn::gpu {

/// How many work items a kernel has, in one or two dimensions, and how many of them form a group.
struct Grid {
    std::array<std::size_t, 2> items;
    std::array<std::size_t, 2> group;
};

/// One item per number of a list; those beyond it must do nothing.
Grid over_numbers(std::size_t count);

/// One item per number of rows of `stride` floats. Items beyond the last row must do nothing.
Grid over_rows(std::size_t rows, std::size_t stride);

/// One group of `size` items for each of `count` things.
Grid groups_of(std::size_t size, std::size_t count);

/// Numbers in the precision of the device's sums: double where it has it.
struct Reals {
    float* memory;  ///< on the device
};

/// The columns of a sparse matrix, as a device needs them to multiply by its transpose.
struct ColumnLists {
    std::vector<std::int64_t> starts;   ///< of each column; one more than columns
    std::vector<Index> rows;            ///< of each entry, ascending within a column
    std::vector<std::int64_t> entries;  ///< which entry it is in the matrix
};

/// A device, its memory and its kernels. Matrices in its memory have addresses that no other memory of the
/// process has and that the processor cannot read: an operation sees from the address where it has to run,
/// and touching such a matrix on the host ends the program instead of giving wrong numbers.
///
/// Lists and matrices of the host may be given to kernels, too: they are copied to the device for each call,
/// or once for those that are `kept`.
///
/// Every thread has a queue of its own, whose kernels run in the order in which they are started, beside
/// those of other threads: that is how a device trains several networks at the same time. A matrix belongs to
/// the thread that made it until a read has waited for it.
class Device {  // NOLINT(cppcoreguidelines-special-member-functions): it is never destroyed
  public:
    /// Device `number` of `devices()`, opened once and for good. Throws ExecutionError where that fails.
    static Device& open(int number);

    /// The device that an address belongs to; null for memory of the host.
    static Device* of(const void* address) {
        const auto place =
            reinterpret_cast<std::uintptr_t>(address) - first_address.load(std::memory_order_relaxed);
        return place < address_count.load(std::memory_order_relaxed) ? by_address(place) : nullptr;
    }

    /// Zero at first. Throws ExecutionError where the device has not so much memory.
    float* allocate(std::size_t floats);
    void release(float* memory) noexcept;

    void copy(const float* from, float* to, std::size_t floats);
    void write(const void* host, float* memory, std::size_t bytes);
    void read(const void* memory, void* host, std::size_t bytes);
    void fill(float* memory, std::size_t floats, float value);

    /// Until all that this thread has started is done.
    void wait();

    /// Memory that the next call of `scratch` by the same thread may hand out again.
    float* scratch(std::size_t floats);
    Reals real_scratch(std::size_t count) { return {scratch(count * real_floats())}; }
    std::pair<Reals, Reals> two_real_scratches(std::size_t first, std::size_t second) {
        float* const memory = scratch((first + second) * real_floats());
        return {{memory}, {memory + first * real_floats()}};
    }

    /// Keeps a list of the host on the device until `forget`: it must not change meanwhile. Counted: whoever
    /// keeps a list forgets it once.
    void keep(const void* host, std::size_t bytes);
    void forget(const void* host) noexcept;

    /// Of a matrix that is kept: made once. Of others: made for each call.
    std::shared_ptr<const ColumnLists> columns_of(const CsrMatrix<float>& matrix);

    /// Starts a kernel. Arguments are numbers, views of matrices and lists, `Reals`.
    template <typename... Arguments>
    void run(const std::string& kernel, const Grid& grid, const Arguments&... arguments) {
        Call call = begin(kernel);
        (add(call, arguments), ...);
        finish(call, grid);
    }

    const std::string& name() const { return name_; }

    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

  private:
    // Memory of the device, for as long as it lives and kernels use it.
    class Buffer {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment, by value
      public:
        Buffer() = default;
        Buffer(Device& device, std::size_t bytes);
        Buffer(Buffer&& other) noexcept
            : device_(other.device_), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
        Buffer& operator=(Buffer other) noexcept {
            std::swap(device_, other.device_);
            std::swap(memory_, other.memory_);
            std::swap(bytes_, other.bytes_);
            return *this;
        }
        ~Buffer();

        cl_mem memory() const { return memory_; }
        std::size_t bytes() const { return bytes_; }

      private:
        Device* device_ = nullptr;
        cl_mem memory_ = nullptr;
        std::size_t bytes_ = 0;
    };
    struct KeptList {
        Buffer buffer = {};  // once it was used
        std::size_t bytes = 0;
        int users = 0;
        std::shared_ptr<const ColumnLists> columns = {};
    };
    struct Place {
        cl_mem buffer;
        std::size_t offset;  // in bytes
    };
    // What a thread has for itself.
    struct Lane {
        cl_command_queue queue = nullptr;
        std::map<std::string, cl_kernel> kernels = {};  // their arguments are part of them
        float* scratch = nullptr;
        std::size_t scratch_floats = 0;
    };
    class Lease;
    struct Call {
        std::string name;
        Lane& lane;
        cl_kernel kernel;
        cl_uint arguments = 0;
        std::vector<Buffer> temporary = {};
    };

    explicit Device(int number);
    static Device* by_address(std::uintptr_t place);

    std::size_t real_floats() const { return has_double_ ? 2 : 1; }
    void build();
    std::uintptr_t free_address(std::size_t bytes);
    Buffer copy_of(const void* host, std::size_t bytes, Lane& lane);
    Place place_of(const void* memory) const;
    void expect(cl_int code, const std::string& what) const;

    Lane& lane();
    Lane* take_lane();
    void give_back(Lane* lane) noexcept;
    Call begin(const std::string& kernel);
    void finish(Call& call, const Grid& grid);
    void add_bytes(Call& call, const void* value, std::size_t size) const;
    void add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element);

    template <typename Number>
    requires std::is_arithmetic_v<Number>
    void add(Call& call, Number value) const { add_bytes(call, &value, sizeof value); }
    void add(Call& call, ConstMatrixView view) {
        add_memory(call, view.data, view.size() * sizeof(float), sizeof(float));
    }
    void add(Call& call, const MatrixView& view) { add(call, ConstMatrixView(view)); }
    void add(Call& call, Reals numbers) {
        add_memory(call, numbers.memory, 0, real_floats() * sizeof(float));
    }
    template <typename Item>
    void add(Call& call, std::span<Item> list) {
        add_memory(call, list.data(), list.size_bytes(), sizeof(Item));
    }
    template <typename Item>
    void add(Call& call, const std::vector<Item>& list) {
        add(call, std::span<const Item>(list));
    }

    static std::atomic<std::uintptr_t> first_address;
    static std::atomic<std::uintptr_t> address_count;  // 0 until a device is opened

    int number_;
    std::string name_;
    bool has_double_ = false;
    std::size_t memory_bytes_ = 0;
    std::atomic<std::size_t> used_bytes_ = 0;
    cl_context context_ = nullptr;
    cl_program program_ = nullptr;
    std::uintptr_t addresses_ = 0;  // where those of this device begin
    std::uintptr_t next_ = 0;       // the next one that was never given out
    std::map<std::uintptr_t, Buffer> blocks_;
    std::map<const void*, KeptList> kept_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Lane*> free_lanes_;        // of threads that have ended
    mutable std::recursive_mutex access_;  // to these lists; kernels are started without it
};

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

    Device* device_;
    std::vector<const void*> lists_;
};

}  // namespace hwgcn::gpu
