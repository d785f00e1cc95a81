#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/runs/run_folder.hpp"

#include "output.hpp"

namespace hwgcn::cli {

/// A training that is done, for the two ways of telling about it.
struct FinishedTraining {
    const PreparedGraph& graph;
    const RunManifest& manifest;  ///< with its result
    const TrainedModel& model;
    const std::vector<std::string>& notes;
    const std::filesystem::path& out;  ///< empty: nothing was written
    int threads;
    double seconds;          ///< since the start of the command
    double seconds_reading;  ///< of these, until the data were read
    double peak_mb;
};

std::string text_of(const FinishedTraining& run);
Json json_of(const FinishedTraining& run);

}  // namespace hwgcn::cli
