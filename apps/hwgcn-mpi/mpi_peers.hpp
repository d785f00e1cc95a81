#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "distributed/peers/peers.hpp"

namespace hwgcn::cluster {

/// Messages of MPI count in `int`: a longer one goes in several pieces.
inline constexpr std::size_t usual_piece = std::size_t{1} << 30;

/// The processes that `mpirun` or `srun` has started, by MPI.
class MpiPeers final : public Peers {
  public:
    /// `communicator` is MPI's number of one: other files need no header of MPI.
    MpiPeers(int communicator, std::size_t piece);

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) override;

  private:
    int communicator_;
    std::size_t piece_;
    int rank_ = 0;
    int size_ = 1;
};

/// MPI, from its start to its end: one per process. Only the thread that made it may use it, or one at a
/// time.
class MpiSession {
  public:
    MpiSession();
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    int rank() const { return ending_->rank(); }
    int size() const { return ending_->size(); }
    const std::string& node() const { return node_; }  ///< name of the machine

    /// All processes. Whoever sends in pieces of another size than the receiver expects is not understood.
    std::unique_ptr<Peers> peers(std::size_t piece = usual_piece) const;

    /// Waits until all processes have called this, but not longer than that. Whether they have. Once only.
    bool all_arrive(std::chrono::milliseconds longest);

    /// The same processes on a channel of their own, where no message of unfinished work can be: for those
    /// who have all arrived.
    Peers& after_arrival() { return *ending_; }

    /// Ends all processes at once; `status` becomes that of the job.
    [[noreturn]] static void abort(int status) noexcept;

  private:
    std::string node_;
    std::unique_ptr<Peers> ending_;
    int ending_communicator_ = 0;
};

}  // namespace hwgcn::cluster
