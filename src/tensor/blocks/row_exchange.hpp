#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "base/stopping.hpp"
#include "tensor/blocks/block_tree.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// Rows of dense matrices that are needed from elsewhere, again and again. All who have rows call `fetch` at
/// the same time.
class ForeignRows {
  public:
    ForeignRows() = default;
    ForeignRows(const ForeignRows&) = delete;
    ForeignRows& operator=(const ForeignRows&) = delete;
    virtual ~ForeignRows() = default;

    virtual Index count() const = 0;

    /// The first rows of `all` are those that are here; the others become those of the wanted nodes.
    virtual void fetch(MatrixView all) const = 0;

    /// The same in double precision, for rows of `width` numbers: `own` are copied to the beginning of `all`.
    virtual void fetch(std::span<const double> own, std::size_t width, std::span<double> all) const = 0;
};

/// What crosses rows that are elsewhere. All who have rows of a layout make the same calls in the same order;
/// no result depends on how many they are.
class RowExchange {
  public:
    RowExchange() = default;
    RowExchange(const RowExchange&) = delete;
    RowExchange& operator=(const RowExchange&) = delete;
    virtual ~RowExchange() = default;

    /// The sum up the tree of blocks, everywhere. `own` sums a vertex whose blocks are all here.
    virtual std::vector<float> sum(std::size_t numbers, const VertexSum<float>& own) = 0;
    virtual std::vector<double> sum(std::size_t numbers, const VertexSum<double>& own) = 0;

    virtual std::int64_t total(std::int64_t own) = 0;
    bool any(bool own) { return total(own ? 1 : 0) > 0; }

    /// Those nodes here that others want; `wanted` are theirs that are wanted here.
    virtual std::vector<Index> asked_for(std::span<const Index> wanted) = 0;

    /// The rows of `wanted` nodes, ascending, from those who have them; `own` are the nodes, ascending, of
    /// the rows that are here. Throws ExecutionError where a row is wanted that its owner does not have.
    virtual std::unique_ptr<const ForeignRows> foreign_rows(std::span<const Index> own,
                                                            std::span<const Index> wanted) = 0;

    /// The labels of all, in the order of their rows.
    virtual std::vector<Index> joined(const std::vector<Index>& own) = 0;

    /// What `judge` finds, at one place, in the numbers of all, in the order of their rows.
    virtual double judged(std::span<const float> own,
                          const std::function<double(std::span<const float> all)>& judge) = 0;

    /// Throws InputError, everywhere, unless all have the same text: `what` says what it is.
    virtual void expect_same(const std::string& what, const std::string& own) = 0;
};

inline RowExchange* exchange_of(const RowLayout* layout) {
    return layout != nullptr ? layout->exchange : nullptr;
}

/// Those who work together stop together, whoever was asked to.
inline void throw_if_any_is_stopped(RowExchange* exchange, const ExecutionControl& control) {
    if (exchange == nullptr) return throw_if_stopped(control);
    if (exchange->any(is_stopped(control))) throw Interrupted();
}

/// For what they do between two such agreements: none of them stops by itself there.
inline ExecutionControl until_agreement(const RowExchange* exchange, const ExecutionControl& control) {
    return {control.threads, nullptr, exchange == nullptr ? control.stop : nullptr};
}

}  // namespace hwgcn
