#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/dataset/synthetic.hpp"

namespace hwgcn {
namespace {

constexpr Index member_count = 34;

// W. W. Zachary, "An information flow model for conflict and fission in small groups", Journal of
// Anthropological Research 33 (1977): each member and the lower-numbered members he or she met outside the
// club.
const std::vector<std::pair<Index, std::vector<Index>>>& ties() {
    static const std::vector<std::pair<Index, std::vector<Index>>> table = {
        {2, {1}},
        {3, {1, 2}},
        {4, {1, 2, 3}},
        {5, {1}},
        {6, {1}},
        {7, {1, 5, 6}},
        {8, {1, 2, 3, 4}},
        {9, {1, 3}},
        {10, {3}},
        {11, {1, 5, 6}},
        {12, {1}},
        {13, {1, 4}},
        {14, {1, 2, 3, 4}},
        {17, {6, 7}},
        {18, {1, 2}},
        {20, {1, 2}},
        {22, {1, 2}},
        {26, {24, 25}},
        {28, {3, 24, 25}},
        {29, {3}},
        {30, {24, 27}},
        {31, {2, 9}},
        {32, {1, 25, 26, 29}},
        {33, {3, 9, 15, 16, 19, 21, 23, 24, 30, 31, 32}},
        {34, {9, 10, 14, 15, 16, 19, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 33}},
    };
    return table;
}

// Those who followed the instructor, Mr. Hi, into his new club; the others stayed with the officers.
constexpr std::array<Index, 17> with_mr_hi = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22};

// The club has no features of its own; a member is described by whom it knows, itself included. (One-hot
// features would have nothing in common with those of any far node.)
CsrMatrix<float> acquaintances(const std::vector<Edge>& edges) {
    std::vector<Triplet<float>> triplets;
    for (Index member = 0; member < member_count; ++member)
        triplets.push_back({member, member, 1.0F});
    for (const Edge& tie : edges) {
        triplets.push_back({tie.from, tie.to, 1.0F});
        triplets.push_back({tie.to, tie.from, 1.0F});
    }
    return csr_from_triplets(member_count, member_count, std::move(triplets));
}

}  // namespace

Dataset make_karate() {
    Dataset karate;
    karate.name = "karate";
    karate.source = "built-in";
    karate.nodes = member_count;
    karate.class_names = {"Mr. Hi", "Officer"};
    for (const auto& [member, others] : ties()) {
        for (const Index other : others)
            karate.edges.push_back({other - 1, member - 1});
    }
    karate.features = acquaintances(karate.edges);
    for (Index member = 1; member <= member_count; ++member) {
        const bool followed = std::find(with_mr_hi.begin(), with_mr_hi.end(), member) != with_mr_hi.end();
        karate.labels.push_back(followed ? 0 : 1);
        karate.node_ids.push_back(std::to_string(member));
    }
    return karate;
}

}  // namespace hwgcn
