#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "base/random_stream.hpp"
#include "methods/diffusion/diffused_features.hpp"
#include "methods/diffusion/self_training.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/linear/row_coordinates.hpp"
#include "methods/linear/strength_choice.hpp"
#include "methods/small_graphs.hpp"
#include "operators/propagation.hpp"
#include "operators/receptive_field.hpp"

namespace hwgcn::testing::diffusion_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Rows = std::vector<std::vector<double>>;

// Three classes; most edges stay within one, and a word or two of a node belong to its class.
struct Problem {
    std::vector<Index> labels;
    Propagation p;
    CsrMatrix<float> features;

    explicit Problem(Index nodes = 90, double homophily = 0.8, double words = 0.5, Index columns = 40) {
        RandomStream random(3, 0);
        std::vector<Edge> edges;
        features = {nodes, columns, {0}, {}, {}};
        for (Index i = 0; i < nodes; ++i) {
            labels.push_back(i % 3);
            for (int k = 0; k < 2; ++k) {
                const auto other = static_cast<Index>(random.below(static_cast<std::uint64_t>(nodes)));
                const Index same = other - other % 3 + i % 3;
                const Index to = random.uniform() < homophily && same < nodes ? same : other;
                if (to != i) edges.push_back({i, to});
            }
            std::set<Index> own = {static_cast<Index>(random.below(static_cast<std::uint64_t>(columns)))};
            if (random.uniform() < words) own.insert(i % 3);
            for (const Index f : own) {
                features.indices.push_back(f);
                features.values.push_back(static_cast<float>(1 + random.uniform()));
            }
            features.offsets.push_back(features.entries());
        }
        p = build_propagation(Graph(nodes, edges));
    }

    ClassicGraph view() const { return {*p.matrix, features, 3}; }

    KnownLabels known(Index count) const {
        KnownLabels result;
        for (Index i = 0; i < count; ++i) {
            result.train.nodes.push_back(i);
            result.train.labels.push_back(labels[i]);
        }
        return result;
    }
};

Rows dense(const CsrMatrix<float>& sparse) {
    Rows rows(sparse.rows, std::vector<double>(sparse.columns));
    for (Index i = 0; i < sparse.rows; ++i) {
        for (std::size_t e = 0; e < sparse.row(i).size(); ++e)
            rows[i][sparse.row(i).indices[e]] = static_cast<double>(sparse.row(i).values[e]);
    }
    return rows;
}

Rows product(const Rows& a, const Rows& b) {
    Rows result(a.size(), std::vector<double>(b.front().size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < b.size(); ++k) {
            for (std::size_t j = 0; j < b[k].size(); ++j)
                result[i][j] += a[i][k] * b[k][j];
        }
    }
    return result;
}

double length(const std::vector<double>& row) {
    return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

void make_unit(Rows& rows) {
    for (std::vector<double>& row : rows) {
        const double divisor = length(row);
        for (double& number : row)
            number /= divisor > 0 ? divisor : 1;
    }
}

// sum over t of a (1 - a)^t P^t X, the rest on the last power.
Rows naive_diffusion(const Rows& p, Rows x, double a, int steps) {
    Rows sum(x.size(), std::vector<double>(x.front().size()));
    for (int t = 0; t <= steps; ++t) {
        const double share = std::pow(1 - a, t) * (t < steps ? a : 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < x[i].size(); ++j)
                sum[i][j] += share * x[i][j];
        }
        x = product(p, x);
    }
    return sum;
}

// An operator that is not symmetric; few nodes are diffused back from, many with all columns.
TEST(DiffusedRows, BothWaysGiveTheNaiveSum) {
    const Problem problem(90, 0.8, 0.0, 70);
    CsrMatrix<float> p = *problem.p.matrix;
    for (Index i = 0; i < p.rows; ++i) {
        for (std::int64_t e = p.offsets[i]; e < p.offsets[i + std::size_t{1}]; ++e)
            p.values[e] *= 1 + 0.01F * static_cast<float>(i);
    }
    const std::vector<float> scale = inverse_row_lengths(problem.features);
    Rows unit = dense(problem.features);
    make_unit(unit);
    const Rows given = naive_diffusion(dense(p), dense(problem.features), 0.1, 4);
    const Rows scaled = naive_diffusion(dense(p), unit, 0.1, 4);
    const Rows square = product(dense(p), product(dense(p), unit));
    const std::vector<Diffusion> diffusions = {page_rank(0.1, 4), power_of_operator(2, 4)};
    for (const Index count : {Index{2}, Index{90}}) {
        const std::vector<Index> nodes = all_indices(count);
        const auto plain = diffused_rows(p, {problem.features}, nodes, diffusions, {2});
        const auto ones = diffused_rows(p, {problem.features, scale}, nodes, diffusions, {1});
        for (Index i = 0; i < count; ++i) {
            for (Index f = 0; f < 70; ++f) {
                EXPECT_NEAR(plain[0].at(i, f), given[i][f], 1e-5) << count << ' ' << i << ' ' << f;
                EXPECT_NEAR(ones[0].at(i, f), scaled[i][f], 1e-5);
                EXPECT_NEAR(ones[1].at(i, f), square[i][f], 1e-5);
            }
        }
    }
}

