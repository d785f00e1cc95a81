#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/small_graphs.hpp"
#include "methods/trees/boosting_choice.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::testing::boosted_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Random edges, two columns of noise and a third one; the class is whether the mean of the third one over the
// neighbors is above that of most nodes, which no linear classifier on x can know.
struct Problem {
    Propagation operators;
    CsrMatrix<float> features;
    std::vector<Index> labels;
    Index classes;

    explicit Problem(Index nodes, Index class_count = 2, std::uint64_t seed = 1) : classes(class_count) {
        const Graph graph(nodes, random_edges(nodes, 3 * nodes, seed));
        operators = build_separate_operators(graph, nullptr);
        features = {nodes, 3, {0}, {}, {}};
        RandomStream random(seed, 9);
        for (Index i = 0; i < nodes; ++i) {
            for (Index f = 0; f < 3; ++f) {
                features.indices.push_back(f);
                features.values.push_back(static_cast<float>(random.uniform() - 0.5));
            }
            features.offsets.push_back(features.entries());
        }
        for (Index i = 0; i < nodes; ++i) {
            double sum = 0;
            for (const Index j : graph.neighbors(i))
                sum += static_cast<double>(features.values[3 * j + 2]);
            const double mean = sum / std::max<double>(1, static_cast<double>(graph.neighbors(i).size()));
            const double place = std::clamp((mean + 0.15) / 0.3, 0.0, 0.999);
            labels.push_back(static_cast<Index>(place * class_count));
        }
    }

    ClassicGraph view() const { return classic_view(operators, features, classes); }

    LabelledNodes labelled(Index begin, Index end) const {
        LabelledNodes result;
        for (Index i = begin; i < end; ++i) {
            result.nodes.push_back(i);
            result.labels.push_back(labels[i]);
        }
        return result;
    }

    ClassicModel learn(const KnownLabels& known, const std::vector<Setting>& settings = {},
                       int threads = 1) const {
        return make_classic_method("boosted", settings)->learn(view(), known, 3, {threads});
    }
    DenseMatrix predict(const ClassicModel& model, const std::vector<Setting>& settings = {},
                        int threads = 1) const {
        return make_classic_method("boosted", settings)->probabilities(view(), model.parameters, {threads});
    }
};

void expect_same_bits(const std::vector<TrainableMatrix>& a, const std::vector<TrainableMatrix>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k)
        EXPECT_TRUE(std::ranges::equal(a[k].value.numbers(), b[k].value.numbers())) << a[k].name;
}

TEST(Boosted, LearnsWhatNeighborsSayTogether) {
    for (const Index classes : {2, 4}) {
        const Problem problem(2000, classes);
        const KnownLabels known{problem.labelled(0, 1000), problem.labelled(1000, 1400)};
        const ClassicModel model = problem.learn(known);
        const DenseMatrix p = problem.predict(model);
        expect_probabilities(p);
        EXPECT_GT(accuracy(p, problem.labelled(1400, 2000)), classes == 2 ? 0.93 : 0.85);
        EXPECT_THAT(model.summary, HasSubstr("by the log loss of 400 validation nodes"));
        EXPECT_THAT(model.notes, IsEmpty());
        const DenseMatrix without = problem.predict(problem.learn(known, {{"neighbor_columns", "none"}}),
                                                    {{"neighbor_columns", "none"}});
        EXPECT_LT(accuracy(without, problem.labelled(1400, 2000)), classes == 2 ? 0.65 : 0.5);
    }
}

TEST(Boosted, ThreadsAndCallsChangeNoBit) {
    for (const Index classes : {2, 3}) {
        const Problem problem(6000, classes);
        for (const Index validation : {0, 500}) {
            const KnownLabels known{problem.labelled(0, 5500), problem.labelled(5500, 5500 + validation)};
            const std::vector<Setting> settings = {{"rounds", "6"}};
            const ClassicModel one = problem.learn(known, settings, 1);
            const DenseMatrix p = problem.predict(one, settings, 1);
            for (const int threads : {1, 2, 3}) {
                const ClassicModel again = problem.learn(known, settings, threads);
                expect_same_bits(again.parameters, one.parameters);
                EXPECT_TRUE(
                    std::ranges::equal(problem.predict(again, settings, threads).numbers(), p.numbers()));
            }
        }
    }
}

