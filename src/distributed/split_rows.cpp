#include "distributed/split_rows.hpp"

#include <algorithm>

#include "tensor/rows.hpp"

namespace hwgcn {

SplitRows::SplitRows(const Partition& partition, const Split& split) : partition_(partition) {
    for (const std::vector<Index>* const nodes : {&split.train, &split.validation, &split.test})
        nodes_.insert(nodes_.end(), nodes->begin(), nodes->end());
    std::ranges::sort(nodes_);
}

// Processes have ascending runs of nodes: their rows one after the other are in order.
DenseMatrix SplitRows::gather(ConstMatrixView own) const {
    std::vector<Index> rows;
    for (const Index node : nodes_) {
        if (partition_.has(node)) rows.push_back(node - partition_.first_node());
    }
    DenseMatrix mine(static_cast<Index>(rows.size()), own.columns);
    gather_rows(own, rows, mine);
    const std::vector<Bytes> parts =
        hwgcn::gather(partition_.peers(), 0, bytes_of(std::span<const float>(mine.numbers())));
    if (parts.empty()) return {};
    DenseMatrix all(static_cast<Index>(nodes_.size()), own.columns);
    auto place = all.numbers().begin();
    for (const Bytes& part : parts)
        place = std::ranges::copy(values_of<float>(part), place).out;
    return all;
}

Dataset SplitRows::dataset(const Dataset& whole) const {
    Dataset small;
    small.name = whole.name;
    small.source = whole.source;
    small.nodes = static_cast<Index>(nodes_.size());
    small.class_names = whole.class_names;
    for (const Index node : nodes_)
        small.labels.push_back(whole.labels[node]);
    return small;
}

Split SplitRows::split(const Split& whole) const {
    Split small = whole;
    for (std::vector<Index>* const nodes : {&small.train, &small.validation, &small.test}) {
        for (Index& node : *nodes)
            node = static_cast<Index>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
    }
    return small;
}

}  // namespace hwgcn
