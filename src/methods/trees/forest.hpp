#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// A place of a binary tree. Trees are stored in preorder: the left child of a split is the next place.
struct TreePlace {
    static constexpr Index leaf = -1;

    Index column = leaf;        ///< that a split looks at
    float number = 0;           ///< of a split, the largest that goes left; of a leaf, what it adds
    bool missing_left = false;  ///< where rows without the number go
    float rows = 0;             ///< that it was grown on
    std::int32_t right = 0;     ///< the place of the right child

    bool is_leaf() const { return column == leaf; }
    bool goes_left(float value) const { return value != value ? missing_left : value <= number; }
};

/// Trees round by round: a tree for each class in turn, of two classes one tree for the second. The scores of
/// a row are `bias` and the leaves that it falls into.
struct Forest {
    std::vector<double> bias;  ///< per class
    std::vector<TreePlace> places;
    std::vector<std::int32_t> roots;

    Index classes() const { return static_cast<Index>(bias.size()); }
    Index trees_per_round() const { return trees_of_a_round(classes()); }
    Index rounds() const { return static_cast<Index>(roots.size()) / trees_per_round(); }

    /// The class whose score a tree adds to.
    Index class_of(std::size_t tree) const;

    static Index trees_of_a_round(Index classes) { return classes == 2 ? 1 : classes; }

    /// The leaf of one tree for a row.
    const TreePlace& leaf(std::size_t tree, std::span<const float> row) const;

    /// The scores of a row, added in the order of the trees.
    void scores(std::span<const float> row, std::span<double> result) const;
};

/// A forest as a model keeps it: a row per place with column (-1: a leaf), number, whether missing ones go
/// left, and rows; and the biases in a row.
inline constexpr Index columns_of_a_place = 4;
inline constexpr int deepest_tree = 64;
DenseMatrix matrix_of_places(const Forest& forest);
DenseMatrix matrix_of_bias(const Forest& forest);

/// Throws InputError where these are no trees over so many columns: whatever a file holds, walking through
/// what this returns ends and stays inside.
Forest forest_from(ConstMatrixView places, ConstMatrixView bias, Index columns);

}  // namespace hwgcn
