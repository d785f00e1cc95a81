#include "methods/diffusion/diffused_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopping.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

// Columns that go through the operator at a time: memory is nodes times this many numbers.
constexpr Index tile_columns = 32;

float inverse_root(double squares) {
    return squares > 0 ? static_cast<float>(1.0 / std::sqrt(squares)) : 0.0F;
}

// The columns of sparse features in dense tiles, from the first one on.
class ColumnTiles {
  public:
    explicit ColumnTiles(const ScaledFeatures& x)
        : x_(x), next_(x.matrix.offsets.begin(), x.matrix.offsets.end() - 1) {}

    Index first() const { return first_; }

    /// No columns where there are no more.
    DenseMatrix next(const ExecutionControl& control) {
        throw_if_stopped(control);
        first_ = end_;
        end_ = std::min(first_ + tile_columns, x_.matrix.columns);
        DenseMatrix tile(x_.matrix.rows, end_ - first_);
        for_row_ranges(tile.rows(), static_cast<std::int64_t>(tile.numbers().size()), control,
                       [&](RowRange rows) {
                           for (Index i = rows.begin; i < rows.end; ++i)
                               fill(i, tile.row(i));
                       });
        return tile;
    }

  private:
    void fill(Index i, float* row) {
        const float scale = x_.row_scale.empty() ? 1.0F : x_.row_scale[i];
        std::int64_t& e = next_[i];
        for (; e < x_.matrix.offsets[i + std::size_t{1}] && x_.matrix.indices[e] < end_; ++e)
            row[x_.matrix.indices[e] - first_] = scale * x_.matrix.values[e];
    }

    ScaledFeatures x_;
    std::vector<std::int64_t> next_;  // per row, the first entry that no tile has
    Index first_ = 0;
    Index end_ = 0;
};

// The powers of an operator times a matrix, one after the other.
class Powers {
  public:
    Powers(const CsrMatrix<float>& p, DenseMatrix start) : p_(p), now_(std::move(start)) {}

    const DenseMatrix& now() const { return now_; }

    void advance(const ExecutionControl& control) {
        throw_if_stopped(control);
        if (next_.rows() == 0) next_ = DenseMatrix(now_.rows(), now_.columns());
        multiply(p_, nullptr, now_, next_, Write::replace, control);
        std::swap(now_, next_);
    }

  private:
    const CsrMatrix<float>& p_;
    DenseMatrix now_, next_;
};

void add_multiple(float factor, const float* x, float* out, Index count) {
    for (Index j = 0; j < count; ++j)
        out[j] += factor * x[j];
}

// Powers from 0 to the last one that counts.
std::size_t powers_that_count(std::span<const Diffusion> diffusions) {
    std::size_t count = 1;
    for (const Diffusion& diffusion : diffusions) {
        for (std::size_t t = count; t < diffusion.size(); ++t) {
            if (diffusion[t] != 0) count = t + 1;
        }
    }
    return count;
}

// P^t (tile of X), of which the rows of the nodes are kept.
void add_columns(const CsrMatrix<float>& p, const ScaledFeatures& x, std::span<const Index> nodes,
                 std::span<const Diffusion> diffusions, std::vector<DenseMatrix>& rows,
                 const ExecutionControl& control) {
    const std::size_t count = powers_that_count(diffusions);
    ColumnTiles tiles(x);
    for (DenseMatrix tile = tiles.next(control); tile.columns() > 0; tile = tiles.next(control)) {
        const Index columns = tile.columns();
        Powers powers(p, std::move(tile));
        for (std::size_t t = 0; t < count; ++t) {
            if (t > 0) powers.advance(control);
            for (std::size_t d = 0; d < diffusions.size(); ++d) {
                for (std::size_t k = 0; diffusions[d][t] != 0 && k < nodes.size(); ++k)
                    add_multiple(diffusions[d][t], powers.now().row(nodes[k]),
                                 rows[d].row(static_cast<Index>(k)) + tiles.first(), columns);
            }
        }
    }
}

// (P^t)' (tile of the nodes' indicators), of which the product with X' is kept.
void add_from_nodes(const CsrMatrix<float>& p, const ScaledFeatures& x, std::span<const Index> nodes,
                    std::span<const Diffusion> diffusions, std::vector<DenseMatrix>& rows,
                    const ExecutionControl& control) {
    const std::size_t powers_count = powers_that_count(diffusions);
    const CsrMatrix<float> back = transposed(p);
    const auto count = static_cast<Index>(nodes.size());
    for (Index first = 0; first < count; first += tile_columns) {
        DenseMatrix indicators(p.rows, std::min(tile_columns, count - first));
        for (Index k = 0; k < indicators.columns(); ++k)
            indicators.at(nodes[first + k], k) = 1.0F;
        const Index width = indicators.columns();
        DenseMatrix weighted(p.rows, x.row_scale.empty() ? 0 : width);
        Powers powers(back, std::move(indicators));
        for (std::size_t t = 0; t < powers_count; ++t) {
            if (t > 0) powers.advance(control);
            ConstMatrixView weights = powers.now();
            if (!x.row_scale.empty()) {
                for (Index i = 0; i < p.rows; ++i) {
                    for (Index k = 0; k < width; ++k)
                        weighted.at(i, k) = x.row_scale[i] * weights.at(i, k);
                }
                weights = weighted;
            }
            DenseMatrix sums(x.matrix.columns, width), piece(width, x.matrix.columns);
            add_transposed_product(x.matrix, nullptr, weights, sums, control);
            transpose(sums, piece);
            for (std::size_t d = 0; d < diffusions.size(); ++d) {
                for (Index k = 0; diffusions[d][t] != 0 && k < width; ++k)
                    add_multiple(diffusions[d][t], piece.row(k), rows[d].row(first + k), piece.columns());
            }
        }
    }
}

