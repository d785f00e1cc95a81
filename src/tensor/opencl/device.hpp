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

#include "hwgcn/base/error.hpp"
#include "hwgcn/tensor/devices.hpp"

#include "tensor/opencl/opencl.hpp"
#include "tensor/operands.hpp"

namespace hwgcn::gpu {

/// How many work items a kernel has, in one or two dimensions, and how many of them form a group.
struct Grid {
    std::array<std::size_t, 2> items;
    std::array<std::size_t, 2> group;
};

/// The next multiple of `step`.
constexpr std::size_t rounded_up(std::size_t count, std::size_t step) {
    return (count + step - 1) / step * step;
}

inline double gigabytes(std::size_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

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

/// How the rows of a sparse matrix are shared among work items: long ones, those of hubs, are cut into
/// pieces, whose sums are added up afterwards. Where no row is long, the lists are empty: pieces are rows.
struct RowPieces {
    explicit RowPieces(std::span<const std::int64_t> offsets);

    bool cut() const { return !long_rows.empty(); }

    Index slices = 1;                  ///< items that should share a piece, for its entries: a power of two
    std::vector<std::int64_t> starts;  ///< of the entries of each piece; one more than pieces
    std::vector<Index> rows;           ///< of each piece
    std::vector<Index> slots;          ///< which of the sums that are added up a piece is; -1: it is a row
    std::vector<Index> long_rows;
    std::vector<Index> first_slots;  ///< of each long row; one more than long rows
};

/// The columns of a sparse matrix, as a device needs them to multiply by its transpose.
struct ColumnLists {
    explicit ColumnLists(const CsrMatrix<float>& matrix);

    std::vector<std::int64_t> starts;   ///< of each column; one more than columns
    std::vector<Index> rows;            ///< of each entry, ascending within a column
    std::vector<std::int64_t> entries;  ///< which entry it is in the matrix
    std::vector<float> values;
    RowPieces pieces;  ///< of the columns
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
///
/// While a thread has several runs side by side (SideBySide), memory has a copy for each of them, and kernels
/// compute all of them at once: the third number of a work item is its run. An address stands for the copies
/// of all runs. What the host gives, and what was made before, is the same for all.
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

    /// Of every run to itself.
    void copy(const float* from, float* to, std::size_t floats);

    /// To all runs, or to each of them what is its own.
    void write(const void* host, float* memory, std::size_t bytes);
    void write_runs(std::span<const void* const> hosts, float* memory, std::size_t bytes);

    /// From the first run, or from each of those that the memory has a copy for.
    void read(const void* memory, void* host, std::size_t bytes);
    void read_runs(const void* memory, std::span<void* const> hosts, std::size_t bytes);

    /// How many runs a matrix has copies for.
    std::size_t runs_of(const void* memory) const;

    /// Of each of the runs that this thread has side by side, the seed of its random numbers; empty for one.
    std::span<const std::uint64_t> seeds() { return lane().seeds; }

    /// What was asked of the device so far, by all threads.
    struct Traffic {
        std::int64_t kernels = 0;
        std::int64_t reads = 0;   ///< each waits for all that was started before
        std::int64_t writes = 0;  ///< to its memory
    };
    Traffic traffic() const { return {kernels_, reads_, writes_}; }

    /// Bytes in use and, since `start_watch`, the most that were.
    std::size_t used_bytes() const { return used_bytes_; }
    std::size_t most_used_bytes() const { return most_used_bytes_; }
    void start_watch() { most_used_bytes_ = used_bytes_.load(); }
    std::size_t memory_bytes() const { return memory_bytes_; }

    /// Takes no more than so many bytes from now on.
    void limit_memory(std::size_t bytes) { memory_bytes_ = bytes; }

    /// Until all that this thread has started is done.
    void wait();

    /// Memory that the next call of `scratch` by the same thread may hand out again.
    float* scratch(std::size_t floats);
    void release_scratch() { release_scratch(lane()); }
    Reals real_scratch(std::size_t count) { return {scratch(count * real_floats())}; }

    /// Keeps a list of the host on the device until `forget`: it must not change meanwhile. Counted: whoever
    /// keeps a list forgets it once.
    void keep(const void* host, std::size_t bytes);

    /// The same where each run has a list of its own, all as long: `lists.front()` stands for all of them.
    void keep_runs(std::span<const void* const> lists, std::size_t bytes);
    void forget(const void* host) noexcept;

    /// Of a matrix that is kept: made once. Of others: made for each call.
    std::shared_ptr<const RowPieces> pieces_of(const CsrMatrix<float>& matrix);
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
        std::vector<std::byte> of_runs = {};  // one after the other, where each has its own
        std::shared_ptr<const RowPieces> pieces = {};
        std::shared_ptr<const ColumnLists> columns = {};
    };
    // A matrix, with a copy for each run, `apart` bytes from one to the next; 0: one for all runs.
    struct Block {
        Buffer buffer;
        std::size_t apart = 0;
        std::size_t runs = 1;
    };
    struct Place {
        cl_mem buffer = nullptr;
        std::size_t offset = 0;  // in bytes
        std::size_t apart = 0;
        std::size_t runs = 1;
    };
    // What a thread has for itself.
    struct Lane {
        cl_command_queue queue = nullptr;
        std::map<std::string, cl_kernel> kernels = {};  // their arguments are part of them
        float* scratch = nullptr;
        std::size_t scratch_floats = 0;
        std::size_t runs = 1;
        std::vector<std::uint64_t> seeds = {};  // one per run where there are several
    };
    friend class SideBySide;
    class Lease;
    struct Call {
        std::string name;
        Lane& lane;
        cl_kernel kernel;
        cl_uint arguments = 0;
        std::vector<Buffer> temporary = {};
    };

    static constexpr std::uintptr_t addresses_of_each = std::uintptr_t{1} << 40;

    explicit Device(int number);
    static Device* by_address(std::uintptr_t place);

    std::size_t real_floats() const { return has_double_ ? 2 : 1; }
    void build();
    std::uintptr_t free_address(std::size_t bytes);
    Buffer copy_of(const void* host, std::size_t bytes, Lane& lane);
    Place place_of(const void* memory) const;
    Place place_of_list(Call& call, const void* host, std::size_t bytes);
    void expect(cl_int code, const std::string& what) const;

    template <typename Lists>
    std::shared_ptr<const Lists> made_once(const CsrMatrix<float>& matrix,
                                           std::shared_ptr<const Lists> KeptList::*made);

    Lane& lane();
    Lane* take_lane();
    void give_back(Lane* lane) noexcept;
    void release_scratch(Lane& lane) noexcept;
    Call begin(const std::string& kernel);
    void finish(Call& call, const Grid& grid);
    void add_bytes(Call& call, const void* value, std::size_t size) const;
    enum class Access { read, write };
    void add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element, Access access);

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

