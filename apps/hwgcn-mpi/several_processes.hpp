#pragma once

#include <memory>
#include <string>

#include "distributed/peers/peers.hpp"
#include "execution_context.hpp"

namespace hwgcn::cluster {

/// Commands are carried out by all processes of a job together, each on its part of a sharded dataset. `node`
/// is the machine of this process. The peers must outlive it.
std::unique_ptr<const cli::ExecutionContext> several_processes(Peers& peers, const std::string& node);

}  // namespace hwgcn::cluster
