#include "weights/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hwgcn {
namespace {

// How many members join the working set per round, and the active set per step. Larger numbers mean fewer
// passes over the ring but more members that enter in vain; these were the fastest on the citation graphs.
constexpr std::size_t first_working_set = 128;
constexpr std::size_t working_set_growth = 64;
constexpr std::size_t first_entry = 12;

// A member enters when its gradient is below the threshold by more than this share of the tolerance.
constexpr double entry_tolerance = 0.25;

// Zeroing a number in passing is that much cheaper than finding it through the entries of a row.
constexpr std::size_t wipe_factor = 8;

constexpr std::int32_t never_priced = -1;

// Relative rounding error of an energy, generously.
constexpr double rounding_error = 1e-14;

template <typename Row>
void add_scaled(const Row& row, double factor, double* dense) {
    for (std::size_t e = 0; e < row.size(); ++e)
        dense[row.indices[e]] += factor * row.values[e];
}

template <typename Row>
void set_zero(const Row& row, double* dense) {
    for (const Index column : row.indices)
        dense[column] = 0.0;
}

}  // namespace

RowNorms::RowNorms(const CsrMatrix<float>& features) : norms(static_cast<std::size_t>(features.rows)) {
    for (Index i = 0; i < features.rows; ++i) {
        double square = 0;
        for (const double value : features.row(i).values) {
            square += value * value;
            non_negative = non_negative && value >= 0;
        }
        norms[i] = std::sqrt(square);
        largest = std::max(largest, norms[i]);
    }
}

RowNorms::RowNorms(const CsrMatrix<float>& features, const FeatureFacts& facts) : RowNorms(features) {
    non_negative = facts.non_negative;
    largest = facts.largest_norm;
}

double RowNorms::constant_square() const {
    return non_negative ? 0 : largest * largest;
}

ActiveSet::ActiveSet(const CsrMatrix<float>& features, const RowNorms& norms)
    : features_(&features),
      norms_(&norms),
      active_rows_(features.columns),
      combination_(static_cast<std::size_t>(features.columns), 0.0) {}

void ActiveSet::solve(std::span<const Index> rows, std::span<const double> correlations,
                      const QuadraticForm& form, const RingSolverOptions& options, Solution& solution) {
    rows_ = rows;
    form_ = form;
    options_ = options;
    solution_ = &solution;
    solution.iterations = 0;
    start(correlations);
    for (;;) {
        settle();
        price_ring();
        ++solution.iterations;
        if (certified_gap() <= options_.tolerance) return report(SolveStatus::optimal);
        if (solution.iterations >= options_.max_iterations) return report(SolveStatus::iteration_limit);
        // Violators that were in the working set all along are those that rounding kept out.
        if (!widen_working_set()) return report(SolveStatus::stalled);
    }
}

void ActiveSet::forget() {
    priced_in_.assign(rows_.size(), never_priced);
    is_working_.assign(rows_.size(), 0);
    is_active_.assign(rows_.size(), 0);
    energies_.clear();
    largest_total_ = 1.0;
    active_.clear();
    slot_.clear();
    value_.clear();
    factor_.clear();
    active_rows_.clear();
}

// Fills what is known of every member before the first step, and returns the member nearest to the target.
Index ActiveSet::load_ring(std::span<const double> correlations) {
    const std::size_t members = rows_.size();
    correlations_.assign(correlations.begin(), correlations.end());
    ring_norms_.resize(members);
    gradient_.resize(members);
    const auto distance = [&](std::size_t j) {
        return ring_norms_[j] * ring_norms_[j] - 2 * correlations_[j];
    };
    Index nearest = 0;
    for (std::size_t j = 0; j < members; ++j) {
        ring_norms_[j] = norms_->norms[rows_[j]];
        if (distance(j) < distance(nearest)) nearest = static_cast<Index>(j);
    }
    shift_ = form_.on_simplex ? correlations_[nearest] : 0.0;
    double largest = 0;  // of the numbers that energies are made of
    for (std::size_t j = 0; j < members; ++j) {
        correlations_[j] -= shift_;
        gradient_[j] = -correlations_[j];
        largest = std::max({largest, ring_norms_[j] * ring_norms_[j], std::abs(correlations_[j])});
    }
    noise_ = rounding_error * (largest + (form_.on_simplex ? 0.0 : form_.target_square));
    sigma_ = !form_.on_simplex ? 0.0 : largest > 0 ? largest : 1.0;
    return nearest;
}

// Begins at the member nearest to the target (the Lasso: with no weights), with the most correlated ones as
// working set.
void ActiveSet::start(std::span<const double> correlations) {
    forget();
    const Index nearest = load_ring(correlations);
    unclear_.resize(rows_.size());
    std::iota(unclear_.begin(), unclear_.end(), 0);
    threshold_ = std::numeric_limits<double>::infinity();
    choose_violators(unclear_, first_working_set);
    working_.clear();
    widen_working_set();
    if (form_.on_simplex) {
        if (is_working_[nearest] == 0) working_.push_back(nearest);
        is_working_[nearest] = 1;
        enter(nearest);
        minimise_over_active();
    }
    combine();
}

