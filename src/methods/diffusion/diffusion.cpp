#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/parameter.hpp"
#include "methods/diffusion/self_training.hpp"
#include "methods/linear/strength_choice.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

enum class Wanted { chosen, yes, no };

struct DiffusionOptions {
    std::vector<double> teleports = {0.1, 0.05, 0.02, 0.2};
    std::vector<int> powers = {2, 4, 8, 16, 0};
    int propagations = 16;
    int sure_nodes = 10;
    Wanted unit_rows = Wanted::chosen;
    Wanted even_columns = Wanted::chosen;
};

enum Slot : std::size_t { theta_slot, bias_slot, diffusion_slot, unit_rows_slot };

std::vector<TrainableMatrix> no_parameters(int steps, NetworkShape shape) {
    return {{"theta", DenseMatrix(shape.features, shape.classes), true},
            {"bias", DenseMatrix(1, shape.classes), false},
            {"diffusion", DenseMatrix(1, steps + 1), false},
            {"unit_rows", DenseMatrix(1, 1), false}};
}

// H = sum over t of c_t P^t X,  Z = H Theta + b,  the rows of X and H divided by their lengths where the
// labels want it. As Z is linear in H, what goes through the operator is X Theta; only lengths need H.
class DiffusionNetwork final : public Network {
  public:
    DiffusionNetwork(const DiffusionOptions& options, NetworkShape shape)
        : steps_(options.propagations), shape_(shape) {}

    int steps() const override { return steps_; }

    bool propagates_scores() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t) const override {
        return no_parameters(steps_, shape_);
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        const Variable diffusion = pass.parameter(diffusion_slot);
        Variable h = features_alone(pass);
        Variable z = add_multiple(tape, {}, diffusion, steps_, {h, {h}});
        for (Index t = steps_ - 1; t >= 0; --t) {
            h = at_outputs(tape, pass.next_step(), h);
            z = add_multiple(tape, pass.propagate(z), diffusion, t, {h, {h}});
        }
        if (const auto factors = row_scale(pass)) z = scale_rows(tape, z, *factors);
        return add_row(tape, z, pass.parameter(bias_slot));
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{features_alone(pass),
                               download(pass.tape().value(pass.parameter(diffusion_slot))),
                               pass.parameter(bias_slot), row_scale(pass)};
    }

  private:
    static bool has_unit_rows(Pass& pass) {
        return number(pass.tape().value(pass.parameter(unit_rows_slot))) != 0;
    }

    static Variable features_alone(Pass& pass) {
        const Variable theta = pass.parameter(theta_slot);
        return has_unit_rows(pass) ? pass.unit_features_times(theta, 0.0) : pass.features_times(theta, 0.0);
    }

    // 1 / |H_i| at the outputs.
    static std::optional<ConstMatrixView> row_scale(Pass& pass) {
        if (!has_unit_rows(pass)) return std::nullopt;
        Tape& tape = pass.tape();
        const CsrMatrix<float>& x = *pass.field().features.matrix;
        const std::vector<float> scale =
            inverse_diffused_lengths(pass.field(), download(tape.value(pass.parameter(diffusion_slot))),
                                     {x, inverse_row_lengths(x)}, tape.control());
        const MatrixView factors = tape.workspace().matrix(1, static_cast<Index>(scale.size()));
        upload(scale, factors);
        return factors;
    }

    int steps_;
    NetworkShape shape_;
};

// A matrix that somebody else holds.
std::shared_ptr<const CsrMatrix<float>> borrowed(const CsrMatrix<float>& matrix) {
    return {std::shared_ptr<const void>(), &matrix};
}

// Of the rows of H at the training nodes.
DiffusedClassifier trained(const ClassicGraph& graph, const KnownLabels& known, const Diffusion& diffusion,
                           const ChosenView& chosen, const ExecutionControl& control) {
    const CsrMatrix<float> rows =
        DiffusedNodes(graph, {diffusion}, known.train.nodes).rows(0, chosen.view.unit_rows, control);
    const std::vector<Index> all = all_indices(rows.rows);
    const EvenColumns columns(
        rows, all, chosen.view.even_columns ? EvenColumns::Units::even : EvenColumns::Units::given);
    const CsrMatrix<float> scaled = columns.rows(rows, all);
    const LabelledRows examples{scaled, known.train.labels, graph.classes, known.train.weights};
    DiffusedClassifier result;
    result.minimum =
        minimize_with_strength(examples, chosen.strength,
                               std::vector<double>((static_cast<std::size_t>(columns.columns()) + 1) *
                                                   static_cast<std::size_t>(graph.classes)),
                               {}, control);
    result.theta =
        columns.for_given_features(sharpened(result.minimum.x, examples, chosen.sharpness), graph.classes);
    result.sharpness = chosen.sharpness;
    return result;
}

