#pragma once

#include <filesystem>

#include "distributed/peers/peers.hpp"

namespace hwgcn::cluster {

/// Throws InputError, on every process, unless all of them see the same folder of this name; creates it where
/// it is missing. A disk of each machine's own would keep the files of one process from the others.
void expect_shared_folder(Peers& peers, const std::filesystem::path& folder);

}  // namespace hwgcn::cluster
