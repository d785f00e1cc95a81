#include <algorithm>

#include "base/parameter.hpp"
#include "methods/linear/rows.hpp"
#include "methods/small_graphs.hpp"

namespace hwgcn::testing::manireg_test {
namespace {

constexpr Index node_count = 30;
constexpr Index feature_count = 8;

KnownLabels some_labels() {
    return {{{0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 0, 1, 2, 0}}, {}};
}

std::unique_ptr<ClassicMethod> make_manireg(const std::string& loss, const std::string& smoothness,
                                            double l2) {
    return make_classic_method("manireg", {{"manireg_loss", loss},
                                           {"smoothness", smoothness},
                                           {"classifier_l2", value_text(l2)},
                                           {"solver_tolerance", "1e-9"}});
}

SmallGraph random_graph(int edges) {
    return {node_count, random_edges(node_count, edges, 3), 3,
            random_features(node_count, feature_count, 0.4, 6)};
}

std::vector<double> dense_row(const CsrMatrix<float>& matrix, Index i) {
    std::vector<double> row(feature_count + 1);
    row[feature_count] = 1.0;  // the bias
    for (std::size_t e = 0; e < matrix.row(i).size(); ++e)
        row[matrix.row(i).indices[e]] = static_cast<double>(matrix.row(i).values[e]);
    return row;
}

// The normal equations, written down entry by entry.
void expect_solves_normal_equations(const SmallGraph& graph, double smoothness, double l2) {
    const KnownLabels known = some_labels();
    const auto method = make_manireg("squares", value_text(smoothness), l2);
    const DenseMatrix theta = method->learn(graph.view(), known, 0, {1}).parameters[0].value;
    const CsrMatrix<float> x = unit_rows(graph.features);
    constexpr std::size_t size = feature_count + 1;
    std::vector<std::vector<double>> a(size, std::vector<double>(size));
    for (std::size_t f = 0; f < feature_count; ++f)
        a[f][f] = l2;
    const auto add = [&](const std::vector<double>& v, double factor) {
        for (std::size_t f = 0; f < size; ++f) {
            for (std::size_t g = 0; g < size; ++g)
                a[f][g] += factor * v[f] * v[g];
        }
    };
    for (const Index node : known.train.nodes)
        add(dense_row(x, node), 1.0 / 7);
    for (Index i = 0; i < node_count; ++i) {
        for (const Index j : graph.weights.matrix->row(i).indices) {
            std::vector<double> difference = dense_row(x, i);
            for (std::size_t f = 0; f < size; ++f)
                difference[f] -= dense_row(x, j)[f];
            add(difference, 0.5 * smoothness / node_count);  // every edge comes twice
        }
    }
    for (Index c = 0; c < 3; ++c) {
        std::vector<double> b(size);
        for (std::size_t k = 0; k < 7; ++k) {
            for (std::size_t f = 0; f < size; ++f)
                b[f] += known.train.labels[k] == c ? dense_row(x, known.train.nodes[k])[f] / 7 : 0.0;
        }
        const std::vector<double> expected = solve_dense(a, b);
        for (std::size_t f = 0; f < size; ++f)
            EXPECT_NEAR(theta.at(static_cast<Index>(f), c), expected[f], 1e-5);
    }
}

TEST(ManiReg, SolvesTheNormalEquationsOfTheLaplacianPenalty) {
    expect_solves_normal_equations(random_graph(60), 2.0, 0.01);
    expect_solves_normal_equations(random_graph(60), 0.1, 0.5);
}

TEST(ManiReg, WithoutEdgesItIsRidgeRegression) {
    expect_solves_normal_equations(random_graph(0), 2.0, 0.01);
}

double roughness(const SmallGraph& graph, const DenseMatrix& p) {
    double sum = 0;
    for (Index i = 0; i < node_count; ++i) {
        for (const Index j : graph.weights.matrix->row(i).indices) {
            for (Index c = 0; c < 3; ++c)
                sum += std::abs(static_cast<double>(p.at(i, c)) - static_cast<double>(p.at(j, c)));
        }
    }
    return sum;
}

TEST(ManiReg, MoreSmoothnessMakesNeighborsMoreAlikeUnderBothLosses) {
    const SmallGraph graph = random_graph(60);
    for (const char* loss : {"squares", "logistic"}) {
        double before = 1e9;
        for (const char* smoothness : {"0", "1", "100"}) {
            const auto method = make_manireg(loss, smoothness, 1e-4);
            const DenseMatrix p = learn_and_predict(*method, graph, some_labels());
            expect_probabilities(p);
            EXPECT_LT(roughness(graph, p), before);
            before = roughness(graph, p);
        }
    }
}

TEST(ManiReg, LearnsItsTrainingLabelsWhereNothingHoldsItBack) {
    const SmallGraph graph = random_graph(0);
    for (const char* loss : {"squares", "logistic"}) {
        const DenseMatrix p = learn_and_predict(*make_manireg(loss, "0", 1e-6), graph, some_labels());
        for (std::size_t k = 0; k < 7; ++k) {
            const float* row = p.row(some_labels().train.nodes[k]);
            EXPECT_EQ(std::max_element(row, row + 3) - row, some_labels().train.labels[k]);
        }
    }
}

TEST(ManiReg, WithHundredsOfClassesTheLargestPredictionStaysTheLargest) {
    constexpr Index classes = 250;
    std::vector<Triplet<float>> words;
    KnownLabels known;
    for (Index i = 0; i < 2 * classes; ++i) {
        words.push_back({i, i % classes, 1.0F});
        if (i < classes) {
            known.train.nodes.push_back(i);
            known.train.labels.push_back(i);
        }
    }
    const SmallGraph graph(2 * classes, {}, classes,
                           csr_from_triplets(2 * classes, classes, std::move(words)));
    const DenseMatrix p = learn_and_predict(*make_manireg("squares", "0", 0.05), graph, known);
    for (Index i = 0; i < 2 * classes; ++i)
        EXPECT_EQ(argmax(p, i), i % classes);
}

TEST(ManiReg, CandidatesAreChosenOnTheValidationNodes) {
    const SmallGraph graph = random_graph(60);
    const auto two_candidates = make_manireg("squares", "1000,0", 1e-3);
    KnownLabels known = some_labels();
    // Validation nodes with the labels that the unsmoothed fit predicts.
    const DenseMatrix rough = learn_and_predict(*make_manireg("squares", "0", 1e-3), graph, known);
    for (Index node = 7; node < node_count; ++node) {
        const float* row = rough.row(node);
        known.validation.nodes.push_back(node);
        known.validation.labels.push_back(static_cast<Index>(std::max_element(row, row + 3) - row));
    }
    const ClassicModel model = two_candidates->learn(graph.view(), known, 0, {1});
    EXPECT_EQ(model.summary.substr(0, 13), "Smoothness 0,") << model.summary;
    known.validation = {};
    EXPECT_EQ(two_candidates->learn(graph.view(), known, 0, {1}).summary.substr(0, 15), "Smoothness 1000");
}

}  // namespace
}  // namespace hwgcn::testing::manireg_test