// Whether going back from the nodes takes fewer multiplications than all columns do.
bool goes_back(const CsrMatrix<float>& p, const CsrMatrix<float>& x, std::size_t nodes) {
    const auto tiles = [](double count) { return std::ceil(count / tile_columns); };
    const auto entries = static_cast<double>(p.entries());
    return tiles(static_cast<double>(nodes)) * (entries + static_cast<double>(x.entries())) <
           tiles(x.columns) * entries;
}

}  // namespace

Diffusion page_rank(double teleport, int steps) {
    Diffusion diffusion;
    double rest = 1;
    for (int t = 0; t < steps; ++t, rest *= 1 - teleport)
        diffusion.push_back(static_cast<float>(teleport * rest));
    diffusion.push_back(static_cast<float>(rest));
    return diffusion;
}

Diffusion power_of_operator(int power, int steps) {
    Diffusion diffusion(static_cast<std::size_t>(steps) + 1, 0.0F);
    diffusion[static_cast<std::size_t>(power)] = 1.0F;
    return diffusion;
}

std::vector<float> inverse_row_lengths(const CsrMatrix<float>& matrix) {
    std::vector<float> scale;
    for (Index i = 0; i < matrix.rows; ++i) {
        double squares = 0;
        for (const float value : matrix.row(i).values)
            squares += static_cast<double>(value) * static_cast<double>(value);
        scale.push_back(inverse_root(squares));
    }
    return scale;
}

std::vector<DenseMatrix> diffused_rows(const CsrMatrix<float>& p, const ScaledFeatures& x,
                                       std::span<const Index> nodes, std::span<const Diffusion> diffusions,
                                       const ExecutionControl& control) {
    std::vector<DenseMatrix> rows;
    for (std::size_t d = 0; d < diffusions.size(); ++d)
        rows.emplace_back(static_cast<Index>(nodes.size()), x.matrix.columns);
    const auto add = goes_back(p, x.matrix, nodes.size()) ? add_from_nodes : add_columns;
    add(p, x, nodes, diffusions, rows, control);
    return rows;
}

DenseMatrix diffused(const ReceptiveField& field, const Diffusion& diffusion, DenseMatrix x,
                     const ExecutionControl& control) {
    DenseMatrix sum, next;  // empty until the first power that counts
    const auto add_power = [&](std::size_t t, const DenseMatrix& h, Write write) {
        scale({diffusion[t]}, h, sum, write, control);
    };
    for (std::size_t t = field.steps.size();; --t) {
        if (sum.rows() == 0 && diffusion[t] != 0) {
            sum = DenseMatrix(x.rows(), x.columns());
            add_power(t, x, Write::replace);
        } else if (diffusion[t] != 0) {
            add_power(t, x, Write::add);
        }
        if (t == 0) return sum;
        throw_if_stopped(control);
        const Step& step = field.steps[field.steps.size() - t];
        if (sum.rows() > 0) {
            if (next.rows() != step.forward.matrix->rows)
                next = DenseMatrix(step.forward.matrix->rows, x.columns());
            multiply(*step.forward.matrix, nullptr, sum, next, Write::replace, control);
            std::swap(sum, next);
        }
        if (step.inputs == step.outputs) continue;
        DenseMatrix here(static_cast<Index>(step.position.size()), x.columns());
        gather_rows(x, step.position, here, control);
        x = std::move(here);
    }
}

std::vector<float> inverse_diffused_lengths(const ReceptiveField& field, const Diffusion& diffusion,
                                            const ScaledFeatures& x, const ExecutionControl& control) {
    std::vector<double> squares(field.outputs->size(), 0.0);
    ColumnTiles tiles(x);
    for (DenseMatrix tile = tiles.next(control); tile.columns() > 0; tile = tiles.next(control)) {
        const DenseMatrix h = diffused(field, diffusion, std::move(tile), control);
        for_row_ranges(h.rows(), static_cast<std::int64_t>(h.numbers().size()), control, [&](RowRange rows) {
            for (Index i = rows.begin; i < rows.end; ++i) {
                for (Index j = 0; j < h.columns(); ++j)
                    squares[i] += static_cast<double>(h.at(i, j)) * static_cast<double>(h.at(i, j));
            }
        });
    }
    std::vector<float> lengths;
    for (const double sum : squares)
        lengths.push_back(inverse_root(sum));
    return lengths;
}

}  // namespace hwgcn