TEST(DiffusedLengths, OfAllNodesAndOfOneAreThoseOfTheRows) {
    const Problem problem;
    const Rows h = naive_diffusion(dense(*problem.p.matrix), dense(problem.features), 0.2, 3);
    const auto features = std::make_shared<const CsrMatrix<float>>(problem.features);
    const Diffusion diffusion = page_rank(0.2, 3);
    const ReceptiveField all = whole_field(problem.p, features, 3);
    const std::vector<float> lengths = inverse_diffused_lengths(all, diffusion, {*all.features.matrix}, {2});
    const std::vector<Index> nodes = {5, 50};
    const ReceptiveField two = receptive_field(problem.p, features, nodes, 3);
    const std::vector<float> some = inverse_diffused_lengths(two, diffusion, {*two.features.matrix}, {1});
    for (Index i = 0; i < 90; ++i)
        EXPECT_NEAR(lengths[i], 1 / length(h[i]), 1e-4) << i;
    EXPECT_NEAR(some[0], lengths[5], 1e-5);
    EXPECT_NEAR(some[1], lengths[50], 1e-5);
}

TEST(RowCoordinates, KeepTheProductsWithTheSpanningRows) {
    const Problem problem;
    const CsrMatrix<float> coordinates = row_coordinates(problem.features, 12, {1});
    EXPECT_LE(coordinates.columns, 12);
    const Rows x = dense(problem.features), c = dense(coordinates);
    for (Index i = 0; i < 90; ++i) {
        for (Index j = 0; j < 12; ++j)
            EXPECT_NEAR(std::inner_product(c[i].begin(), c[i].end(), c[j].begin(), 0.0),
                        std::inner_product(x[i].begin(), x[i].end(), x[j].begin(), 0.0), 1e-4);
    }
}

// What a penalty without bounds leaves is the shares of the classes, however sharp its scores become.
TEST(Sharpened, TheSharesOfTheClassesStayWhatTheyAre) {
    const CsrMatrix<float> rows = sparse_rows(DenseMatrix(4, 1), all_indices(4));
    const std::vector<Index> labels = {0, 0, 0, 1};
    const std::vector<double> theta = {0.5, -0.5, 0, std::log(0.75), std::log(0.25) + 0.1, -7};
    const std::vector<double> four = sharpened(theta, {rows, labels, 3}, 4);
    const std::vector<double> expected = {2, -2, 0, std::log(0.75), std::log(0.25) + 0.4, -7};
    for (std::size_t k = 0; k < theta.size(); ++k)
        EXPECT_NEAR(four[k], expected[k], 1e-12) << k;
}

// One feature; a score of class 0 that grows with it. Of class 0, twice its two labels, the surest of three;
// of class 1, all two that there are. Each counts 0.3 of the mean weight of its class.
TEST(SelfTraining, TakesTheSurestOfEachClass) {
    DenseMatrix x(8, 1);
    const std::vector<float> values = {9, 8, -9, 1, 3, 2, -1, -2};
    for (Index i = 0; i < 8; ++i)
        x.at(i, 0) = values[i];
    const CsrMatrix<float> rows = sparse_rows(x, all_indices(8));
    const LabelledNodes learned{{0, 1, 2}, {0, 0, 1}, {0.5, 1.5, 2}};
    const std::vector<Index> others = {3, 4, 5, 6, 7};
    const std::vector<double> theta = {1, -1, 0.1, 0};
    const LabelledNodes one = with_surest(rows, learned, others, theta, 2, 1);
    EXPECT_EQ(one.nodes, (std::vector<Index>{0, 1, 2, 4, 5, 7}));
    EXPECT_EQ(one.labels, (std::vector<Index>{0, 0, 1, 0, 0, 1}));
    const std::vector<double> weights = {0.5, 1.5, 2, 0.3, 0.3, 0.6};
    for (std::size_t k = 0; k < weights.size(); ++k)
        EXPECT_NEAR(one.weights[k], weights[k], 1e-12) << k;
    EXPECT_EQ(with_surest(rows, learned, others, theta, 2, 9).nodes.size(), 8U);
}

