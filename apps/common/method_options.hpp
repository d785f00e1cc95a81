#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "common_options.hpp"

namespace hwgcn::cli {

/// Where learned weights are kept between calls.
struct CacheOptions {
    std::filesystem::path directory;
    bool off = false;
    double memory_gb = 0;  ///< for rows of other processes while weights are learned; 0: no limit
};
void add_cache_options(CLI::App& command, CacheOptions& options);

/// The folder that the options stand for; empty: no cache. Throws InputError where they contradict each
/// other.
std::filesystem::path cache_directory(const CacheOptions& options);

/// The cache itself, or null.
std::unique_ptr<const WeightCache> open_cache(const CacheOptions& options);

/// What is done about rare classes.
struct DecisionOptions {
    std::string class_weights;  ///< "balanced" or a file; empty: none
    std::string threshold;      ///< "f1", "balanced" or a number; empty: none
};
void add_decision_options(CLI::App& command, DecisionOptions& options);

/// The file that they name, if any, for those who check what is read.
std::vector<std::filesystem::path> input_files(const DecisionOptions& options);

/// An option for every setting of any method. They are not in the help, unless `explain_settings` adds those
/// of the methods asked for (separated by commas), with their published values.
void add_setting_options(CLI::App& command, std::vector<Setting>& given);
void explain_settings(CLI::App& command, const std::string& methods);

/// The published settings of the methods (separated by commas), changed by what was given. Throws InputError
/// for a setting that none of them reads.
std::vector<AskedMethod> chosen_methods(const std::string& names, const std::vector<Setting>& given,
                                        const std::string& dataset_name);

/// "Methods: lp, mlp, .." for the help of a command, and a line for each in its place, with what it is.
std::string methods_help();
void describe_methods(CLI::App& command);

}  // namespace hwgcn::cli
