#include <array>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::grand_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::Masks;
using testing::product;
using testing::random_propagation;
using testing::run_network;
using testing::shared_features;
using testing::zeros;

constexpr Index nodes = 40;
constexpr Index feature_count = 13;
constexpr Index classes = 3;
constexpr int steps = 3;
constexpr int groups = 4;

struct Problem {
    Propagation propagation = random_propagation(nodes, 60, 0.03, 1);
    std::shared_ptr<const CsrMatrix<float>> features = shared_features(nodes, feature_count, 0.3, 2);
    std::unique_ptr<Network> network;
    std::vector<TrainableMatrix> parameters;

    Problem(const std::string& input_dropout, const std::string& normalize)
        : network(make_network("hwgrand",
                               {{"hidden", "6"},
                                {"propagations", std::to_string(steps)},
                                {"node_groups", std::to_string(groups)},
                                {"input_dropout", input_dropout},
                                {"normalize", normalize}},
                               {feature_count, classes, nodes})),
          parameters(network->initial_parameters(3)) {
        RandomStream random(5, 1);  // biases, scales and offsets begin as constants
        for (TrainableMatrix& parameter : parameters) {
            for (Index i = 0; i < parameter.value.rows(); ++i) {
                for (Index j = 0; j < parameter.value.columns(); ++j)
                    parameter.value.at(i, j) += static_cast<float>(random.uniform() - 0.5);
            }
        }
    }

    ReceptiveField field() const {
        ReceptiveField result = whole_field(propagation, features, network->steps());
        add_training_input(result, *network, propagation, features, {1});
        return result;
    }
};

// 0.5 / (T + 1) * sum of P^t (m o X), in double precision, m being one number per node.
DenseDouble averaged(const Problem& problem, const std::vector<double>& kept) {
    DenseDouble p = zeros(nodes, nodes);
    for (Index i = 0; i < nodes; ++i) {
        const SparseRow<float> row = problem.propagation.matrix->row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            p[i][row.indices[e]] = static_cast<double>(row.values[e]);
    }
    DenseDouble power = zeros(nodes, feature_count);
    for (Index i = 0; i < nodes; ++i) {
        const SparseRow<float> row = problem.features->row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            power[i][row.indices[e]] = kept[i] * static_cast<double>(row.values[e]);
    }
    DenseDouble sum = zeros(nodes, feature_count);
    for (int t = 0; t <= steps; ++t) {
        for (Index i = 0; i < nodes; ++i) {
            for (Index f = 0; f < feature_count; ++f)
                sum[i][f] += 0.5 * power[i][f] / (steps + 1);
        }
        power = product(p, power);
    }
    return sum;
}

// Each column less a mean, divided by a deviation, then times the one row plus the other.
DenseDouble normalized(DenseDouble x, const std::vector<double>& means, const std::vector<double>& variances,
                       const DenseDouble& scale, const DenseDouble& offset) {
    for (auto& row : x) {
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] = (row[k] - means[k]) / std::sqrt(variances[k] + 1e-5) * scale[0][k] + offset[0][k];
    }
    return x;
}

// With the means and variances of its own rows.
DenseDouble normalized(const DenseDouble& x, const DenseDouble& scale, const DenseDouble& offset) {
    std::vector<double> means(x[0].size(), 0.0), variances = means;
    const auto rows = static_cast<double>(x.size());
    for (std::size_t k = 0; k < means.size(); ++k) {
        for (const auto& row : x)
            means[k] += row[k] / rows;
        for (const auto& row : x)
            variances[k] += (row[k] - means[k]) * (row[k] - means[k]) / rows;
    }
    return normalized(x, means, variances, scale, offset);
}

DenseDouble plus_row(DenseDouble x, const DenseDouble& row, bool relu) {
    for (auto& one : x) {
        for (std::size_t k = 0; k < one.size(); ++k)
            one[k] = relu ? std::max(0.0, one[k] + row[0][k]) : one[k] + row[0][k];
    }
    return x;
}

