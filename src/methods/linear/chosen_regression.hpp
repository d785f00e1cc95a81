#pragma once

#include "methods/classic_method.hpp"
#include "methods/linear/even_columns.hpp"
#include "methods/linear/strength_choice.hpp"

namespace hwgcn {

/// A logistic regression whose strength of the penalty was chosen by held-out labels.
struct ChosenRegression {
    DenseMatrix theta;   ///< for columns as they are given: a row for each, and a last one for the bias
    ClassicModel model;  ///< its summary and notes; no parameters
};

/// Learned from the training nodes, on columns of one scale.
ChosenRegression choose_regression(const EvenColumns& columns, const StrengthChoice::RowsOf& rows_of,
                                   Index classes, const KnownLabels& known, const ExecutionControl& control);

}  // namespace hwgcn
