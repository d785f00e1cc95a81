// Learns the weights of the karate club through the installed headers and library.
#include <cstdio>

#include <hwgcn/data/synthetic.hpp>
#include <hwgcn/graph/graph.hpp>
#include <hwgcn/neighbor_weights/learn_weights.hpp>

int main() {
    const hwgcn::Dataset karate = hwgcn::make_karate();
    const hwgcn::Graph graph(karate.nodes, karate.edges);
    const auto features = hwgcn::row_normalized(karate.features);
    const hwgcn::LearnedWeights learned = hwgcn::learn_weights(graph, features, {.order = 3});
    for (const hwgcn::OrderWeights& order : learned.orders) {
        std::printf("order %d: %lld weights, worst gap %.1e\n", order.summary.order,
                    static_cast<long long>(order.summary.support), order.summary.worst_gap);
    }
    return learned.orders.size() == 2 && learned.orders[0].summary.support > 0 ? 0 : 1;
}
