#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/name_index.hpp"

namespace hwgcn {

/// Classes of the nodes in the form that `Dataset` holds.
struct EncodedLabels {
    std::vector<Index> labels;
    std::vector<std::string> class_names;
};

/// Whether a label in a text file says that the class is not known: blank, -1, or NaN in any case.
bool means_unlabelled(std::string_view label);

/// Turns the labels of a text file into numbers of classes. Classes are in ascending order: of their values
/// where all names are integers, else of their letters.
class LabelEncoder {
  public:
    /// The label of the next node.
    void add(std::string_view label);

    EncodedLabels encode() const;

  private:
    NameIndex classes_;
    std::vector<Index> labels_;  // numbers in `classes_`, or `unlabelled`
};

}  // namespace hwgcn
