#pragma once

#include <string>

#include "hwgcn/runs/run_folder.hpp"

namespace hwgcn {

/// The setting of `RunManifest::given` that names a run.
inline constexpr const char* title_setting = "name";

/// What a run is called in results and reports: the name that it was given; else that of its dataset, and for
/// a file of edges that is only called so (edges.csv) that of the folder it is in.
std::string run_title(const RunManifest& manifest);

}  // namespace hwgcn
