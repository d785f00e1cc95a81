#include "operators/propagated_features.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/random_stream.hpp"
#include "base/stopping.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

// Columns that are propagated at a time: the numbers of all nodes stay in the cache.
constexpr Index block_columns = 32;

// Some columns of sparse features, as a product with a selection of columns.
void columns_of(const CsrMatrix<float>& features, Index first, MatrixView out,
                const ExecutionControl& control) {
    DenseMatrix chosen(features.columns, out.columns);
    std::vector<float> numbers(static_cast<std::size_t>(features.columns) *
                               static_cast<std::size_t>(out.columns));
    for (Index k = 0; k < out.columns; ++k)
        numbers[static_cast<std::size_t>(first + k) * static_cast<std::size_t>(out.columns) +
                static_cast<std::size_t>(k)] = 1.0F;
    upload(numbers, chosen);
    multiply(features, nullptr, chosen, out, Write::replace, control);
}

// A x, by Horner's rule: x + P (x + P (x + ..)), times a number.
DenseMatrix mean_of_powers(const CsrMatrix<float>& matrix, const DenseMatrix& x, const MeanOfPowers& powers,
                           const ExecutionControl& control) {
    DenseMatrix sum = x;
    DenseMatrix next(x.rows(), x.columns());
    for (int step = 0; step < powers.steps; ++step) {
        throw_if_stopped(control);
        copy(x, next);
        multiply(matrix, nullptr, sum, next, Write::add, control);
        std::swap(sum, next);
    }
    scale({powers.share / static_cast<float>(powers.steps + 1)}, sum, next, Write::replace, control);
    return next;
}

// The features without the rows of all other groups.
CsrMatrix<float> rows_of_group(const CsrMatrix<float>& features, const std::vector<int>& group_of,
                               int group) {
    CsrMatrix<float> result{features.rows, features.columns, {0}, {}, {}};
    for (Index node = 0; node < features.rows; ++node) {
        if (group_of[node] == group) {
            const SparseRow<float> row = features.row(node);
            result.indices.insert(result.indices.end(), row.indices.begin(), row.indices.end());
            result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        }
        result.offsets.push_back(result.entries());
    }
    return result;
}

DenseMatrix propagated_group(const Propagation& propagation, const CsrMatrix<float>& features,
                             const MeanOfPowers& powers, int count, int group,
                             const ExecutionControl& control) {
    const CsrMatrix<float> own = rows_of_group(features, random_groups(features.rows, count), group);
    DenseMatrix result(features.rows, features.columns);
    for (Index first = 0; first < own.columns; first += block_columns) {
        DenseMatrix x(own.rows, std::min(block_columns, own.columns - first));
        columns_of(own, first, x, control);
        const DenseMatrix block = mean_of_powers(*propagation.matrix, x, powers, control);
        copy_columns(block, 0, block.columns(), result, first, Write::replace);
    }
    return result;
}

}  // namespace

std::vector<int> random_groups(Index nodes, int groups) {
    std::vector<int> group_of(static_cast<std::size_t>(nodes));
    for (std::size_t node = 0; node < group_of.size(); ++node)
        group_of[node] = static_cast<int>(node % static_cast<std::size_t>(groups));
    RandomStream(0, stream_for(StreamPurpose::groups, static_cast<std::uint64_t>(groups)))
        .shuffle(std::span(group_of));
    return group_of;
}

std::shared_ptr<const NodeGroups> PropagatedFeatures::groups(const Propagation& propagation,
                                                             const SharedFeatures& features,
                                                             const MeanOfPowers& powers, int count,
                                                             const ExecutionControl& control) {
    std::unique_lock lock(access_);
    const auto [place, fresh] = groups_.try_emplace({features, powers, count});
    Work& work = place->second;
    if (fresh) {
        work.groups = std::make_shared<NodeGroups>();
        work.groups->parts.resize(static_cast<std::size_t>(count));
        work.todo.resize(static_cast<std::size_t>(count));
        std::iota(work.todo.begin(), work.todo.end(), 0);
    }
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    while (work.done < count) {
        if (work.todo.empty()) {  // others are at it; whoever is stopped leaves a group behind
            changed_.wait_for(lock, std::chrono::milliseconds(100));
            throw_if_stopped(control);
            continue;
        }
        const int group = work.todo.back();
        work.todo.pop_back();
        lock.unlock();
        try {
            DenseMatrix part = propagated_group(propagation, *features, powers, count, group, silent);
            lock.lock();
            work.groups->parts[static_cast<std::size_t>(group)] = std::move(part);
            ++work.done;
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            work.todo.push_back(group);
            changed_.notify_all();
            throw;
        }
        changed_.notify_all();
    }
    return work.groups;
}

}  // namespace hwgcn
