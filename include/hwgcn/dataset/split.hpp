#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

struct Dataset;

/// Which labels may be used for what. The three lists are disjoint and hold labelled nodes only.
struct Split {
    std::string name;  ///< "planetoid", "random:20:seed=1", or the file it came from
    std::vector<Index> train;
    std::vector<Index> validation;
    std::vector<Index> test;
};

/// The protocol of the paper: `per_class` training nodes of every class, then `validation` and `test` nodes
/// from the rest.
struct RandomSplitOptions {
    int per_class = 20;
    int validation = 500;
    int test = 1000;
    std::uint64_t seed = 0;
};

/// Same options and labels, same split, on any machine; each list ascends. Throws InputError where the labels
/// do not suffice.
Split random_split(const Dataset& dataset, const RandomSplitOptions& options);

/// The split published with the data; throws InputError where there is none.
Split published_split(const Dataset& dataset);

/// Of every class a share for training (at least one node) and a share for validation, in percent; the others
/// test. Throws InputError unless both are positive and leave something over.
Split shares_split(const Dataset& dataset, int train_percent, int validation_percent, std::uint64_t seed);

/// All labelled nodes train: for predictions from few labels, none of which can be spared.
Split all_training_split(const Dataset& dataset);

/// The split that a specification stands for: "planetoid" or "published"; "random:20" or, with the numbers of
/// validation and test nodes, "random:20:300:1000", drawn with `seed`; "shares:60:20", drawn likewise; "all",
/// where all labelled nodes train; otherwise the path of a split file.
Split make_split(const Dataset& dataset, const std::string& specification, std::uint64_t seed);

/// The specification to use where none was given: the published split, else the random one of the paper, made
/// smaller where the labels do not suffice. Then half of the smallest class trains (as many of every class),
/// and of all other nodes one third validates and two thirds test. Throws InputError where there are no
/// labels.
std::string default_split(const Dataset& dataset);

/// Whether labels are so few, under 50 per class on average, that none should be spared for validation.
bool has_few_labels(const Dataset& dataset);

/// A sentence each for labels that are all the same, classes without a training node, which nothing can
/// learn, and those with only one or two.
std::vector<std::string> scarce_labels(const Dataset& dataset, const Split& split);

/// Reads a JSON split written by `write_split` (or by hand: {"train":[ids],"validation":[ids],"test":[ids]},
/// with original node ids); a stored hash must match.
Split read_split(const std::filesystem::path& file, const Dataset& dataset);

/// The same from a text; `file` is for messages.
Split split_from_text(const std::string& file, const std::string& text, const Dataset& dataset);

/// Throws InputError unless `write_split` could write the names that belong to a split, which must be UTF-8:
/// node ids, and the names of the dataset and of the split, which often are those of files.
void check_split_names(const std::filesystem::path& file, const Split& split, const Dataset& dataset);

/// A split with original ids and its hash, as JSON, after `check_split_names`; `file` is for messages.
std::string split_text(const std::filesystem::path& file, const Split& split, const Dataset& dataset);

/// Writes it, atomically.
void write_split(const std::filesystem::path& file, const Split& split, const Dataset& dataset);

/// SHA-256 (hex) over the three lists of original ids, in sorted order: names the split, whatever file it
/// lies in and however the nodes are numbered or listed.
std::string split_hash(const Split& split, const Dataset& dataset);

/// Throws InputError unless the three lists are free of repetitions, disjoint, in range and labelled.
void validate_split(const Split& split, const Dataset& dataset);

}  // namespace hwgcn