TEST(Boosted, FoldsJudgeWhereFewValidationNodesDo) {
    const Problem problem(400);
    EXPECT_THAT(problem.learn({problem.labelled(0, 100), {}}).summary,
                HasSubstr("by the log loss of 5 folds."));
    EXPECT_THAT(problem.learn({problem.labelled(0, 100), problem.labelled(100, 130)}).summary,
                HasSubstr("5 folds and 30 validation nodes"));
    EXPECT_THAT(problem.learn({problem.labelled(0, 100), problem.labelled(100, 300)}).summary,
                HasSubstr("by the log loss of 200 validation nodes"));
    EXPECT_THAT(problem.learn({problem.labelled(0, 100), {}}, {{"leaves", "3,31"}}).summary,
                HasSubstr("leaves"));
}

// Labels that have nothing to do with anything end the trees soon, and a note says so.
TEST(Boosted, NoiseAndFewLabelsAreSaidTo) {
    Problem problem(600);
    const ClassicModel alone = problem.learn({problem.labelled(0, 3), {}});
    EXPECT_THAT(alone.notes,
                ::testing::ElementsAre(HasSubstr("3 labels are too few for trees: none could be")));
    expect_probabilities(problem.predict(alone));
    RandomStream random(4, 4);
    for (Index& label : problem.labels)
        label = static_cast<Index>(random.below(2));
    const ClassicModel noise = problem.learn({problem.labelled(0, 200), problem.labelled(200, 600)});
    EXPECT_THAT(noise.notes, ::testing::ElementsAre(HasSubstr("hardly better than the classes' shares do")));
    const DenseMatrix p = problem.predict(noise);
    for (Index i = 0; i < 600; ++i)
        EXPECT_NEAR(p.at(i, 0), 0.5, 0.3);
}

TEST(Boosted, AWeightIsSoManyExamples) {
    const Problem problem(300);
    LabelledNodes weighted = problem.labelled(0, 150), repeated = weighted;
    for (Index i = 0; i < 150; ++i) {
        weighted.weights.push_back(i < 50 ? 3.0 : 1.0);
        for (int k = 0; i < 50 && k < 2; ++k) {
            repeated.nodes.push_back(i);
            repeated.labels.push_back(problem.labels[i]);
        }
    }
    const LabelledNodes validation = problem.labelled(150, 300);
    const std::vector<Setting> settings = {{"rounds", "30"}, {"column_share", "1"}};
    const DenseMatrix a = problem.predict(problem.learn({weighted, validation}, settings), settings);
    const DenseMatrix b = problem.predict(problem.learn({repeated, validation}, settings), settings);
    double apart = 0;
    for (Index i = 0; i < 300; ++i)
        apart += std::abs(static_cast<double>(a.at(i, 0)) - static_cast<double>(b.at(i, 0))) / 300;
    EXPECT_LT(apart, 1e-4);
}

TEST(Boosted, AClassThatIsNotLearnedIsHardlyProbable) {
    const Problem problem(500, 3);
    KnownLabels known{problem.labelled(0, 300), problem.labelled(300, 450)};
    LabelledNodes& train = known.train;
    for (std::size_t k = train.nodes.size(); k-- > 0;) {
        if (train.labels[k] != 1) continue;
        train.nodes.erase(train.nodes.begin() + static_cast<std::ptrdiff_t>(k));
        train.labels.erase(train.labels.begin() + static_cast<std::ptrdiff_t>(k));
    }
    const DenseMatrix p = problem.predict(problem.learn(known));
    expect_probabilities(p);
    for (Index i = 0; i < 500; ++i)
        EXPECT_LT(p.at(i, 1), 0.1F);
}

TEST(Boosted, ConstantColumnsNoEdgesAndOneClassGiveTheSharesOfTheClasses) {
    Problem problem(200);
    problem.operators = build_separate_operators(Graph(200, {}), nullptr);
    std::ranges::fill(problem.features.values, 2.0F);
    const ClassicModel model = problem.learn({problem.labelled(0, 50), problem.labelled(50, 200)});
    const DenseMatrix p = problem.predict(model);
    for (Index i = 1; i < 200; ++i)
        EXPECT_EQ(p.at(i, 0), p.at(0, 0));
    std::ranges::fill(problem.labels, 1);
    EXPECT_GT(problem.predict(problem.learn({problem.labelled(0, 50), {}})).at(0, 1), 0.9F);
}

