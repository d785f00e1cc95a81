#include "tensor/opencl/device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace hwgcn::opencl {
namespace {

using Corner = std::array<std::size_t, 3>;  // bytes, rows (runs), planes

}  // namespace

Device::Device(const Backend& operations, int number, std::string name, gpu::AddressRange addresses)
    : gpu::Device(operations, std::move(name)),
      context_(*this, number),
      queues_(context_),
      matrices_(context_, addresses),
      lists_(context_) {}

float* Device::allocate(std::size_t floats) {
    const Queue& queue = queues_.own();
    return matrices_.add(floats, queue.runs, queue.handle);
}

void Device::copy(const float* from, float* to, std::size_t floats) {
    if (floats == 0) return;
    run("copy_numbers", over_numbers(floats), std::span(from, floats), std::span(to, floats),
        std::uint64_t{floats});
}

void Device::write(const void* host, float* memory, std::size_t bytes) {
    const std::vector<const void*> hosts(runs_of(memory), host);
    write_runs(hosts, memory, bytes);
}

void Device::write_runs(std::span<const void* const> hosts, float* memory, std::size_t bytes) {
    if (bytes == 0) return;
    const Place target = matrices_.place_of(memory);
    if (hosts.size() != target.runs) throw std::logic_error("not as many matrices as runs");
    ++traffic().writes;
    cl_command_queue queue = queues_.own().handle;
    if (hosts.size() == 1) {
        return context_.expect(api()->EnqueueWriteBuffer(queue, target.buffer, CL_TRUE, target.offset, bytes,
                                                         hosts.front(), 0, nullptr, nullptr),
                               "writing to its memory");
    }
    std::vector<std::byte> all(hosts.size() * bytes);
    for (std::size_t run = 0; run < hosts.size(); ++run)
        std::memcpy(all.data() + run * bytes, hosts[run], bytes);
    const Corner there{target.offset, 0, 0};
    const Corner here{0, 0, 0};
    const Corner size{bytes, hosts.size(), 1};
    context_.expect(
        api()->EnqueueWriteBufferRect(queue, target.buffer, CL_TRUE, there.data(), here.data(), size.data(),
                                      target.apart, 0, bytes, 0, all.data(), 0, nullptr, nullptr),
        "writing to its memory");
}

void Device::read(const void* memory, void* host, std::size_t bytes) {
    if (bytes == 0) return;
    const Place source = matrices_.place_of(memory);
    ++traffic().reads;
    context_.expect(api()->EnqueueReadBuffer(queues_.own().handle, source.buffer, CL_TRUE, source.offset,
                                             bytes, host, 0, nullptr, nullptr),
                    "reading its memory");
}

void Device::read_runs(const void* memory, std::span<void* const> hosts, std::size_t bytes) {
    if (bytes == 0) return;
    const Place source = matrices_.place_of(memory);
    if (hosts.size() != source.runs) throw std::logic_error("not as many matrices as runs");
    if (hosts.size() == 1) return read(memory, hosts.front(), bytes);
    ++traffic().reads;
    std::vector<std::byte> all(hosts.size() * bytes);
    const Corner there{source.offset, 0, 0};
    const Corner here{0, 0, 0};
    const Corner size{bytes, hosts.size(), 1};
    context_.expect(
        api()->EnqueueReadBufferRect(queues_.own().handle, source.buffer, CL_TRUE, there.data(), here.data(),
                                     size.data(), source.apart, 0, bytes, 0, all.data(), 0, nullptr, nullptr),
        "reading its memory");
    for (std::size_t run = 0; run < hosts.size(); ++run)
        std::memcpy(hosts[run], all.data() + run * bytes, bytes);
}

void Device::wait() {
    context_.expect(api()->Finish(queues_.own().handle), "waiting");
}