    static std::atomic<std::uintptr_t> first_address;
    static std::atomic<std::uintptr_t> address_count;  // 0 until a device is opened

    int number_;
    std::string name_;
    bool has_double_ = false;
    std::atomic<std::size_t> memory_bytes_ = 0;
    std::atomic<std::size_t> used_bytes_ = 0;
    std::atomic<std::size_t> most_used_bytes_ = 0;
    std::atomic<std::int64_t> kernels_ = 0;
    std::atomic<std::int64_t> reads_ = 0;
    std::atomic<std::int64_t> writes_ = 0;
    cl_context context_ = nullptr;
    cl_program program_ = nullptr;
    std::uintptr_t addresses_ = 0;  // where those of this device begin
    std::uintptr_t next_ = 0;       // the next one that was never given out
    std::map<std::uintptr_t, Block> blocks_;
    std::map<const void*, KeptList> kept_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Lane*> free_lanes_;        // of threads that have ended
    mutable std::recursive_mutex access_;  // to these lists; kernels are started without it
};

/// The device has not so much memory: with fewer runs side by side it may be enough.
class OutOfMemory : public ExecutionError {
    using ExecutionError::ExecutionError;
};

/// While it lives, what this thread computes on a device is computed for several runs at once. Each draws its
/// random numbers with a seed of its own: where an operation names a seed, it is that of the first run.
class SideBySide {
  public:
    static constexpr std::size_t most_runs = 65535;  ///< what devices take in the third dimension

    SideBySide(Device& device, std::span<const std::uint64_t> seeds);
    SideBySide(const SideBySide&) = delete;
    SideBySide& operator=(const SideBySide&) = delete;
    ~SideBySide();

  private:
    Device* device_;
    Device::Lane* lane_;
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