ClassicModel learned(const Problem& problem, const KnownLabels& known,
                     const std::vector<Setting>& settings = {}, int threads = 1) {
    return make_classic_method("diffusion", settings)->learn(problem.view(), known, 0, {threads});
}

DenseMatrix predicted(const Problem& problem, const ClassicModel& model,
                      const std::vector<Setting>& settings = {}) {
    return make_classic_method("diffusion", settings)->probabilities(problem.view(), model.parameters, {2});
}

// softmax(sharpness (h Theta + b)) of the parameters found.
std::vector<double> naive_probabilities(const ClassicModel& model, const std::vector<double>& h,
                                        double sharpness) {
    std::vector<double> p(3);
    double sum = 0;
    for (Index c = 0; c < 3; ++c) {
        double z = static_cast<double>(model.parameters[1].value.at(0, c));
        for (std::size_t f = 0; f < h.size(); ++f)
            z += h[f] * static_cast<double>(model.parameters[0].value.at(static_cast<Index>(f), c));
        p[c] = std::exp(sharpness * z);
        sum += p[c];
    }
    for (double& number : p)
        number /= sum;
    return p;
}

// At the minimum, strength Theta = sum over the training nodes of h (indicator - p), rows of length 1; where
// rows are as they are, they are first divided by their root mean square length.
TEST(DiffusionMethod, StandsWhereTheGradientIsZeroAndPredictsTheEquation) {
    const Problem problem;
    for (const std::string unit : {"on", "off"}) {
        const std::vector<Setting> settings = {{"teleports", "0.2"},   {"powers", ""},
                                               {"propagations", "10"}, {"sure_nodes", "0"},
                                               {"unit_rows", unit},    {"even_columns", "off"}};
        const ClassicModel model = learned(problem, problem.known(30), settings);
        const auto at = model.summary.find("L2 strength ");
        ASSERT_NE(at, std::string::npos) << model.summary;
        double strength = 0, sharpness = 0;
        ASSERT_EQ(std::sscanf(model.summary.c_str() + at, "L2 strength %lf and scores times %lf", &strength,
                              &sharpness),
                  2)
            << model.summary;
        Rows x = dense(problem.features);
        if (unit == "on") make_unit(x);
        Rows h = naive_diffusion(dense(*problem.p.matrix), x, 0.2, 10);
        if (unit == "on") make_unit(h);
        double squares = 0;
        for (std::size_t i = 0; i < 30; ++i)
            squares += length(h[i]) * length(h[i]) / 30;
        for (Index f = 0; f < 40; ++f) {
            for (Index c = 0; c < 3; ++c) {
                double pull = 0;
                for (Index i = 0; i < 30; ++i)
                    pull += h[i][f] * ((problem.labels[i] == c ? 1.0 : 0.0) -
                                       naive_probabilities(model, h[i], 1 / sharpness)[c]);
                const double theta = static_cast<double>(model.parameters[0].value.at(f, c)) / sharpness;
                EXPECT_NEAR(strength * squares * theta, pull, 3e-4) << unit << ' ' << f << ' ' << c;
            }
        }
        const DenseMatrix all = predicted(problem, model, settings);
        for (Index i = 0; i < 90; ++i) {
            for (Index c = 0; c < 3; ++c)
                EXPECT_NEAR(all.at(i, c), naive_probabilities(model, h[i], 1)[c], 1e-4) << unit << ' ' << i;
        }
    }
}

TEST(DiffusionMethod, LabelsChooseHowFarFeaturesGo) {
    const Problem smooth(900, 0.9, 0.4), alone(900, 0.0, 1.0), noisy(900, 0.99, 0.1);
    EXPECT_THAT(learned(smooth, smooth.known(300)).summary, Not(HasSubstr("power 0")));
    EXPECT_THAT(learned(alone, alone.known(300)).summary, HasSubstr("power 0,"));
    EXPECT_THAT(learned(noisy, noisy.known(300)).summary,
                AnyOf(HasSubstr("power 8"), HasSubstr("power 16"), HasSubstr("teleport 0.02")));
}

