#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "weights/active_factor.hpp"
#include "weights/active_rows.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn {

/// The two problems that share one active-set method: of the data they need only <x_i,x_j> and c_j = <x_j,t>.
///
/// Simplex.  min 1/2 u'XX'u - c'u  over u >= 0, sum u = 1. Since the sum is fixed, a constant may be added to
/// c (we shift it to be small: c itself is large around hubs) and to all of XX' (we add sigma > 0, which
/// makes it definite where rows are only affinely independent).
///
/// Lasso.  min 1/2 w'XX'w - (c - lambda/2)'w  over w >= 0.
struct QuadraticForm {
    bool on_simplex = true;
    double half_lambda = 0;    ///< Lasso only
    double target_square = 0;  ///< <t,t>
};

/// What the solver needs to know of the feature rows once, whatever ring they are in.
struct RowNorms {
    explicit RowNorms(const CsrMatrix<float>& features);

    /// Of some rows of a whole of which the `facts` are known.
    RowNorms(const CsrMatrix<float>& features, const FeatureFacts& facts);

    /// The square of the constant feature that alpha is fitted with (see RingSolver::RingScale): 0, or the
    /// largest |x_j|^2 where a feature value is negative.
    double constant_square() const;

    std::vector<double> norms;  ///< |x_j| of every row
    bool non_negative = true;   ///< no negative feature value anywhere
    double largest = 0;         ///< of all norms
};

/// Solves one problem after another; its memory is allocated once and reused.
///
/// Members enter from a small working set. When the point is optimal over that set, the whole ring is priced:
/// the gradient g_j = <x_j, q> - c_j of every member, q the combination of the active rows. The strongest
/// violators widen the working set, and so on until the certificate holds.
///
/// Most of the ring need not be priced again. Working sets only grow, so an earlier point q' lies in the hull
/// over which the present q is optimal, and |q' - q|^2 <= F' - F (F the minimised function, F' its value
/// then). Hence
///     g_j >= g'_j - |x_j| sqrt(F' - F),
/// and a member for which this already exceeds the threshold is no violator.
class ActiveSet {
  public:
    /// Both must outlive it.
    ActiveSet(const CsrMatrix<float>& features, const RowNorms& norms);

    /// `rows` may carry weight, `correlations` are their c_j; positions in the solution count in `rows`.
    void solve(std::span<const Index> rows, std::span<const double> correlations, const QuadraticForm& form,
               const RingSolverOptions& options, Solution& solution);

  private:
    void forget();
    Index load_ring(std::span<const double> correlations);
    void start(std::span<const double> correlations);
    bool widen_working_set();
    void settle();
    void choose_violators(std::span<const Index> among, std::size_t limit);
    bool enter(Index member);
    bool exchange(Index member);
    void minimise_over_active();
    void leave(std::size_t k);
    void combine();
    void price(std::span<const Index> members);
    double smallest_over(std::span<const Index> members) const;
    void measure();
    void price_ring();
    double certified_gap() const;
    void report(SolveStatus status);

    const CsrMatrix<float>* features_;
    const RowNorms* norms_;

    // The problem at hand.
    std::span<const Index> rows_;
    QuadraticForm form_;
    double shift_ = 0;  // subtracted from every c_j
    double sigma_ = 0;  // added to every <x_i,x_j>
    double noise_ = 0;  // energies closer than this are equal up to rounding
    RingSolverOptions options_;
    Solution* solution_ = nullptr;

    // Per member of the ring.
    std::vector<double> correlations_;     // c_j, shifted
    std::vector<double> ring_norms_;       // |x_j|
    std::vector<double> gradient_;         // g_j when it was last computed
    std::vector<std::int32_t> priced_in_;  // the round in which that was
    std::vector<std::uint8_t> is_working_;
    std::vector<std::uint8_t> is_active_;

    // Per active member, in the order of the factor.
    std::vector<Index> active_;
    std::vector<std::size_t> slot_;  // in active_rows_
    std::vector<double> value_;      // u or w
    std::vector<double> minimiser_;  // of the form over the active members, signs ignored
    ActiveFactor factor_;
    ActiveRows active_rows_;

    std::vector<Index> working_;
    std::vector<std::pair<double, Index>> violators_;  // gradient and member, strongest first
    std::vector<double> energies_;                     // F at the end of each round

    // The present point.
    std::vector<double> combination_;  // q, dense; zero outside the rows in combined_rows_
    std::vector<Index> combined_rows_;
    std::size_t combined_entries_ = 0;  // of those rows
    double distance_square_ = 0;        // |q - t|^2
    double target_product_ = 0;         // <q, t>
    double energy_ = 0;                 // F
    double threshold_ = 0;              // members with a smaller gradient are violators
    double smallest_gradient_ = 0;      // over what was priced last
    double largest_total_ = 1;          // the largest sum of weights of this problem so far
    double working_gap_ = 0;            // threshold - smallest gradient over the working set

    std::vector<double> form_row_;
    std::vector<Index> row_scratch_;
    std::vector<Index> unclear_;
    std::vector<double> drift_;
    std::vector<double> dot_scratch_;
};

}  // namespace hwgcn
