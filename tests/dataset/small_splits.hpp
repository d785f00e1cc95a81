#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn::testing {

/// Nodes n0, n1, ... with the given labels and nothing else.
inline Dataset labelled_nodes(std::vector<Index> labels, Index classes) {
    Dataset dataset;
    dataset.name = "tiny";
    dataset.source = "test";
    dataset.nodes = static_cast<Index>(labels.size());
    dataset.features.rows = dataset.nodes;
    dataset.features.offsets.assign(labels.size() + 1, 0);
    dataset.labels = std::move(labels);
    for (Index label = 0; label < classes; ++label)
        dataset.class_names.push_back(fmt::format("class_{}", label));
    for (Index node = 0; node < dataset.nodes; ++node)
        dataset.node_ids.push_back(fmt::format("n{}", node));
    return dataset;
}

/// Six nodes of two classes; n5 has no label.
inline Dataset six_nodes() {
    return labelled_nodes({0, 1, 0, 1, 0, unlabelled}, 2);
}

/// What an InputError says.
template <typename Call>
std::string input_error(const Call& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no InputError";
}

#define EXPECT_REFUSED(expression, part)              \
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, \
                        hwgcn::testing::input_error([&] { (void)(expression); }))

inline bool same_nodes(const Split& a, const Split& b) {
    return a.train == b.train && a.validation == b.validation && a.test == b.test;
}

}  // namespace hwgcn::testing