// The equation, of Xbar: in training with masks, and normalised by the rows at hand.
DenseDouble scores_of(const Problem& problem, DenseDouble x, Masks& masks, double input_dropout,
                      bool training) {
    std::vector<DenseDouble> theta;
    for (const TrainableMatrix& parameter : problem.parameters)
        theta.push_back(dense(parameter.value));
    const bool normalize = theta.size() > 4;
    const auto normal = [&](const DenseDouble& in, std::size_t scale, std::size_t mean) {
        return training ? normalized(in, theta[scale], theta[scale + 1])
                        : normalized(in, theta[mean][0], theta[mean + 1][0], theta[scale], theta[scale + 1]);
    };
    if (normalize) x = normal(x, 4, 8);
    if (input_dropout > 0) x = masks.drop(x, input_dropout);
    DenseDouble h = plus_row(product(x, theta[0]), theta[1], true);
    if (normalize) h = normal(h, 6, 10);
    return plus_row(product(masks.drop(h, 0.5), theta[2]), theta[3], false);
}

void expect_near(const DenseMatrix& found, const DenseDouble& expected, double tolerance) {
    for (Index i = 0; i < nodes; ++i) {
        for (Index c = 0; c < classes; ++c)
            EXPECT_NEAR(found.at(i, c), expected[i][c], tolerance) << "node " << i << ", class " << c;
    }
}

TEST(Grand, EvaluationIsThePerceptronOfAveragedPowers) {
    for (const char* normalize : {"off", "on"}) {
        for (const char* input_dropout : {"0", "0.5"}) {
            const Problem problem(input_dropout, normalize);
            const DenseMatrix found =
                run_network(*problem.network, problem.parameters, problem.field(), std::nullopt).scores;
            Masks none(std::nullopt);
            const DenseDouble x = averaged(problem, std::vector<double>(nodes, 1.0));
            expect_near(found, scores_of(problem, x, none, 0, false), 1e-4);
        }
    }
}

// The same at a few nodes whose propagated features are there: no step is taken for them.
TEST(Grand, EvaluationTakesPropagatedFeaturesWhereTheyCostLess) {
    const std::vector<Index> outputs = {1, 4};
    for (const char* normalize : {"off", "on"}) {
        const Problem problem("0.5", normalize);
        const std::shared_ptr<const NodeGroups> made = problem.field().groups;
        ReceptiveField field = field_of(*problem.network, problem.propagation, problem.features, outputs);
        const DenseMatrix expected =
            run_network(*problem.network, problem.parameters, field, std::nullopt).scores;
        add_propagated_outputs(field, *made, {1});
        ASSERT_TRUE(field.propagated);
        for (Step& step : field.steps)
            step.forward.matrix = nullptr;  // whoever took it would end here
        const DenseMatrix found =
            run_network(*problem.network, problem.parameters, field, std::nullopt).scores;
        for (Index i = 0; i < 2; ++i) {
            for (Index c = 0; c < classes; ++c)
                EXPECT_NEAR(found.at(i, c), expected.at(i, c), 1e-5);
        }
    }
}

TEST(Grand, EvaluationOfManyNodesPropagates) {
    const Problem problem("0.5", "off");
    NodeGroups wide;
    wide.parts.emplace_back(nodes, 4000);
    ReceptiveField field = whole_field(problem.propagation, problem.features, problem.network->steps());
    add_propagated_outputs(field, wide, {1});
    EXPECT_FALSE(field.propagated);
}

// The groups that a pass keeps, drawn again: half of them, whose features count twice.
std::vector<double> kept_of(const DropoutSeed& seed, std::uint32_t place) {
    std::array<int, groups> order{};
    std::iota(order.begin(), order.end(), 0);
    RandomStream(seed.seed, stream_of(seed, place)).shuffle(std::span<int>(order));
    std::vector<double> kept(nodes, 0.0);
    const std::vector<int> group_of = random_groups(nodes, groups);
    for (Index node = 0; node < nodes; ++node) {
        if (group_of[node] == order[0] || group_of[node] == order[1]) kept[node] = 2.0;
    }
    return kept;
}

