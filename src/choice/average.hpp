#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hwgcn/models/members.hpp"

#include "choice/comparison.hpp"
#include "choice/race.hpp"

namespace hwgcn {

/// The votes of candidates in an average of their probabilities; 0 of those that have no part in it.
using Votes = std::vector<int>;

/// So many held-out labels are enough to select an average by: the standard error of an accuracy is then at
/// most 3.5 points, and that of the difference of two candidates that mostly agree far less.
inline constexpr std::size_t enough_for_average = 200;

/// The mean of the candidates' probabilities, by their votes.
DenseMatrix average_of(std::span<const DenseMatrix> candidates, const Votes& votes);

/// Greedy selection with replacement (Caruana et al. 2004): from one vote for candidate `first`, each step
/// gives one more vote to whom it makes the average best, by AUC where that judges and else by log loss, as
/// long as there is an improvement.
Votes select_average(std::span<const DenseMatrix> candidates, std::size_t first,
                     const std::vector<Index>& labels, const Judge& judge, const ExecutionControl& control);

/// Whether an average is kept in place of a single candidate: it is better by more than the standard error of
/// the difference, or equal and of a smaller log loss once both are calibrated.
bool is_worth_keeping(const Difference& gain, double loss, double single_loss);

/// Takes the average of the best candidate with others, each calibrated by itself, in place of the chosen
/// one, where that is worth it: `choice` then says how it did and who votes. `contenders` are in the order of
/// those tried. Returns its held-out probabilities; without rows where it was not taken.
DenseMatrix take_average(const RaceCourse& course, std::span<const Contender> contenders,
                         const ExecutionControl& control, Choice& choice);

/// Its members among those tried: the chosen one, then the others, largest weight first. Empty without one.
std::vector<std::size_t> members_of(const Choice& choice);

/// Those behind the chosen one, trained to the end. What was only read from the store is trained again.
std::vector<Member> other_members(const RaceCourse& course, std::span<Contender> contenders,
                                  const Choice& choice, const ExecutionControl& control);

}  // namespace hwgcn
