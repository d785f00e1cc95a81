#include "distributed/peers/peer_exchange.hpp"

#include <utility>

#include "distributed/operators/peer_foreign_rows.hpp"
#include "distributed/operators/shared_rows.hpp"

namespace hwgcn {
namespace {

template <typename T>
class SharedSum {
  public:
    SharedSum(const Partition& partition, std::size_t numbers, const VertexSum<T>& own)
        : partition_(partition), tree_(partition.blocks.count()), numbers_(numbers), own_(own) {}

    std::vector<T> everywhere() const {
        std::vector<T> result = sum_of(tree_.root());
        result.resize(numbers_);
        broadcast(partition_.peers(), partition_.owner_of_block(0),
                  std::as_writable_bytes(std::span(result)));
        return result;
    }

  private:
    // The result is where the first block is, and empty elsewhere.
    std::vector<T> sum_of(BlockVertex vertex) const {
        const Index end = tree_.end_of(vertex);
        if (partition_.end_block <= vertex.first || partition_.first_block >= end) return {};
        if (partition_.first_block <= vertex.first && end <= partition_.end_block) return own_(vertex);
        std::vector<T> left = sum_of(BlockTree::left_of(vertex));
        if (!tree_.has_right(vertex)) return left;
        std::vector<T> right = sum_of(tree_.right_of(vertex));
        const int here = partition_.owner_of_block(vertex.first);
        const int there = partition_.owner_of_block(tree_.right_of(vertex).first);
        Peers& peers = partition_.peers();
        if (here != there && peers.rank() == there)
            peers.transfer(here, std::as_bytes(std::span(right)), Peers::nobody, {});
        if (peers.rank() != here) return {};
        if (here != there) {
            right.resize(numbers_);
            peers.transfer(Peers::nobody, {}, there, std::as_writable_bytes(std::span(right)));
        }
        add_to<T>(left, right);
        return left;
    }

    const Partition& partition_;
    BlockTree tree_;
    std::size_t numbers_;
    const VertexSum<T>& own_;
};

template <typename T>
std::vector<T> one_after_the_other(const std::vector<std::vector<T>>& lists) {
    std::vector<T> all;
    for (const std::vector<T>& list : lists)
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

}  // namespace

std::vector<float> PeerExchange::sum(std::size_t numbers, const VertexSum<float>& own) {
    return SharedSum<float>(partition_, numbers, own).everywhere();
}

std::vector<double> PeerExchange::sum(std::size_t numbers, const VertexSum<double>& own) {
    return SharedSum<double>(partition_, numbers, own).everywhere();
}

std::vector<Index> PeerExchange::asked_for(std::span<const Index> wanted) {
    return one_after_the_other(exchange_values(peers_, by_owner(partition_, wanted)));
}

std::unique_ptr<const ForeignRows> PeerExchange::foreign_rows(std::span<const Index> own,
                                                              std::span<const Index> wanted) {
    return std::make_unique<const PeerForeignRows>(partition_, own, wanted);
}

std::vector<Index> PeerExchange::joined(const std::vector<Index>& own) {
    return one_after_the_other(
        exchange_values(peers_, std::vector(static_cast<std::size_t>(peers_.size()), own)));
}

// The first process judges, and tells the others.
double PeerExchange::judged(std::span<const float> own,
                            const std::function<double(std::span<const float> all)>& judge) {
    std::vector<std::vector<float>> parts;
    for (const Bytes& part : gather(peers_, 0, bytes_of(own)))
        parts.push_back(values_of<float>(part));
    double found = peers_.rank() == 0 ? judge(one_after_the_other(parts)) : 0;
    broadcast(peers_, 0, std::as_writable_bytes(std::span(&found, 1)));
    return found;
}

}  // namespace hwgcn