TEST(Boosted, ManyLabelsAreThinnedAndANoteSaysSo) {
    const Problem problem(1000);
    const KnownLabels known{problem.labelled(0, 800), problem.labelled(800, 1000)};
    const ClassicModel model = problem.learn(known, {{"training_rows", "300"}});
    EXPECT_THAT(model.notes,
                ::testing::Contains(
                    HasSubstr("learns from 300 of 800 labels, drawn at random; `training_rows` takes more")));
    EXPECT_EQ(model.parameters[0].value.at(0, 3), 300.0F) << "rows at the first root";
}

TEST(Boosted, ForestsBeyondMeasureAreRefused) {
    const Problem problem(100, 20);
    expect_input_error(
        [&] {
            problem.learn({problem.labelled(0, 50), {}}, {{"rounds", "10000"}, {"leaves", "1024"}});
        },
        {"Boosted: `rounds=10000` with `leaves=1024` and 20 classes", "fewer `rounds` or `leaves`"});
}

TEST(Boosted, DamagedArraysAreRefused) {
    const Problem problem(200);
    ClassicModel model = problem.learn({problem.labelled(0, 100), problem.labelled(100, 200)});
    model.parameters[0].value.at(0, 0) = 1000;
    expect_input_error([&] { problem.predict(model); },
                       {"the trees of the model are damaged: row 0 names no column"});
}

// What boosting does, in a few lines of its own: shares of the classes, then one leaf per class and round.
TEST(Boosting, WithoutColumnsFollowsNewtonsSteps) {
    const std::vector<Index> labels = {0, 0, 1, 2, 2, 2, 2};  // the last one judges
    const std::vector<float> x(6, 1.0F);
    const BinnedTable table(7, 7, 1, [](std::int64_t, std::span<float> out) { out[0] = 1; }, {1});
    BoostingOptions options;
    options.tree.rate = 0.5;
    const std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5};
    Boosting boosting({table, labels, 3}, rows, {6}, options);
    std::vector<double> scores = {std::log(2.5 / 7.5), std::log(1.5 / 7.5), std::log(3.5 / 7.5)};
    const double counts[] = {2, 1, 3};
    for (int round = 0; round < 4; ++round) {
        boosting.advance({1});
        double sum = 0, after = 0;
        for (const double score : scores)
            sum += std::exp(score);
        for (std::size_t c = 0; c < 3; ++c) {
            const double p = std::exp(scores[c]) / sum;  // of before the round, for all classes
            scores[c] -= 0.5 * (6 * p - counts[c]) / (6 * p * (1 - p) + 1);
            after += std::exp(scores[c]);
        }
        std::vector<double> found(3);
        boosting.forest(round + 1).scores(x, found);
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_NEAR(found[c], scores[c], 1e-5);
        EXPECT_NEAR(boosting.losses()[0], std::log(after) - scores[2], 1e-5);
    }
    EXPECT_EQ(boosting.rounds(), 4);
}

TEST(Boosting, CountsItsWork) {
    BoostingOptions options;
    options.tree.leaves = 32;
    EXPECT_DOUBLE_EQ(boosting_work(1000, 10, 100, 2, options), 1000.0 * 10 * 100 * 3);
    options.column_share = 0.5;
    EXPECT_DOUBLE_EQ(boosting_work(1000, 10, 100, 5, options), 5000.0 * 5 * 100 * 3);
    const BoostingChoiceOptions choice{{32}, 100, 20};
    EXPECT_DOUBLE_EQ(choice_work(1000, 500, 10, 2, options, choice), 1000.0 * 5 * 100 * 3);
    EXPECT_DOUBLE_EQ(choice_work(1000, 0, 10, 2, options, choice), 5000.0 * 5 * 100 * 3);
    EXPECT_DOUBLE_EQ(choice_work(10'000, 0, 10, 2, options, choice), 18'000.0 * 5 * 100 * 3);
    const auto method = make_classic_method("boosted", {{"leaves", "32"}, {"rounds", "100"}});
    EXPECT_DOUBLE_EQ(method->tree_work({10, 2, 5000}, 1, 1000, 500), 1000.0 * 31 * 100 * 3) << "62 columns";
    EXPECT_DOUBLE_EQ(method->tree_work({10, 2, 5000}, 1, 1'000'000, 500), 100'000.0 * 31 * 100 * 3);
    EXPECT_EQ(method->tree_work({10'000, 2, 5000}, 1, 1000, 500), std::numeric_limits<double>::infinity());
    EXPECT_EQ(make_classic_method("linear", {})->tree_work({10, 2, 5000}, 1, 1000, 500), 0.0);
}

}  // namespace
}  // namespace hwgcn::testing::boosted_test
