// Processes of MPI keep the promises of Peers, and end as they should where one of them fails.
//
//   check_peers                  the promises, with pieces of 1 KiB and of the usual size
//   check_peers KIND RANK        process RANK ("all": each) fails; KIND is input, run, memory, interrupt,
//                                exit (without a word), size (a message of another size than expected)
//   check_peers wait             each says "waiting" and waits to be stopped

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "distributed/peers_contract.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "mpi_peers.hpp"
#include "program_name.hpp"

namespace hwgcn::cluster {
namespace {

int check_promises(const MpiSession& session) {
    for (const std::size_t piece : {std::size_t{1024}, usual_piece})
        peers_contract::all_of_it(*session.peers(piece));
    if (session.rank() == 0) std::puts("promises hold");
    return 0;
}

void fail(const std::string& kind, Peers& peers) {
    if (kind == "input") throw InputError("a wrong option");
    if (kind == "run") throw ExecutionError("no space left");
    if (kind == "memory") throw std::bad_alloc();
    if (kind == "interrupt") throw Interrupted();
    if (kind == "exit") std::_Exit(3);
    if (kind == "size") {
        const std::vector<std::byte> message(4);
        peers.transfer((peers.rank() + 1) % peers.size(), message, Peers::nobody, {});
    }
}

// The others wait for a message that never comes, as they do in the middle of work.
int fail_somewhere(const MpiSession& session, const std::string& kind, const std::string& who) {
    const auto peers = session.peers();
    if (who == "all" || who == std::to_string(peers->rank())) fail(kind, *peers);
    std::vector<std::byte> message(8);
    const int from = kind == "size" ? std::stoi(who) : (peers->rank() + 1) % peers->size();
    peers->transfer(Peers::nobody, {}, from, message);
    return 0;
}

// Waits until it is stopped, and looks at the stop flag as long work does.
int wait_for_stop() {
    std::puts("waiting");
    std::fflush(stdout);
    while (true) {
        cli::throw_if_stopped();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

}  // namespace
}  // namespace hwgcn::cluster

int main(int argc, char** argv) {
    using namespace hwgcn;
    cli::set_program_name("hwgcn-mpi");
    cluster::MpiSession session;
    cli::install_signal_handlers();
    return cluster::run_on_all(session, [&] {
        if (argc == 1) return cluster::check_promises(session);
        if (argc == 2) return cluster::wait_for_stop();
        return cluster::fail_somewhere(session, argv[1], argv[2]);
    });
}
