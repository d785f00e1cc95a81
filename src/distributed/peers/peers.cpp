#include "distributed/peers/peers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

// Adds up or compares at rank 0, and tells everybody.
template <typename T, typename Join>
std::vector<T> joined(Peers& peers, std::vector<T> own, const Join& join) {
    const std::vector<Bytes> all = gather(peers, 0, bytes_of(own));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        const std::vector<T> other = values_of<T>(all[rank]);
        for (std::size_t k = 0; k < own.size(); ++k)
            own[k] = join(own[k], other[k]);
    }
    broadcast(peers, 0, std::as_writable_bytes(std::span(own)));
    return own;
}

}  // namespace

std::vector<std::int64_t> exchange_numbers(Peers& peers, const std::vector<std::int64_t>& out) {
    const int size = peers.size();
    std::vector<std::int64_t> in(out.size());
    in[peers.rank()] = out[peers.rank()];
    for (int step = 1; step < size; ++step) {
        const int to = (peers.rank() + step) % size;
        const int from = (peers.rank() - step + size) % size;
        peers.transfer(to, std::as_bytes(std::span(&out[to], 1)), from,
                       std::as_writable_bytes(std::span(&in[from], 1)));
    }
    return in;
}

// A binomial tree over the ranks counted from the root: in the round of distance d, those below d tell those
// d further on.
void broadcast(Peers& peers, int root, std::span<std::byte> bytes) {
    const int size = peers.size();
    const int own = (peers.rank() - root + size) % size;
    for (int distance = 1; distance < size; distance *= 2) {
        if (own < distance && own + distance < size)
            peers.transfer((own + distance + root) % size, bytes, Peers::nobody, {});
        if (own >= distance && own < 2 * distance)
            peers.transfer(Peers::nobody, {}, (own - distance + root) % size, bytes);
    }
}

std::vector<Bytes> gather(Peers& peers, int root, const Bytes& own) {
    std::vector<Bytes> out(static_cast<std::size_t>(peers.size()));
    if (peers.rank() != root) {
        const std::array<std::int64_t, 1> size{static_cast<std::int64_t>(own.size())};
        peers.transfer(root, std::as_bytes(std::span(size)), Peers::nobody, {});
        peers.transfer(root, own, Peers::nobody, {});
        return {};
    }
    out[root] = own;
    for (int from = 0; from < peers.size(); ++from) {
        if (from == root) continue;
        std::array<std::int64_t, 1> size{};
        peers.transfer(Peers::nobody, {}, from, std::as_writable_bytes(std::span(size)));
        out[from].resize(static_cast<std::size_t>(size[0]));
        peers.transfer(Peers::nobody, {}, from, out[from]);
    }
    return out;
}

bool any(Peers& peers, bool own) {
    return total(peers, own ? 1 : 0) > 0;
}

std::int64_t total(Peers& peers, std::int64_t own) {
    return totals(peers, {own}).front();
}

std::vector<std::int64_t> totals(Peers& peers, std::vector<std::int64_t> own) {
    return joined(peers, std::move(own), [](std::int64_t a, std::int64_t b) { return a + b; });
}

double maximum(Peers& peers, double own) {
    return joined(peers, std::vector<double>{own}, [](double a, double b) { return std::max(a, b); }).front();
}

void expect_same(Peers& peers, const std::string& what, const std::string& own) {
    std::array<std::int64_t, 1> size{static_cast<std::int64_t>(own.size())};
    broadcast(peers, 0, std::as_writable_bytes(std::span(size)));
    std::string first = own;
    first.resize(static_cast<std::size_t>(size[0]));
    broadcast(peers, 0, std::as_writable_bytes(std::span(first)));
    std::vector<std::int64_t> differs(static_cast<std::size_t>(peers.size()));
    differs[peers.rank()] = first == own ? 0 : 1;
    differs = totals(peers, std::move(differs));
    const auto other = std::ranges::find(differs, 1);
    if (other != differs.end()) {
        throw InputError(fmt::format("process {} has another {} than process 0",
                                     static_cast<int>(other - differs.begin()), what));
    }
}

void on_first(Peers& peers, const std::function<void()>& work) {
    std::string failure;
    bool failed = false;
    try {
        if (peers.rank() == 0) work();
    } catch (const InputError& error) {
        failure = error.what();
        failed = true;
    }
    std::array<std::int64_t, 2> told{failed ? 1 : 0, std::ssize(failure)};
    broadcast(peers, 0, std::as_writable_bytes(std::span(told)));
    if (told[0] == 0) return;
    failure.resize(static_cast<std::size_t>(told[1]));
    broadcast(peers, 0, std::as_writable_bytes(std::span(failure)));
    throw InputError(failure);
}

}  // namespace hwgcn
