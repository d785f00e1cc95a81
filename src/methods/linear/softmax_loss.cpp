#include "methods/linear/softmax_loss.hpp"

#include <algorithm>

#include "tensor/elementary.hpp"

namespace hwgcn {

double softmax_loss(std::span<double> scores, int label) {
    const double highest = *std::max_element(scores.begin(), scores.end());
    const double own = scores[label] - highest;
    double sum = 0;
    for (double& score : scores) {
        score = exponential(score - highest);
        sum += score;
    }
    for (double& score : scores)
        score /= sum;
    scores[label] -= 1.0;
    return logarithm(sum) - own;
}

}  // namespace hwgcn
