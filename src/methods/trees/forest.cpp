#include "methods/trees/forest.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

[[noreturn]] void fail_damaged(Index place, const char* what) {
    throw InputError(
        fmt::format("the trees of the model are damaged: row {} {}; train it anew", place, what));
}

// A whole number in 0..most.
bool is_count(float number, float most) {
    return number >= 0 && number <= most && std::floor(number) == number;
}

TreePlace place_from(ConstMatrixView places, Index k, Index columns) {
    TreePlace place;
    if (places.at(k, 0) != -1.0F) {
        if (!is_count(places.at(k, 0), static_cast<float>(columns) - 1)) fail_damaged(k, "names no column");
        place.column = static_cast<Index>(places.at(k, 0));
    }
    place.number = places.at(k, 1);
    if (!std::isfinite(place.number)) fail_damaged(k, "has no finite number");
    if (!is_count(places.at(k, 2), 1)) fail_damaged(k, "does not say where missing numbers go");
    place.missing_left = places.at(k, 2) == 1.0F;
    place.rows = places.at(k, 3);
    if (!is_count(place.rows, 0x1p24F) || place.rows == 0) fail_damaged(k, "has no number of rows");
    return place;
}

}  // namespace

Index Forest::class_of(std::size_t tree) const {
    if (classes() == 2) return 1;
    return static_cast<Index>(tree % static_cast<std::size_t>(trees_per_round()));
}

const TreePlace& Forest::leaf(std::size_t tree, std::span<const float> row) const {
    std::int32_t k = roots[tree];
    while (!places[k].is_leaf())
        k = places[k].goes_left(row[places[k].column]) ? k + 1 : places[k].right;
    return places[k];
}

void Forest::scores(std::span<const float> row, std::span<double> result) const {
    std::ranges::copy(bias, result.begin());
    for (std::size_t tree = 0; tree < roots.size(); ++tree)
        result[class_of(tree)] += static_cast<double>(leaf(tree, row).number);
}

DenseMatrix matrix_of_places(const Forest& forest) {
    DenseMatrix result(static_cast<Index>(forest.places.size()), columns_of_a_place);
    for (Index k = 0; k < result.rows(); ++k) {
        const TreePlace& place = forest.places[k];
        result.at(k, 0) = static_cast<float>(place.column);
        result.at(k, 1) = place.number;
        result.at(k, 2) = place.missing_left ? 1.0F : 0.0F;
        result.at(k, 3) = place.rows;
    }
    return result;
}

DenseMatrix matrix_of_bias(const Forest& forest) {
    DenseMatrix result(1, forest.classes());
    for (Index c = 0; c < result.columns(); ++c)
        result.at(0, c) = static_cast<float>(forest.bias[c]);
    return result;
}

// In preorder a place is the next child of the last split that lacks one: these splits are a stack.
Forest forest_from(ConstMatrixView places, ConstMatrixView bias, Index columns) {
    Forest forest;
    for (Index c = 0; c < bias.columns; ++c) {
        if (!std::isfinite(bias.at(0, c))) fail_damaged(c, "of the biases is not finite");
        forest.bias.push_back(static_cast<double>(bias.at(0, c)));
    }
    struct Open {
        std::int32_t place;
        int children;
    };
    std::vector<Open> open;
    for (Index k = 0; k < places.rows; ++k) {
        forest.places.push_back(place_from(places, k, columns));
        if (open.empty()) {
            forest.roots.push_back(k);
        } else if (++open.back().children == 2) {
            TreePlace& parent = forest.places[open.back().place];
            parent.right = k;
            if (forest.places[open.back().place + 1].rows + forest.places[k].rows != parent.rows)
                fail_damaged(k, "has not the rows that are left");
        }
        if (!forest.places[k].is_leaf()) open.push_back({k, 0});
        if (open.size() > deepest_tree) fail_damaged(k, "is too deep");
        while (forest.places[k].is_leaf() && !open.empty() && open.back().children == 2)
            open.pop_back();
    }
    if (!open.empty()) fail_damaged(places.rows, "is missing");
    if (bias.columns == 0 || static_cast<Index>(forest.roots.size()) % forest.trees_per_round() != 0)
        fail_damaged(places.rows, "is missing: a round is not complete");
    return forest;
}

}  // namespace hwgcn