// Takes in the violators; false where they all were in it already.
bool ActiveSet::widen_working_set() {
    const std::size_t before = working_.size();
    for (const auto& [gradient, member] : violators_) {
        if (is_working_[member] != 0) continue;
        is_working_[member] = 1;
        working_.push_back(member);
    }
    return working_.size() > before;
}

// Makes the point optimal over the working set. Entering several members at once is quick but, other than
// entering one, not sure to make progress: after a step that made none, they enter one at a time.
void ActiveSet::settle() {
    std::size_t limit = first_entry;
    double previous = std::numeric_limits<double>::infinity();
    for (;;) {
        price(working_);
        measure();
        working_gap_ = std::max(0.0, threshold_ - smallest_gradient_);
        if (energy_ >= previous - noise_) {
            if (limit == 1) return;
            limit = 1;
        }
        previous = energy_;
        choose_violators(working_, limit);
        bool entered = false;
        for (const auto& [gradient, member] : violators_)
            entered = enter(member) || entered;
        if (!entered && (violators_.empty() || !exchange(violators_.front().second))) return;
        minimise_over_active();
        combine();
    }
}

// Fills violators_ with the members whose gradient is below the threshold, smallest first, at most `limit`.
// Of a long list only a few times `limit` candidates are held; most of the rest fails a bar that gets lower
// on the way, and is never sorted.
void ActiveSet::choose_violators(std::span<const Index> among, std::size_t limit) {
    violators_.clear();
    const auto shrink = [&] {
        std::nth_element(violators_.begin(), violators_.begin() + static_cast<std::ptrdiff_t>(limit),
                         violators_.end());
        violators_.resize(limit);
    };
    double bar = threshold_ - entry_tolerance * options_.tolerance;
    for (const Index member : among) {
        if (is_active_[member] != 0 || gradient_[member] >= bar) continue;
        violators_.emplace_back(gradient_[member], member);
        if (violators_.size() < 4 * limit) continue;
        shrink();
        // Of equal gradients the first ones stay: a later one must be strictly below the largest held.
        bar = std::max_element(violators_.begin(), violators_.end())->first;
    }
    if (violators_.size() > limit) shrink();
    std::sort(violators_.begin(), violators_.end());
}

// Makes a member active with weight zero, unless it is a combination of the active ones.
bool ActiveSet::enter(Index member) {
    const SparseRow<float> row = features_->row(rows_[member]);
    const std::vector<double>& inner = active_rows_.products(row);
    form_row_.resize(active_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) {
        form_row_[k] = inner[slot_[k]] + sigma_;
    }
    const double square = ring_norms_[member] * ring_norms_[member];
    if (!factor_.append(form_row_, square + sigma_, correlations_[member] - form_.half_lambda)) return false;
    active_.push_back(member);
    slot_.push_back(active_rows_.add(row));
    value_.push_back(0.0);
    is_active_[member] = 1;
    return true;
}

// A member that is a combination sum_k a_k x_k of the active ones cannot join them, but it can replace one:
// along u_member += s, u_k -= s a_k the point q does not move, and the violator's linear term falls, until
// some u_k is zero.
bool ActiveSet::exchange(Index member) {
    if (enter(member)) return true;
    const std::vector<double>& a = form_row_;
    std::size_t leaving = active_.size();
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < active_.size(); ++k) {
        if (a[k] <= 0 || value_[k] >= step * a[k]) continue;
        step = value_[k] / a[k];
        leaving = k;
    }
    if (leaving == active_.size()) return false;
    for (std::size_t k = 0; k < active_.size(); ++k)
        value_[k] = std::max(0.0, value_[k] - step * a[k]);
    leave(leaving);
    if (enter(member)) value_.back() = step;
    return true;
}

// Walks towards the minimiser over the active members; those that reach zero on the way leave, and the walk
// goes on towards the new minimiser (Lawson and Hanson).
void ActiveSet::minimise_over_active() {
    // The length at which member k reaches zero; infinite where it does not.
    const auto length_to_zero = [&](std::size_t k) {
        if (minimiser_[k] > 0) return std::numeric_limits<double>::infinity();
        return value_[k] > 0 ? value_[k] / (value_[k] - minimiser_[k]) : 0.0;
    };
    for (;;) {
        if (form_.on_simplex) {
            factor_.minimise_with_unit_sum(minimiser_);
        } else {
            factor_.minimise(minimiser_);
        }
        double length = 1.0;
        for (std::size_t k = 0; k < active_.size(); ++k)
            length = std::min(length, length_to_zero(k));
        for (std::size_t k = active_.size(); k-- > 0;) {
            const bool leaves = length_to_zero(k) <= length;
            value_[k] = length == 1.0 ? minimiser_[k] : value_[k] + length * (minimiser_[k] - value_[k]);
            if (leaves) leave(k);
        }
        if (length == 1.0) return;
    }
}