// Many nodes say what a few labels do not; held-out labels of other classes deny it.
TEST(DiffusionMethod, SureNodesTeachWhereHeldOutLabelsWantIt) {
    const Problem problem(900, 0.6, 0.6, 120);
    KnownLabels few = problem.known(15);
    for (Index i = 15; i < 315; ++i) {
        few.validation.nodes.push_back(i);
        few.validation.labels.push_back(problem.labels[i]);
    }
    std::vector<Setting> settings = {{"teleports", "0.5"}, {"powers", ""}};
    const ClassicModel twice = learned(problem, few, settings);
    EXPECT_THAT(twice.summary, HasSubstr("150 sure nodes"));
    const LabelledNodes all{all_indices(900), problem.labels};
    const double reached = accuracy(predicted(problem, twice), all);
    KnownLabels others = few;
    for (Index& label : others.validation.labels)
        label = (label + 1) % 3;
    EXPECT_THAT(learned(problem, others, settings).summary, Not(HasSubstr("sure nodes")));
    settings.push_back({"sure_nodes", "0"});
    const ClassicModel once = learned(problem, few, settings);
    EXPECT_THAT(once.summary, Not(HasSubstr("sure nodes")));
    EXPECT_GT(reached, accuracy(predicted(problem, once), all) + 0.02);
}

TEST(DiffusionMethod, OneLabelPerClassIsEnoughForAllClasses) {
    const Problem problem(300, 0.9, 0.7);
    const ClassicModel model = learned(problem, problem.known(3));
    EXPECT_THAT(model.summary, Not(HasSubstr("log loss"))) << "no label is left to judge by";
    const DenseMatrix p = predicted(problem, model);
    expect_probabilities(p);
    std::set<Index> classes;
    for (Index i = 0; i < 300; ++i)
        classes.insert(argmax(p, i));
    EXPECT_EQ(classes.size(), 3U);
    EXPECT_GT(accuracy(p, {all_indices(300), problem.labels}), 0.5);
}

// A label whose class no other label has says nothing about a classifier learned from the others.
TEST(DiffusionMethod, LoneLabelsDoNotJudge) {
    const Problem problem(60);
    KnownLabels six;
    six.train = {all_indices(6), all_indices(6)};
    const ClassicModel model =
        make_classic_method("diffusion", {})->learn({*problem.p.matrix, problem.features, 6}, six, 0, {1});
    EXPECT_THAT(model.summary, Not(HasSubstr("log loss")));
    KnownLabels two = problem.known(20);
    for (Index& label : two.train.labels)
        label %= 2;
    two.validation = {{21, 24}, {2, 2}};
    EXPECT_THAT(learned(problem, two).summary, Not(HasSubstr("validation nodes")));
}

// A thousand labels judge the size of scores that all of them find.
TEST(DiffusionMethod, ManyLabelsDoNotMakeWeakFeaturesSure) {
    const Problem problem(9000, 0.4, 0.1);
    const DenseMatrix p = predicted(problem, learned(problem, problem.known(6000)));
    double loss = 0;
    for (Index i = 6000; i < 9000; ++i)
        loss -= std::log(static_cast<double>(p.at(i, problem.labels[i]))) / 3000;
    EXPECT_LT(loss, std::log(3.0));
}

TEST(DiffusionMethod, AClassWithoutLabelsAndFeaturesThatSayNothingGiveProbabilities) {
    Problem problem(60);
    KnownLabels two = problem.known(20);
    for (Index& label : two.train.labels)
        label %= 2;
    const DenseMatrix p = predicted(problem, learned(problem, two));
    expect_probabilities(p);
    for (Index i = 0; i < 60; ++i)
        EXPECT_NE(argmax(p, i), 2);
    for (const float value : {0.0F, 1.0F}) {
        DenseMatrix constant(60, 2);
        for (Index i = 0; i < 60; ++i)
            constant.at(i, 1) = value;
        problem.features = sparse_rows(constant, all_indices(60));
        expect_probabilities(predicted(problem, learned(problem, problem.known(20))));
    }
}

TEST(DiffusionMethod, ThreadsChangeNoBit) {
    const Problem problem(3000, 0.8, 0.5, 300);
    KnownLabels known = problem.known(200);
    for (Index i = 200; i < 300; ++i) {
        known.validation.nodes.push_back(i);
        known.validation.labels.push_back(problem.labels[i]);
    }
    const ClassicModel one = learned(problem, known, {}, 1), three = learned(problem, known, {}, 3);
    EXPECT_EQ(one.summary, three.summary);
    for (std::size_t k = 0; k < one.parameters.size(); ++k)
        EXPECT_TRUE(
            std::ranges::equal(one.parameters[k].value.numbers(), three.parameters[k].value.numbers()));
    EXPECT_THAT(one.summary, HasSubstr("5 folds and 100 validation nodes"));
}

}  // namespace
}  // namespace hwgcn::testing::diffusion_test
