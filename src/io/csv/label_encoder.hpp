#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/table_pieces.hpp"

namespace hwgcn {

/// Classes of the nodes in the form that `Dataset` holds.
struct EncodedLabels {
    std::vector<Index> labels;
    std::vector<std::string> class_names;
    std::int64_t minus_ones = 0;  ///< nodes that are unlabelled because their label is -1
};

/// Whether a label in a text file says that the class is not known: blank, -1, or NaN in any case.
bool means_unlabelled(std::string_view label);

/// Adds a note where nodes are unlabelled because of -1, which may be a class (-1, 0, 1). `where` has the
/// labels.
void note_minus_ones(std::string_view where, std::int64_t count, std::vector<std::string>& notes);

/// Turns the labels of a text file into numbers of classes. Classes are in ascending order: of their values
/// where all names are integers, else of their letters.
class LabelEncoder {
  public:
    /// The label of the next node.
    void add(std::string_view label);

    /// The classes of all pieces of the file.
    void join(TablePieces& pieces);

    EncodedLabels encode() const;

  private:
    NameIndex classes_;
    std::int64_t minus_ones_ = 0;
    std::vector<Index> labels_;  // numbers in `classes_`, or `unlabelled`
};

}  // namespace hwgcn
