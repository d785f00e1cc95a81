#include "distributed/io/peer_texts.hpp"

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

enum class Failure : char { none = '0', input = '1', execution = '2', interruption = '3' };

Bytes bytes_of_text(const std::string& text) {
    return bytes_of(std::span<const char>(text.data(), text.size()));
}

std::string text_of_bytes(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void do_together(Peers& peers, const std::function<void()>& work) {
    std::string outcome(1, static_cast<char>(Failure::none));
    try {
        work();
    } catch (const InputError& error) {
        outcome = static_cast<char>(Failure::input) + std::string(error.what());
    } catch (const Interrupted&) {
        outcome = static_cast<char>(Failure::interruption);
    } catch (const Error& error) {
        outcome = static_cast<char>(Failure::execution) + std::string(error.what());
    }
    for (const std::string& one : share_texts(peers, outcome)) {
        const auto failure = static_cast<Failure>(one.front());
        if (failure == Failure::input) throw InputError(one.substr(1));
        if (failure == Failure::execution) throw ExecutionError(one.substr(1));
        if (failure == Failure::interruption) throw Interrupted();
    }
}

std::vector<Bytes> share_bytes(Peers& peers, const Bytes& own) {
    return exchange_values(peers, std::vector<Bytes>(static_cast<std::size_t>(peers.size()), own));
}

std::vector<std::string> share_texts(Peers& peers, const std::string& own) {
    std::vector<std::string> all;
    for (const Bytes& bytes : share_bytes(peers, bytes_of_text(own)))
        all.push_back(text_of_bytes(bytes));
    return all;
}

std::vector<std::string> exchange_texts(Peers& peers, const std::vector<std::string>& out) {
    std::vector<Bytes> bytes;
    for (const std::string& text : out)
        bytes.push_back(bytes_of_text(text));
    std::vector<std::string> in;
    for (const Bytes& arrived : exchange_values(peers, bytes))
        in.push_back(text_of_bytes(arrived));
    return in;
}

// FNV-1a, its upper half, which depends on all letters.
int keeper_of(std::string_view text, int processes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    return static_cast<int>((hash >> 32) % static_cast<std::uint64_t>(processes));
}

std::string joined_texts(const NameIndex& names) {
    std::string text;
    for (const std::string& name : names.names())
        text += name + end_of_text;
    return text;
}

}  // namespace hwgcn
