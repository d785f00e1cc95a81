#pragma once

#include <map>
#include <string>
#include <vector>

#include "methods/classic_method.hpp"
#include "methods/diffusion/diffused_features.hpp"
#include "methods/linear/even_columns.hpp"

namespace hwgcn {

/// What a linear classifier sees of the diffused features.
struct DiffusedView {
    std::size_t diffusion = 0;  ///< of several
    bool unit_rows = true;      ///< rows of length 1, before and after the diffusion
    bool even_columns = false;  ///< columns of mean 0 and deviation 1

    auto operator<=>(const DiffusedView&) const = default;
};

/// The views to choose from. The first ones are taken where no label can judge.
struct DiffusedViews {
    std::vector<Diffusion> diffusions;
    std::vector<bool> unit_rows = {true, false};
    std::vector<bool> even_columns = {false, true};
};

/// The diffused features of some nodes, in every view; each is made when it is asked for.
class DiffusedNodes {
  public:
    DiffusedNodes(const ClassicGraph& graph, std::vector<Diffusion> diffusions, std::vector<Index> nodes)
        : graph_(graph), diffusions_(std::move(diffusions)), nodes_(std::move(nodes)) {}

    /// A row for each of the nodes; columns are as they are.
    CsrMatrix<float> rows(std::size_t diffusion, bool unit, const ExecutionControl& control);

  private:
    const ClassicGraph& graph_;
    std::vector<Diffusion> diffusions_;
    std::vector<Index> nodes_;
    std::map<bool, std::vector<DenseMatrix>> made_;  // by whether rows have length 1
};

/// Divides every row by its length; rows of zeros stay zero.
void make_unit_rows(MatrixView matrix);

struct ChosenView {
    DiffusedView view;
    double strength = 0;   ///< of the penalty
    double sharpness = 1;  ///< what the scores are multiplied by
    double labels = 0;     ///< training labels that it was found with; 0: none
    std::string judges;    ///< "5 folds and 500 validation nodes"; nothing where there were none
};

/// The view and the strength with the lowest log loss on held-out labels: scales of rows and columns under
/// the first diffusion, then the diffusion (farther ones than the first, then nearer ones, as long as they
/// are better), then once more the scales. A strong penalty makes all scores small, and the log loss would
/// mistake that for doubt: scores are multiplied by the power of 2 that suits them best before they are
/// judged, and in the end.
ChosenView choose_view(const ClassicGraph& graph, const KnownLabels& known, const DiffusedViews& views,
                       const ExecutionControl& control);

}  // namespace hwgcn