// Multinomial logistic regression on the rows of H at the training nodes.
class DiffusedRegression final : public ClassicMethod {
  public:
    explicit DiffusedRegression(DiffusionOptions options) : options_(std::move(options)) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return no_parameters(options_.propagations, shape);
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const DiffusedViews views = views_to_choose_from();
        ChosenView chosen = choose_view(graph, known, views, control);
        // The penalty keeps its part of the mean loss, and scores the size at which they were judged.
        if (chosen.labels > 0)
            chosen.strength *= static_cast<double>(known.train.nodes.size()) / chosen.labels;
        const Diffusion& diffusion = views.diffusions[chosen.view.diffusion];
        std::optional<DiffusedClassifier> classifier =
            self_trained(graph, known, diffusion, chosen, options_.sure_nodes, control);
        if (!classifier) classifier = trained(graph, known, diffusion, chosen, control);
        chosen.sharpness = classifier->sharpness;
        ClassicModel model = describe(*classifier, chosen);
        model.parameters = empty_parameters({graph.features.columns, graph.classes, 0, 1});
        const DenseMatrix& theta = classifier->theta;
        for (Index f = 0; f < graph.features.columns; ++f)
            std::copy_n(theta.row(f), graph.classes, model.parameters[theta_slot].value.row(f));
        std::copy_n(theta.row(graph.features.columns), graph.classes,
                    model.parameters[bias_slot].value.row(0));
        upload(diffusion, model.parameters[diffusion_slot].value);
        model.parameters[unit_rows_slot].value.at(0, 0) = chosen.view.unit_rows ? 1.0F : 0.0F;
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const auto p = borrowed(graph.weights);
        const ReceptiveField field = whole_field({p, p}, borrowed(graph.features), options_.propagations);
        const Diffusion diffusion = download(parameters[diffusion_slot].value);
        const bool unit = parameters[unit_rows_slot].value.at(0, 0) != 0;
        const std::vector<float> x_scale = unit ? inverse_row_lengths(graph.features) : std::vector<float>();
        DenseMatrix x(graph.nodes(), graph.classes);
        multiply(graph.features, nullptr, parameters[theta_slot].value, x, Write::replace, control);
        scale_if(x_scale, x);
        DenseMatrix scores = diffused(field, diffusion, std::move(x), control);
        if (unit)
            scale_if(inverse_diffused_lengths(field, diffusion, {graph.features, x_scale}, control), scores);
        add_row(ConstMatrixView(scores), parameters[bias_slot].value, scores, control);
        activate(Activation::softmax, scores, scores);
        return scores;
    }

  private:
    static void scale_if(const std::vector<float>& factors, DenseMatrix& rows) {
        for (Index i = 0; !factors.empty() && i < rows.rows(); ++i) {
            for (Index c = 0; c < rows.columns(); ++c)
                rows.at(i, c) *= factors[i];
        }
    }

    DiffusedViews views_to_choose_from() const {
        DiffusedViews views;
        for (const double teleport : options_.teleports)
            views.diffusions.push_back(page_rank(teleport, options_.propagations));
        for (const int power : options_.powers)
            views.diffusions.push_back(
                power_of_operator(std::min(power, options_.propagations), options_.propagations));
        if (options_.unit_rows != Wanted::chosen) views.unit_rows = {options_.unit_rows == Wanted::yes};
        if (options_.even_columns != Wanted::chosen)
            views.even_columns = {options_.even_columns == Wanted::yes};
        return views;
    }

    std::string title_of(std::size_t diffusion) const {
        if (diffusion < options_.teleports.size())
            return fmt::format("teleport {}", options_.teleports[diffusion]);
        const int power = options_.powers[diffusion - options_.teleports.size()];
        return fmt::format("power {}", std::min(power, options_.propagations));
    }

    ClassicModel describe(const DiffusedClassifier& classifier, const ChosenView& chosen) const {
        const Minimum& minimum = classifier.minimum;
        ClassicModel model;
        model.summary = fmt::format(
            "Diffusion with {}, rows {}, columns {}, L2 strength {:g}{} and scores times {}{}; {} steps to a "
            "gradient of {:.1e}.",
            title_of(chosen.view.diffusion), chosen.view.unit_rows ? "of length 1" : "as they are",
            chosen.view.even_columns ? "of deviation 1" : "as they are", chosen.strength,
            classifier.sure_nodes > 0 ? fmt::format(", {} sure nodes", classifier.sure_nodes) : "",
            chosen.sharpness,
            chosen.judges.empty() ? "" : fmt::format(" by the log loss of {}", chosen.judges),
            minimum.iterations, minimum.gradient);
        if (!minimum.converged) {
            model.notes.push_back(fmt::format(
                "logistic regression: stopped after {} steps with a gradient of {:.1e}, short of {:.1e}",
                minimum.iterations, minimum.gradient, MinimizerOptions().tolerance));
        }
        return model;
    }

    DiffusionOptions options_;
};

std::vector<Parameter<DiffusionOptions>> parameters() {
    using Options = DiffusionOptions;
    const std::vector<std::pair<std::string, Wanted>> choices = {
        {"auto", Wanted::chosen}, {"on", Wanted::yes}, {"off", Wanted::no}};
    return {
        list_parameter("teleports", &Options::teleports, Range<double>{0.0, 1.0}, "A,A,..",
                       "a of personalised PageRank, a (1 - a)^t; of several, the best by held-out labels", 1),
        list_parameter("powers", &Options::powers, Range<int>{0, 64}, "T,T,..",
                       "powers of the operator that are tried, too; 0: the features alone"),
        propagations_parameter<Options>(),
        number_parameter(
            "sure_nodes", &Options::sure_nodes, Range<int>{0, 100}, "N",
            "so many of the surest nodes per label, 500 in all at most, are learned from, too, where "
            "held-out labels want it"),
        choice_parameter("unit_rows", &Options::unit_rows, choices,
                         "divide features and diffused features of each node by their length"),
        choice_parameter("even_columns", &Options::even_columns, choices,
                         "move the columns of dense diffused features to mean 0 and deviation 1"),
    };
}

// The operator of HWGPR where learned weights are asked for.
std::vector<Setting> published(std::string_view) {
    return {{"order", "4"}, {"orientation", "symmetric"}};
}

}  // namespace

MethodDefinition diffusion_method() {
    return classic_method<DiffusedRegression>(
        {.name = "diffusion",
         .title = "Diffusion",
         .description = "logistic regression on features that are diffused over the graph",
         .takes_directions = true,
         .weighs_labels = true},
        parameters(),
        [](const DiffusionOptions& options, NetworkShape shape) {
            return std::make_unique<DiffusionNetwork>(options, shape);
        },
        published);
}

}  // namespace hwgcn