float* Device::scratch(std::size_t floats) {
    Queue& own = queues_.own();
    const bool fits = own.scratch != nullptr && floats <= own.scratch_floats;
    if (!fits || runs_of(own.scratch) != own.runs) {
        release_scratch();
        own.scratch = allocate(floats);
        own.scratch_floats = floats;
    }
    return own.scratch;
}

void Device::release_scratch() noexcept {
    Queue& own = queues_.own();
    if (own.scratch != nullptr) release(own.scratch);
    own.scratch = nullptr;
    own.scratch_floats = 0;
}

void Device::begin_runs(std::span<const std::uint64_t> seeds) {
    Queue& own = queues_.own();
    if (own.runs > 1 || seeds.empty() || seeds.size() > gpu::SideBySide::most_runs)
        throw std::logic_error("runs side by side: none, too many, or some within others");
    if (seeds.size() == 1) return;  // operations name it
    std::vector<std::uint64_t> list(seeds.begin(), seeds.end());
    keep(list.data(), seeds.size_bytes());
    own.seeds = std::move(list);
    own.runs = seeds.size();
}

void Device::end_runs() noexcept {
    Queue& own = queues_.own();
    release_scratch();  // there is a copy for each run
    if (!own.seeds.empty()) forget(own.seeds.data());
    own.runs = 1;
    own.seeds.clear();
}

Device::Call Device::begin(const std::string& kernel) {
    Queue& own = queues_.own();
    const auto [place, is_new] = own.kernels.try_emplace(kernel, nullptr);
    if (place->second == nullptr) place->second = context_.new_kernel(kernel);
    return {kernel, own, place->second};
}

void Device::add_bytes(Call& call, const void* value, std::size_t size) const {
    context_.expect(api()->SetKernelArg(call.kernel, call.arguments++, size, value),
                    "an argument of " + call.name);
}

// A matrix of the device, or a list of the host: one that is kept, or a copy for this call alone.
Place Device::place_for(Call& call, const void* memory, std::size_t bytes, Access access) {
    if (of(memory) == this) {
        const Place place = matrices_.place_of(memory);
        if (place.runs != call.queue.runs && (place.runs > 1 || access == Access::write))
            throw std::logic_error("a matrix of one run, or of others, where each run has its own");
        return place;
    }
    if (memory == nullptr || bytes == 0) return {};
    cl_command_queue queue = call.queue.handle;
    if (const std::optional<Place> kept = lists_.find(memory, bytes, queue)) {
        if (kept->runs != 1 && kept->runs != call.queue.runs) throw std::logic_error("lists of other runs");
        return *kept;
    }
    return {call.temporary.emplace_back(copy_of(context_, memory, bytes, queue)).memory()};
}

// Memory is a buffer, the number of its element to begin with, and how far the next run's is from there.
void Device::add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element,
                        Access access) {
    const Place place = place_for(call, memory, bytes, access);
    add_bytes(call, static_cast<const void*>(&place.buffer), sizeof(cl_mem));
    add(call, static_cast<std::uint64_t>(place.offset / element));
    add(call, static_cast<std::uint64_t>(place.apart / element));
}

// In ranges of rows: devices of NVIDIA may take no more than 65,535 groups in the second dimension.
void Device::finish(Call& call, const Grid& grid) {
    const std::size_t step = 65535 * grid.group[1];
    const std::array<std::size_t, 3> group{grid.group[0], grid.group[1], 1};
    cl_int code = CL_SUCCESS;
    for (std::size_t first = 0; first < grid.items[1] && code == CL_SUCCESS; first += step) {
        const std::array<std::size_t, 3> offset{0, first, 0};
        const std::array<std::size_t, 3> items{grid.items[0], std::min(step, grid.items[1] - first),
                                               call.queue.runs};
        code = api()->EnqueueNDRangeKernel(call.queue.handle, call.kernel, 3, offset.data(), items.data(),
                                           group.data(), 0, nullptr, nullptr);
    }
    ++traffic().kernels;
    context_.expect(code, call.name);
}

}  // namespace hwgcn::opencl
