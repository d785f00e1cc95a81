#include "methods/trees/tree_shapley.hpp"

#include <vector>

namespace hwgcn {
namespace {

// A column on the way from the root: the shares of the sets of columns that lead on if it is not known (zero)
// or known (one), and the weight of sets of one size.
struct Step {
    Index column;
    double zero;
    double one;
    double weight;
};
using Path = std::vector<Step>;

void extend(Path& path, double zero, double one, Index column) {
    const auto length = static_cast<double>(path.size());
    path.push_back({column, zero, one, path.empty() ? 1.0 : 0.0});
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const auto place = static_cast<double>(i);
        path[i + 1].weight += one * path[i].weight * (place + 1) / (length + 1);
        path[i].weight = zero * path[i].weight * (length - place) / (length + 1);
    }
}

// Takes one step out of the path again.
void unwind(Path& path, std::size_t step) {
    const std::size_t last = path.size() - 1;
    const auto length = static_cast<double>(last);
    const double zero = path[step].zero, one = path[step].one;
    double next = path[last].weight;
    for (std::size_t i = last; i-- > 0;) {
        const auto place = static_cast<double>(i);
        if (one != 0) {
            const double before = path[i].weight;
            path[i].weight = next * (length + 1) / ((place + 1) * one);
            next = before - path[i].weight * zero * (length - place) / (length + 1);
        } else {
            path[i].weight = path[i].weight * (length + 1) / (zero * (length - place));
        }
    }
    for (std::size_t i = step; i < last; ++i)
        path[i] = {path[i + 1].column, path[i + 1].zero, path[i + 1].one, path[i].weight};
    path.pop_back();
}

double sum_without(Path path, std::size_t step) {
    unwind(path, step);
    double sum = 0;
    for (const Step& other : path)
        sum += other.weight;
    return sum;
}

class Walk {
  public:
    Walk(const Forest& forest, std::span<const float> row, double factor, std::span<double> values)
        : forest_(forest), row_(row), factor_(factor), values_(values) {}

    void down(std::int32_t k, Path path, double zero, double one, Index column) {
        extend(path, zero, one, column);
        const TreePlace& place = forest_.places[k];
        if (place.is_leaf()) return at_leaf(path, static_cast<double>(place.number));
        double known_zero = 1, known_one = 1;
        for (std::size_t i = 1; i < path.size(); ++i) {
            if (path[i].column != place.column) continue;
            known_zero = path[i].zero;
            known_one = path[i].one;
            unwind(path, i);
            break;
        }
        const bool left = place.goes_left(row_[place.column]);
        const auto share = [&](std::int32_t child) {
            return known_zero * static_cast<double>(forest_.places[child].rows) /
                   static_cast<double>(place.rows);
        };
        down(k + 1, path, share(k + 1), left ? known_one : 0.0, place.column);
        down(place.right, path, share(place.right), left ? 0.0 : known_one, place.column);
    }

  private:
    void at_leaf(const Path& path, double value) {
        for (std::size_t i = 1; i < path.size(); ++i)
            values_[path[i].column] += factor_ * sum_without(path, i) * (path[i].one - path[i].zero) * value;
    }

    const Forest& forest_;
    std::span<const float> row_;
    double factor_;
    std::span<double> values_;
};

}  // namespace

void add_shapley_values(const Forest& forest, std::size_t tree, std::span<const float> row, double factor,
                        std::span<double> values) {
    Walk(forest, row, factor, values).down(forest.roots[tree], {}, 1.0, 1.0, TreePlace::leaf);
}

// Leaves come in the order of preorder.
double expected_value(const Forest& forest, std::size_t tree) {
    const auto begin = static_cast<std::size_t>(forest.roots[tree]);
    const std::size_t end = tree + 1 < forest.roots.size() ? static_cast<std::size_t>(forest.roots[tree + 1])
                                                           : forest.places.size();
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
        const TreePlace& place = forest.places[k];
        if (place.is_leaf()) sum += static_cast<double>(place.number) * static_cast<double>(place.rows);
    }
    return sum / static_cast<double>(forest.places[begin].rows);
}

}  // namespace hwgcn
