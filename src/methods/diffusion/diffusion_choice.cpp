#include "methods/diffusion/diffusion_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "methods/linear/row_coordinates.hpp"
#include "methods/linear/strength_choice.hpp"

namespace hwgcn {
namespace {

// So many labels of each kind choose, or fewer where features are wide or classes are many: numbers of all
// views and of a classifier.
constexpr double most_examples_to_choose_by = 1000;
constexpr double fewest_examples_to_choose_by = 100;
constexpr double most_numbers_of_views = 1e8;
constexpr double most_numbers_of_a_classifier = 4e6;

std::size_t examples_to_choose_by(const ClassicGraph& graph, const DiffusedViews& views) {
    const double columns = std::max(graph.features.columns, Index{1});
    const double made = columns * static_cast<double>(views.diffusions.size() * views.unit_rows.size());
    const double most = std::min(most_numbers_of_views / made,
                                 most_numbers_of_a_classifier / (std::min(columns, 1000.0) * graph.classes));
    return static_cast<std::size_t>(
        std::clamp(most, fewest_examples_to_choose_by, most_examples_to_choose_by));
}

constexpr StrengthOptions all_strengths{.weakest_power = -7,
                                        .without_choice = 1.0 / 32,
                                        .patience = 2,
                                        .lone_labels_judge = false,
                                        .most_doublings = 8,
                                        .solver = {3e-4, 100}};

// Around the best one of the view before.
constexpr double stronger = 16;

// Diffusions are tried farther and farther away until so many in a row were no better.
constexpr int patience = 2;

double total(const std::vector<double>& losses) {
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

// Their places, by the mean length of the walks that they count: sum over t of t c_t.
std::vector<std::size_t> by_reach(const std::vector<Diffusion>& diffusions) {
    const auto reach = [&](std::size_t d) {
        double sum = 0;
        for (std::size_t t = 0; t < diffusions[d].size(); ++t)
            sum += static_cast<double>(t) * static_cast<double>(diffusions[d][t]);
        return sum;
    };
    std::vector<std::size_t> order(diffusions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, reach);
    return order;
}

// The labels that choose, by the places of their nodes among `nodes`.
struct Judges {
    std::vector<Index> nodes;
    KnownLabels places;

    Judges(const KnownLabels& known, std::size_t most) {
        for (const bool trains : {true, false}) {
            LabelledNodes& part = trains ? places.train : places.validation;
            part = thinned(trains ? known.train : known.validation, most);
            for (Index& node : part.nodes) {
                nodes.push_back(node);
                node = static_cast<Index>(nodes.size() - 1);
            }
        }
    }
};

class ViewChoice {
  public:
    ViewChoice(const ClassicGraph& graph, const KnownLabels& known, const DiffusedViews& views,
               const ExecutionControl& control)
        : views_(views),
          judges_(known, examples_to_choose_by(graph, views)),
          nodes_(graph, views.diffusions, judges_.nodes),
          classes_(graph.classes),
          control_(control) {}

    ChosenView choose() {
        consider({0, views_.unit_rows.front(), views_.even_columns.front()});
        if (best_losses_.empty()) return best_;
        consider_scales();
        consider_diffusions();
        consider_scales();
        return best_;
    }

  private:
    // Nearer and farther ones than the first, as far as they get better.
    void consider_diffusions() {
        const std::vector<std::size_t> order = by_reach(views_.diffusions);
        const auto first = std::ranges::find(order, std::size_t{0});
        const DiffusedView start = best_.view;
        const double loss = total(best_losses_);
        const auto go = [&](std::span<const std::size_t> diffusions) {
            double lowest = loss;
            int worse = 0;
            for (std::size_t k = 0; k < diffusions.size() && worse < patience; ++k) {
                const double next = consider({diffusions[k], start.unit_rows, start.even_columns});
                worse = next < lowest ? 0 : worse + 1;
                lowest = std::min(lowest, next);
            }
        };
        go({first + 1, order.end()});
        std::vector<std::size_t> nearer(order.begin(), first);
        std::ranges::reverse(nearer);
        go(nearer);
    }

    void consider_scales() {
        const std::size_t diffusion = best_.view.diffusion;
        for (const bool unit : views_.unit_rows) {
            for (const bool even : views_.even_columns)
                consider({diffusion, unit, even});
        }
    }

    // Its loss on the held-out labels.
    double consider(const DiffusedView& view) {
        const auto [place, fresh] = considered_.try_emplace(view, 0.0);
        if (!fresh) return place->second;
        CsrMatrix<float> rows = nodes_.rows(view.diffusion, view.unit_rows, control_);
        const auto train = static_cast<Index>(judges_.places.train.nodes.size());
        const EvenColumns columns(sparse_rows(rows, judges_.places.train.nodes), all_indices(train),
                                  view.even_columns ? EvenColumns::Units::even : EvenColumns::Units::given);
        rows = columns.rows(rows, all_indices(rows.rows));
        if (2 * train < rows.columns) rows = row_coordinates(rows, train, control_);
        StrengthOptions strengths = all_strengths;
        if (!best_losses_.empty()) strengths.strongest = stronger * best_.strength;
        StrengthChoice choice([&](std::span<const Index> places) { return sparse_rows(rows, places); },
                              classes_, judges_.places, strengths);
        StrengthChoice::Best found = choice.choose(control_);
        place->second = found.loss;
        if (!best_losses_.empty() && !clearly_lower(found.losses, best_losses_)) return found.loss;
        best_ = {view, found.strength, found.sharpness, static_cast<double>(train), choice.judges()};
        best_losses_ = std::move(found.losses);
        return found.loss;
    }

    const DiffusedViews& views_;
    Judges judges_;
    DiffusedNodes nodes_;
    Index classes_;
    const ExecutionControl& control_;
    std::map<DiffusedView, double> considered_;  // and their losses
    ChosenView best_;
    std::vector<double> best_losses_;  // of every held-out label
};

}  // namespace

void make_unit_rows(MatrixView matrix) {
    for (Index i = 0; i < matrix.rows; ++i) {
        double squares = 0;
        for (Index j = 0; j < matrix.columns; ++j)
            squares += static_cast<double>(matrix.at(i, j)) * static_cast<double>(matrix.at(i, j));
        for (Index j = 0; squares > 0 && j < matrix.columns; ++j)
            matrix.at(i, j) = static_cast<float>(static_cast<double>(matrix.at(i, j)) / std::sqrt(squares));
    }
}

CsrMatrix<float> DiffusedNodes::rows(std::size_t diffusion, bool unit, const ExecutionControl& control) {
    const auto [place, fresh] = made_.try_emplace(unit);
    if (fresh) {
        const std::vector<float> scale = unit ? inverse_row_lengths(graph_.features) : std::vector<float>();
        place->second = diffused_rows(graph_.weights, {graph_.features, scale}, nodes_, diffusions_, control);
        for (DenseMatrix& made : place->second) {
            if (unit) make_unit_rows(made);
        }
    }
    const DenseMatrix& made = place->second[diffusion];
    return sparse_rows(made, all_indices(made.rows()));
}

ChosenView choose_view(const ClassicGraph& graph, const KnownLabels& known, const DiffusedViews& views,
                       const ExecutionControl& control) {
    return ViewChoice(graph, known, views, control).choose();
}

}  // namespace hwgcn
