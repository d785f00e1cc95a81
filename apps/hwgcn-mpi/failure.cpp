#include "failure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "command.hpp"
#include "output.hpp"

namespace hwgcn::cluster {
namespace {

namespace exit_status = cli::exit_status;

struct Failure {
    int status = exit_status::failed_run;
    std::string message;
};

// How long to wait for others to find the same. After SIGTERM, `mpirun` kills within a second.
std::chrono::milliseconds patience(const Failure& failure) {
    return std::chrono::milliseconds(failure.status == exit_status::interrupted ? 400 : 1000);
}

std::optional<Failure> failure_of(const std::function<int()>& work, int& status) {
    try {
        status = work();
        return std::nullopt;
    } catch (const Interrupted&) {
        return Failure{exit_status::interrupted,
                       "interrupted; the same command goes on from what is finished"};
    } catch (const InputError& error) {
        return Failure{exit_status::wrong_usage, error.what()};
    } catch (const std::bad_alloc&) {
        return Failure{exit_status::failed_run,
                       "out of memory: more machines, fewer `threads` or less `weights_memory` need less"};
    } catch (const std::exception& error) {
        return Failure{exit_status::failed_run, error.what()};
    }
}

Bytes packed(const Failure& failure, const std::string& node) {
    const std::string text = fmt::format("{}\n{}\n{}", failure.status, node, failure.message);
    return bytes_of(std::span<const char>(text));
}

struct Told {
    Failure failure;
    std::string node;
};

Told unpacked(const Bytes& bytes) {
    const std::vector<char> letters = values_of<char>(bytes);
    const std::string text(letters.begin(), letters.end());
    const std::size_t first = text.find('\n');
    const std::size_t second = text.find('\n', first + 1);
    return {{std::stoi(text.substr(0, first)), text.substr(second + 1)},
            text.substr(first + 1, second - first - 1)};
}

void say_alone(int rank, const std::string& node, const std::string& message) {
    cli::say("error", fmt::format("process {} on {}: {}", rank, node, message));
}

// Process 0 has what all found. An interrupt is the reason only where there is no other one.
int say_for_all(const std::vector<Bytes>& all) {
    std::vector<Told> told;
    for (const Bytes& bytes : all)
        told.push_back(unpacked(bytes));
    const Told& first = told.front();
    const bool same = std::ranges::all_of(
        told, [&](const Told& one) { return one.failure.message == first.failure.message; });
    if (same) {
        cli::say("error", first.failure.message);
        return first.failure.status;
    }
    int status = exit_status::interrupted;
    for (std::size_t rank = 0; rank < told.size(); ++rank) {
        const Failure& failure = told[rank].failure;
        if (failure.status == exit_status::interrupted) continue;
        say_alone(static_cast<int>(rank), told[rank].node, failure.message);
        if (status == exit_status::interrupted) status = failure.status;
    }
    return status;
}

int end_together(MpiSession& session, const Failure& failure) {
    Peers& peers = session.after_arrival();
    const std::vector<Bytes> all = gather(peers, 0, packed(failure, session.node()));
    std::array<int, 1> status{failure.status};
    if (session.rank() == 0) status[0] = say_for_all(all);
    broadcast(peers, 0, std::as_writable_bytes(std::span(status)));
    return status[0];
}

}  // namespace

int run_on_all(MpiSession& session, const std::function<int()>& work) {
    int status = exit_status::failed_run;
    try {
        const std::optional<Failure> failure = failure_of(work, status);
        if (!failure) return status;
        status = failure->status;
        if (session.all_arrive(patience(*failure))) return end_together(session, *failure);
        say_alone(session.rank(), session.node(), failure->message);
    } catch (...) {
        // No memory for a message: the status has to do.
    }
    MpiSession::abort(status);
}

}  // namespace hwgcn::cluster
