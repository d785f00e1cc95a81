// Learns the weights of the karate club through the installed headers and library, and asks for a dataset
// that is not there, without a network.
#include <cstdio>

#include <hwgcn/hwgcn.hpp>

namespace {

bool cora_is_known_but_not_here() {
    hwgcn::FetchOptions options;
    options.directory = "no such folder";
    options.offline = true;
    try {
        hwgcn::fetch_dataset("cora", options);
    } catch (const hwgcn::InputError& error) {
        std::printf("libcurl %s: %s\n", hwgcn::libcurl_version().c_str(), error.what());
        return true;
    }
    return false;
}

}  // namespace

int main() {
    const hwgcn::Dataset karate = hwgcn::make_karate();
    const hwgcn::Graph graph(karate.nodes, karate.edges);
    const auto features = hwgcn::row_normalized(karate.features);
    const hwgcn::LearnedWeights learned = hwgcn::learn_weights(graph, features, {.order = 3});
    for (const hwgcn::OrderWeights& order : learned.orders) {
        std::printf("order %d: %lld weights, worst gap %.1e\n", order.summary.order,
                    static_cast<long long>(order.summary.support), order.summary.worst_gap);
    }
    const bool learned_all = learned.orders.size() == 2 && learned.orders[0].summary.support > 0;
    return learned_all && cora_is_known_but_not_here() ? 0 : 1;
}
