#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/fit.hpp"

namespace hwgcn {

// Both kinds of file are .npz archives of plain arrays, which numpy.load reads without pickle, with a SHA-256
// of all the others in the array `sha256`. They are written atomically; the same content gives the same
// bytes. Loading throws InputError for a file that is damaged or does not fit the network, whose parameters
// `shapes` are, whatever their values.

// A file may say in the array `of` what it is of; then only who expects that reads it. Otherwise a file that
// took the name of another one would be as good as that.

/// One array per parameter, under its name. Returns the SHA-256 of the file.
std::string save_parameters(const std::filesystem::path& file, std::span<const TrainableMatrix> parameters,
                            const std::string& of = "");

/// The parameters in the content of such a file, which is called `file` in messages, and behind them those
/// of `perhaps` where the file has them.
std::vector<TrainableMatrix> parameters_from(const std::string& file, std::string_view bytes,
                                             std::span<const TrainableMatrix> shapes,
                                             const std::string& of = "",
                                             std::span<const TrainableMatrix> perhaps = {});

/// The sizes of what self-training keeps per node.
struct NodeClasses {
    Index nodes = 0;
    Index classes = 0;
};

/// Training between two epochs, down to the last bit.
void save_state(const std::filesystem::path& file, const FitState& state, const std::string& of = "");
FitState load_state(const std::filesystem::path& file, std::span<const TrainableMatrix> shapes,
                    NodeClasses sizes = {}, const std::string& of = "");

}  // namespace hwgcn
