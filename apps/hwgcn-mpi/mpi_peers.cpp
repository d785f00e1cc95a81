#include "mpi_peers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn::cluster {
namespace {

constexpr int tag = 0;  // messages of one process to another arrive in the order in which they were sent

std::string meaning_of(int code) {
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return fmt::format("code {}", code);
    return text.data();
}

void expect_success(int code, const char* what) {
    if (code != MPI_SUCCESS) throw ExecutionError(fmt::format("MPI: {} failed: {}", what, meaning_of(code)));
}

// What is under way of one transfer.
struct Pieces {
    std::vector<MPI_Request> requests;
    std::vector<int> lengths;  // of each: those that arrive come first
    std::size_t arriving = 0;
};

// Calls start(offset, length, request) for each piece.
template <typename Start>
void start_pieces(std::size_t bytes, std::size_t piece, Pieces& pieces, const Start& start) {
    for (std::size_t offset = 0; offset < bytes; offset += piece) {
        const auto length = static_cast<int>(std::min(piece, bytes - offset));
        pieces.requests.push_back(MPI_REQUEST_NULL);
        pieces.lengths.push_back(length);
        expect_success(start(offset, length, &pieces.requests.back()), "a message");
    }
}

void wait_for(Pieces& pieces) {
    std::vector<MPI_Status> statuses(pieces.requests.size());
    const int code =
        MPI_Waitall(static_cast<int>(pieces.requests.size()), pieces.requests.data(), statuses.data());
    if (code == MPI_ERR_IN_STATUS) {
        for (const MPI_Status& status : statuses)
            if (status.MPI_ERROR != MPI_ERR_PENDING) expect_success(status.MPI_ERROR, "a message");
    }
    expect_success(code, "a message");
    for (std::size_t k = 0; k < pieces.arriving; ++k) {
        int length = 0;
        expect_success(MPI_Get_count(&statuses[k], MPI_BYTE, &length), "a message");
        if (length != pieces.lengths[k])
            throw ExecutionError(fmt::format("a message of process {} has {} bytes, expected {}",
                                             statuses[k].MPI_SOURCE, length, pieces.lengths[k]));
    }
}

int number_of(MPI_Comm communicator) {
    return static_cast<int>(MPI_Comm_c2f(communicator));
}

MPI_Comm communicator_of(int number) {
    return MPI_Comm_f2c(static_cast<MPI_Fint>(number));
}

std::string node_name() {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    expect_success(MPI_Get_processor_name(name.data(), &length), "the name of the machine");
    return name.data();
}

}  // namespace

MpiPeers::MpiPeers(int communicator, std::size_t piece) : communicator_(communicator), piece_(piece) {
    expect_success(MPI_Comm_rank(communicator_of(communicator), &rank_), "the number of the process");
    expect_success(MPI_Comm_size(communicator_of(communicator), &size_), "the number of processes");
}

// All pieces at once: no process waits for a piece that its peer sends only after one of ours.
void MpiPeers::transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) {
    const MPI_Comm communicator = communicator_of(communicator_);
    Pieces pieces;
    const auto count = [&](std::size_t bytes) { return bytes / piece_ + 1; };
    pieces.requests.reserve(count(in.size()) + count(out.size()));
    if (from != nobody) {
        start_pieces(in.size(), piece_, pieces, [&](std::size_t offset, int length, MPI_Request* request) {
            return MPI_Irecv(in.data() + offset, length, MPI_BYTE, from, tag, communicator, request);
        });
    }
    pieces.arriving = pieces.requests.size();
    if (to != nobody) {
        start_pieces(out.size(), piece_, pieces, [&](std::size_t offset, int length, MPI_Request* request) {
            return MPI_Isend(out.data() + offset, length, MPI_BYTE, to, tag, communicator, request);
        });
    }
    if (!pieces.requests.empty()) wait_for(pieces);
    if (from != nobody && from != rank_) count_received(in.size());
}

MpiSession::MpiSession() {
    int level = MPI_THREAD_SINGLE;
    expect_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "its start");
    expect_success(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "its setup");
    if (level < MPI_THREAD_SERIALIZED)
        throw ExecutionError("this MPI does not allow calls from several threads (MPI_THREAD_SERIALIZED)");
    MPI_Comm ending = MPI_COMM_NULL;
    expect_success(MPI_Comm_dup(MPI_COMM_WORLD, &ending), "its setup");
    ending_communicator_ = number_of(ending);
    ending_ = std::make_unique<MpiPeers>(ending_communicator_, usual_piece);
    node_ = node_name();
}

MpiSession::~MpiSession() {
    MPI_Finalize();
}

std::unique_ptr<Peers> MpiSession::peers(std::size_t piece) const {
    return std::make_unique<MpiPeers>(number_of(MPI_COMM_WORLD), piece);
}

bool MpiSession::all_arrive(std::chrono::milliseconds longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    MPI_Request request = MPI_REQUEST_NULL;
    expect_success(MPI_Ibarrier(communicator_of(ending_communicator_), &request), "waiting for the others");
    int arrived = 0;
    while (true) {
        expect_success(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), "waiting for the others");
        if (arrived != 0 || std::chrono::steady_clock::now() > end) return arrived != 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void MpiSession::abort(int status) noexcept {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);  // where MPI did not
}

}  // namespace hwgcn::cluster