TEST(Grand, ATrainingPassDropsGroupsOfNodesAndThenFeatures) {
    for (const char* normalize : {"off", "on"}) {
        const Problem problem("0.4", normalize);
        const DropoutSeed seed{9, 4, 1, 0.5};
        const DenseMatrix found =
            run_network(*problem.network, problem.parameters, problem.field(), seed).scores;
        Masks masks(seed);
        masks.draw(nodes, 0.5);  // single nodes, which this network has no use for
        masks.draw(0, 0.5);      // in place of the groups
        const DenseDouble x = averaged(problem, kept_of(seed, 1));
        expect_near(found, scores_of(problem, x, masks, 0.4, true), 1e-3);
    }
}

TEST(Grand, WithoutFeatureDropoutSingleNodesAreDropped) {
    const Problem problem("0", "off");
    const DropoutSeed seed{9, 4, 1, 0.5};
    const DenseMatrix found = run_network(*problem.network, problem.parameters, problem.field(), seed).scores;
    Masks masks(seed);
    masks.draw(nodes, 0.5);
    std::vector<double> kept;
    for (std::size_t node = 0; node < nodes; ++node)
        kept.push_back(masks.factor(node));
    const DenseDouble x = averaged(problem, kept);
    expect_near(found, scores_of(problem, x, masks, 0, true), 1e-4);
    EXPECT_FALSE(problem.network->propagated_input());
    EXPECT_EQ(problem.network->sampled_nodes(), 0);
}

TEST(Grand, AllThatIsLearnedDecays) {
    for (const TrainableMatrix& parameter : Problem("0.5", "on").parameters) {
        const bool observed = parameter.name.starts_with("mean") || parameter.name.starts_with("variance");
        EXPECT_EQ(parameter.decays, !observed) << parameter.name;
    }
}

TEST(Grand, APassTellsTheMeansAndVariancesOfItsRows) {
    const Problem problem("0", "on");
    const ReceptiveField field = problem.field();
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, false);
    std::vector<Variable> constants;
    for (const TrainableMatrix& parameter : problem.parameters)
        constants.push_back(tape.constant(parameter.value));
    Pass pass(tape, field, constants, DropoutSeed{9, 4, 0, 0});
    problem.network->scores(pass);
    ASSERT_EQ(pass.observed().size(), 4U);
    EXPECT_EQ(problem.parameters[pass.observed()[0].parameter].name, "mean1");
    EXPECT_EQ(problem.parameters[pass.observed()[1].parameter].name, "variance1");
    const DenseDouble x = averaged(problem, std::vector<double>(nodes, 1.0));
    for (Index k = 0; k < feature_count; ++k) {
        double mean = 0, variance = 0;
        for (const auto& row : x)
            mean += row[k] / nodes;
        for (const auto& row : x)
            variance += (row[k] - mean) * (row[k] - mean) / nodes;
        EXPECT_NEAR(pass.observed()[0].value.at(0, k), mean, 1e-6);
        EXPECT_NEAR(pass.observed()[1].value.at(0, k), variance, 1e-6);
    }
    Pass evaluation(tape, field, constants, std::nullopt);
    problem.network->scores(evaluation);
    EXPECT_TRUE(evaluation.observed().empty());
}

// Some rows alone have the numbers that they have among all, but for dropout, which is drawn by row.
TEST(Grand, ComputesTheRowsThatAreAskedFor) {
    const Problem problem("0.4", "off");
    const ReceptiveField field = problem.field();
    const std::vector<Index> wanted = {31, 4, 17};
    const std::vector<Index> numbers = {0, 1, 2};
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, false);
    Pass all(tape, field, {}, DropoutSeed{9, 4, 0, 0.5});
    Pass some(tape, field, {}, DropoutSeed{9, 4, 0, 0.5});
    some.set_rows(wanted, numbers);
    const ConstMatrixView whole = tape.value(Pass::propagated_features({&all, 1}).front());
    const Variable part = Pass::propagated_features({&some, 1}).front();
    ASSERT_EQ(tape.value(part).rows, 3);
    EXPECT_EQ(tape.nodes(part).size(), 3U);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        for (Index f = 0; f < feature_count; ++f)
            EXPECT_EQ(tape.value(part).at(static_cast<Index>(k), f), whole.at(wanted[k], f));
    }
}

}  // namespace
}  // namespace hwgcn::grand_test
