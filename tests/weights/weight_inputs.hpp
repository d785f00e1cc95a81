#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn::testing {

/// What weights are learned from.
struct Input {
    explicit Input(const Dataset& dataset)
        : graph(dataset.nodes, dataset.edges), features(row_normalized(dataset.features)) {}
    Graph graph;
    CsrMatrix<float> features;
};

inline const Input& small_input() {
    static const Input input(make_synthetic({.nodes = 300, .vocabulary = 120, .words = 12, .seed = 5}));
    return input;
}

inline void expect_same_bits(const LearnedWeights& a, const LearnedWeights& b) {
    ASSERT_EQ(a.orders.size(), b.orders.size());
    for (std::size_t k = 0; k < a.orders.size(); ++k) {
        const CsrMatrix<double>& x = a.orders[k].matrix;
        const CsrMatrix<double>& y = b.orders[k].matrix;
        EXPECT_EQ(x.offsets, y.offsets);
        EXPECT_EQ(x.indices, y.indices);
        ASSERT_EQ(x.values.size(), y.values.size());
        EXPECT_EQ(std::memcmp(x.values.data(), y.values.data(), x.values.size() * sizeof(double)), 0);
        EXPECT_EQ(a.orders[k].summary.worst_node, b.orders[k].summary.worst_node);
        EXPECT_EQ(a.orders[k].summary.worst_gap, b.orders[k].summary.worst_gap);
        EXPECT_EQ(a.orders[k].summary.statistics_percent, b.orders[k].summary.statistics_percent);
    }
}

}  // namespace hwgcn::testing
