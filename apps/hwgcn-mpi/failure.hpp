#pragma once

#include <functional>

#include "mpi_peers.hpp"

namespace hwgcn::cluster {

/// Does the work of this process and returns its exit status. What it throws ends all processes, and none is
/// left waiting for another one. An error that all have found is printed once, by process 0, and they end by
/// themselves; another one is printed by the process that found it, with its number and machine, and that
/// ends the job.
int run_on_all(MpiSession& session, const std::function<int()>& work);

}  // namespace hwgcn::cluster
