#include "methods/diffusion/label_graph.hpp"

#include <algorithm>
#include <utility>

#include "operators/foreign_columns.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {

LabelGraph::LabelGraph(const ClassicGraph& graph) : layout_(graph.layout), weights_(&graph.weights) {
    if (layout_ == nullptr) return;
    nodes_ = own_nodes(*layout_);
    if (layout_->exchange == nullptr) return;
    foreign_ = foreign_columns(*layout_, graph.weights);
    numbered_ = graph.weights;
    number_columns(*layout_, nodes_, foreign_, numbered_);
    fetched_ = layout_->exchange->foreign_rows(nodes_, foreign_);
    weights_ = &numbered_;
}

LabelledNodes LabelGraph::here(const LabelledNodes& labelled) const {
    if (layout_ == nullptr) return labelled;
    LabelledNodes result;
    for (std::size_t k = 0; k < labelled.nodes.size(); ++k) {
        if (!layout_->has(labelled.nodes[k])) continue;
        result.nodes.push_back(labelled.nodes[k] - layout_->first_node());
        result.labels.push_back(labelled.labels[k]);
    }
    return result;
}

// Each goes as far as it can alone, and tells the others which of their nodes it has reached.
std::vector<char> LabelGraph::reached_from(const std::vector<Index>& nodes) const {
    std::vector<char> reached(static_cast<std::size_t>(weights_->columns), 0);
    std::vector<Index> open;
    const auto reach = [&](Index node) {
        if (std::exchange(reached[node], 1) == 0) open.push_back(node);
    };
    std::ranges::for_each(nodes, reach);
    for (;;) {
        std::vector<Index> elsewhere;
        while (!open.empty()) {
            const Index node = open.back();
            open.pop_back();
            if (node >= this->nodes()) {
                elsewhere.push_back(foreign_[node - this->nodes()]);
                continue;
            }
            const SparseRow<float> row = weights_->row(node);
            for (std::size_t e = 0; e < row.size(); ++e) {
                if (row.values[e] != 0.0F) reach(row.indices[e]);
            }
        }
        if (exchange() == nullptr || !exchange()->any(!elsewhere.empty())) break;
        for (const Index node : exchange()->asked_for(elsewhere))
            reach(node - layout_->first_node());
    }
    reached.resize(static_cast<std::size_t>(this->nodes()));
    return reached;
}

std::vector<double> LabelGraph::with_neighbors(std::vector<double> numbers) const {
    if (!fetched_) return numbers;
    std::vector<double> all(static_cast<std::size_t>(weights_->columns));
    fetched_->fetch(numbers, 1, all);
    return all;
}

void LabelGraph::add_neighbors(std::span<const double> c, const Columns& x, Columns& out,
                               const ExecutionControl& control) const {
    Columns fetched;
    if (fetched_) {
        fetched = Columns(weights_->columns, x.count);
        fetched_->fetch(x.numbers, static_cast<std::size_t>(x.count), fetched.numbers);
    }
    const Columns& all = fetched_ ? fetched : x;
    for_row_ranges(nodes(), weights_->entries() * x.count, control, [&](RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i) {
            const std::span<double> sum = out.row(i);
            std::fill(sum.begin(), sum.end(), 0.0);
            if (c[i] == 0.0) continue;
            const SparseRow<float> row = weights_->row(i);
            for (std::size_t e = 0; e < row.size(); ++e) {
                const double weight = c[i] * c[row.indices[e]] * static_cast<double>(row.values[e]);
                const std::span<const double> neighbor = all.row(row.indices[e]);
                for (std::size_t k = 0; k < sum.size(); ++k)
                    sum[k] += weight * neighbor[k];
            }
        }
    });
}

}  // namespace hwgcn