void ActiveSet::leave(std::size_t k) {
    is_active_[active_[k]] = 0;
    active_rows_.remove(slot_[k], features_->row(rows_[active_[k]]));
    factor_.remove(k);
    const auto place = static_cast<std::ptrdiff_t>(k);
    active_.erase(active_.begin() + place);
    slot_.erase(slot_.begin() + place);
    value_.erase(value_.begin() + place);
    minimiser_.erase(minimiser_.begin() + place);
}

// q = sum of the active rows by their shares.
void ActiveSet::combine() {
    if (wipe_factor * combined_entries_ > combination_.size()) {
        std::fill(combination_.begin(), combination_.end(), 0.0);
    } else {
        for (const Index row : combined_rows_)
            set_zero(features_->row(row), combination_.data());
    }
    combined_rows_.clear();
    combined_entries_ = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        const Index row = rows_[active_[k]];
        add_scaled(features_->row(row), value_[k], combination_.data());
        combined_rows_.push_back(row);
        combined_entries_ += features_->row(row).size();
    }
}

// g_j = <x_j, q> - c_j for some members.
void ActiveSet::price(std::span<const Index> members) {
    row_scratch_.clear();
    for (const Index member : members)
        row_scratch_.push_back(rows_[member]);
    dot_scratch_.resize(members.size());
    cpu::dot_rows(*features_, row_scratch_, combination_.data(), dot_scratch_.data());
    for (std::size_t k = 0; k < members.size(); ++k) {
        gradient_[members[k]] = dot_scratch_[k] - correlations_[members[k]];
    }
}

// Energy and threshold of the present point, from the gradients of the active members:
//     F = |q|^2 - 2 c'u = sum_j u_j (g_j - c_j),           threshold = sum_j u_j g_j   on the simplex,
//     F = |q - t|^2 + lambda sum_j w_j (the same + <t,t>), threshold = -lambda/2       for the Lasso.
void ActiveSet::measure() {
    double total = 0, with_gradient = 0, with_target = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        total += value_[k];
        with_gradient += value_[k] * gradient_[active_[k]];
        with_target += value_[k] * correlations_[active_[k]];
    }
    largest_total_ = std::max(largest_total_, total);
    energy_ = with_gradient - with_target;
    threshold_ = with_gradient;
    if (!form_.on_simplex) {
        target_product_ = with_target;
        distance_square_ = energy_ + form_.target_square;
        energy_ = distance_square_ + 2 * form_.half_lambda * total;
        threshold_ = -form_.half_lambda;
    }
    smallest_gradient_ = smallest_over(working_);
}

double ActiveSet::smallest_over(std::span<const Index> members) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (const Index member : members)
        smallest = std::min(smallest, gradient_[member]);
    return smallest;
}

// Prices the members outside the working set that the bound does not clear, and picks the strongest
// violators.
void ActiveSet::price_ring() {
    drift_.clear();
    // q is optimal over the working set only up to its gap there, which counts once for every unit of weight.
    const double slack = 2 * working_gap_ * largest_total_ + noise_;
    for (const double energy : energies_)
        drift_.push_back(std::sqrt(std::max(0.0, energy - energy_) + slack));
    const auto round = static_cast<std::int32_t>(energies_.size());
    energies_.push_back(energy_);

    unclear_.clear();
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (is_working_[j] != 0) continue;
        // Before its first pricing a member's gradient stands at -c_j: a lower bound where no feature is
        // negative.
        const bool clear = priced_in_[j] == never_priced
                               ? norms_->non_negative && gradient_[j] >= threshold_
                               : gradient_[j] - ring_norms_[j] * drift_[priced_in_[j]] >= threshold_;
        if (clear) continue;
        priced_in_[j] = round;
        unclear_.push_back(static_cast<Index>(j));
    }
    price(unclear_);
    smallest_gradient_ = std::min(smallest_gradient_, smallest_over(unclear_));
    choose_violators(unclear_, working_set_growth);
}

// Simplex: threshold - min g. Lasso: primal minus dual value at theta = kappa (t - q), kappa the largest
// factor <= 1 that makes theta feasible, <x_j, theta> <= lambda/2 for all j.
double ActiveSet::certified_gap() const {
    if (form_.on_simplex) return std::max(0.0, threshold_ - smallest_gradient_);
    const double largest = -smallest_gradient_;
    const double kappa = largest > form_.half_lambda ? form_.half_lambda / largest : 1.0;
    const double dual =
        2 * kappa * (form_.target_square - target_product_) - kappa * kappa * distance_square_;
    return std::max(0.0, energy_ - dual);
}

void ActiveSet::report(SolveStatus status) {
    solution_->status = status;
    solution_->gap = certified_gap();
    // On the simplex |q - t|^2 = F + <t,t>, less what the shift of c took from F.
    const double offset = form_.on_simplex ? form_.target_square - 2 * shift_ : 0.0;
    solution_->objective = std::max(0.0, energy_ + offset);
    solution_->support.clear();
    for (std::size_t k = 0; k < active_.size(); ++k) {
        solution_->support.push_back({active_[k], value_[k]});
    }
    std::sort(solution_->support.begin(), solution_->support.end(),
              [](const Share& a, const Share& b) { return a.position < b.position; });
}

}  // namespace hwgcn
