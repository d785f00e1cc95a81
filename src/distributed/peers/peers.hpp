#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hwgcn {

/// The processes that share one piece of work, seen by one of them. All of them make the same calls in the
/// same order. How many they are never changes a result.
class Peers {
  public:
    static constexpr int nobody = -1;

    Peers() = default;
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;
    virtual ~Peers() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Sends `out` to peer `to` while `in`, of the size that is sent, arrives from peer `from`; either may be
    /// `nobody`. Returns when both are done. Throws ExecutionError where a peer is gone.
    virtual void transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) = 0;

    /// Bytes that came from others so far.
    std::int64_t bytes_received() const { return bytes_received_; }

  protected:
    void count_received(std::size_t bytes) { bytes_received_ += static_cast<std::int64_t>(bytes); }

  private:
    std::int64_t bytes_received_ = 0;
};

using Bytes = std::vector<std::byte>;

/// Everybody says out[r] to peer r and hears what peer r says, as element r.
std::vector<std::int64_t> exchange_numbers(Peers& peers, const std::vector<std::int64_t>& out);

/// What peer `root` has in `bytes` is in everybody's; all have the same size.
void broadcast(Peers& peers, int root, std::span<std::byte> bytes);

/// What everybody has, by rank, at `root`; nothing elsewhere.
std::vector<Bytes> gather(Peers& peers, int root, const Bytes& own);

/// Whether somebody says so.
bool any(Peers& peers, bool own);

/// Sums and maxima of numbers of which exact ones come out, whatever the order.
std::int64_t total(Peers& peers, std::int64_t own);
std::vector<std::int64_t> totals(Peers& peers, std::vector<std::int64_t> own);
double maximum(Peers& peers, double own);

/// Throws InputError, on every process, unless all have the same text: `what` says what it is.
void expect_same(Peers& peers, const std::string& what, const std::string& own);

/// Calls `work` at the first process alone. An InputError that it throws there is thrown by all.
void on_first(Peers& peers, const std::function<void()>& work);

/// Plain values as bytes and back.
template <typename T>
Bytes bytes_of(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    Bytes bytes(values.size_bytes());
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}
template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
    return bytes_of(std::span<const T>(values));
}
template <typename T>
std::vector<T> values_of(const Bytes& bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

/// Everybody sends out[r] to peer r and gets what peer r sent, as element r. Peers talk in pairs, so that
/// nobody has to answer all others at once.
template <typename T>
std::vector<std::vector<T>> exchange_values(Peers& peers, const std::vector<std::vector<T>>& out) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::int64_t> sizes;
    for (const std::vector<T>& values : out)
        sizes.push_back(static_cast<std::int64_t>(values.size()));
    sizes = exchange_numbers(peers, sizes);
    std::vector<std::vector<T>> in(out.size());
    in[peers.rank()] = out[peers.rank()];
    for (int step = 1; step < peers.size(); ++step) {
        const int to = (peers.rank() + step) % peers.size();
        const int from = (peers.rank() - step + peers.size()) % peers.size();
        in[from].resize(static_cast<std::size_t>(sizes[from]));
        peers.transfer(to, std::as_bytes(std::span(out[to])), from,
                       std::as_writable_bytes(std::span(in[from])));
    }
    return in;
}

}  // namespace hwgcn
