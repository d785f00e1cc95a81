#include "methods/linear/chosen_regression.hpp"

#include <string>

#include <fmt/format.h>

namespace hwgcn {
namespace {

ClassicModel describe(const Minimum& minimum, double strength, const std::string& judges) {
    ClassicModel model;
    model.summary = fmt::format("L2 strength {:g}{}, {} steps to a gradient of {:.1e}.", strength,
                                judges.empty() ? "" : fmt::format(" by the log loss of {}", judges),
                                minimum.iterations, minimum.gradient);
    if (!minimum.converged) {
        model.notes.push_back(fmt::format(
            "logistic regression: stopped after {} steps with a gradient of {:.1e}, short of {:.1e}",
            minimum.iterations, minimum.gradient, MinimizerOptions().tolerance));
    }
    return model;
}

}  // namespace

ChosenRegression choose_regression(const EvenColumns& columns, const StrengthChoice::RowsOf& rows_of,
                                   Index classes, const KnownLabels& known, const ExecutionControl& control) {
    StrengthChoice choice(rows_of, classes, known, {});
    const double strength = choice.choose(control).strength;
    const CsrMatrix<float> rows = rows_of(known.train.nodes);
    const Minimum minimum =
        minimize_with_strength({rows, known.train.labels, classes, known.train.weights}, strength,
                               std::vector<double>((static_cast<std::size_t>(columns.columns()) + 1) *
                                                   static_cast<std::size_t>(classes)),
                               {}, control);
    return {columns.for_given_features(minimum.x, classes), describe(minimum, strength, choice.judges())};
}

}  // namespace hwgcn
