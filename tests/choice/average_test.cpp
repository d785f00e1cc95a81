#include "choice/average.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "metrics/calibration.hpp"
#include "test_data.hpp"

namespace hwgcn::average_test {
namespace {

using ::testing::HasSubstr;

using Rows = std::vector<std::vector<double>>;

// What a candidate says of nodes with these labels: right with some probability, and more or less sure.
DenseMatrix saying(const std::vector<Index>& labels, Index classes, double right, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    DenseMatrix result(static_cast<Index>(labels.size()), classes);
    for (Index row = 0; row < result.rows(); ++row) {
        const Index said = share(random) < right ? labels[row] : static_cast<Index>(random() % classes);
        double sum = 0;
        for (Index c = 0; c < classes; ++c) {
            result.at(row, c) = static_cast<float>(0.1 + share(random) + (c == said ? 1.0 : 0.0));
            sum += result.at(row, c);
        }
        for (Index c = 0; c < classes; ++c)
            result.at(row, c) = static_cast<float>(result.at(row, c) / sum);
    }
    return result;
}

std::vector<Index> some_labels(std::size_t count, Index classes) {
    std::vector<Index> labels;
    for (std::size_t k = 0; k < count; ++k)
        labels.push_back(static_cast<Index>((k * 7 + k / 5) % classes));
    return labels;
}

// Independently of the library.
Rows naive_mean(const std::vector<DenseMatrix>& candidates, const Votes& votes) {
    Rows mean(static_cast<std::size_t>(candidates[0].rows()),
              std::vector<double>(static_cast<std::size_t>(candidates[0].columns()), 0.0));
    double all = 0;
    for (std::size_t k = 0; k < votes.size(); ++k)
        all += votes[k];
    for (std::size_t k = 0; k < votes.size(); ++k) {
        for (std::size_t i = 0; i < mean.size(); ++i) {
            for (std::size_t c = 0; c < mean[i].size(); ++c)
                mean[i][c] += votes[k] / all * candidates[k].at(static_cast<Index>(i), static_cast<Index>(c));
        }
    }
    return mean;
}

double naive_loss(const Rows& rows, const std::vector<Index>& labels) {
    double loss = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        loss -= std::log(rows[i][static_cast<std::size_t>(labels[i])]) / static_cast<double>(rows.size());
    return loss;
}

double naive_auc(const Rows& rows, const std::vector<Index>& labels) {
    double right = 0, pairs = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (labels[i] != 1 || labels[j] != 0) continue;
            pairs += 1;
            right += rows[i][1] > rows[j][1] ? 1.0 : rows[i][1] == rows[j][1] ? 0.5 : 0.0;
        }
    }
    return right / pairs;
}

// Whether another vote would make the average better than it is, for anybody.
template <typename Value>
bool another_vote_helps(const std::vector<DenseMatrix>& candidates, const Votes& votes, const Value& value) {
    const double reached = value(naive_mean(candidates, votes));
    for (std::size_t k = 0; k < votes.size(); ++k) {
        Votes with = votes;
        ++with[k];
        if (value(naive_mean(candidates, with)) > reached + 1e-7) return true;
    }
    return false;
}

template <typename Value>
Votes naive_selection(const std::vector<DenseMatrix>& candidates, const Value& value) {
    Votes votes(candidates.size(), 0);
    votes[0] = 1;
    for (int cast = 1; cast < 10; ++cast) {
        std::size_t best = candidates.size();
        double reached = value(naive_mean(candidates, votes));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            Votes with = votes;
            ++with[k];
            if (value(naive_mean(candidates, with)) <= reached) continue;
            reached = value(naive_mean(candidates, with));
            best = k;
        }
        if (best == candidates.size()) break;
        ++votes[best];
    }
    return votes;
}

TEST(Average, IsTheMeanByVotes) {
    const std::vector<Index> labels = some_labels(30, 3);
    const std::vector<DenseMatrix> candidates = {saying(labels, 3, 0.7, 1), saying(labels, 3, 0.6, 2),
                                                 saying(labels, 3, 0.5, 3)};
    const Votes votes = {3, 0, 1};
    const DenseMatrix mean = average_of(candidates, votes);
    const Rows expected = naive_mean(candidates, votes);
    for (Index row = 0; row < mean.rows(); ++row) {
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(mean.at(row, c), expected[row][c], 1e-6);
    }
}

TEST(Average, VotesAreThoseOfANaiveSelection) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const std::vector<Index> labels = some_labels(60, 2);
        std::vector<DenseMatrix> candidates;
        for (unsigned k = 0; k < 4; ++k)
            candidates.push_back(saying(labels, 2, 0.75 - 0.08 * k, 10 * seed + k));
        const auto by_loss = [&](const Rows& rows) { return -naive_loss(rows, labels); };
        const Votes votes = select_average(candidates, 0, labels, {Selection::accuracy}, {1});
        EXPECT_EQ(votes, naive_selection(candidates, by_loss)) << seed;
        EXPECT_GE(votes[0], 1) << "it begins with the best";
        const int cast = votes[0] + votes[1] + votes[2] + votes[3];
        EXPECT_TRUE(cast == 10 || !another_vote_helps(candidates, votes, by_loss)) << seed;

        const auto by_auc = [&](const Rows& rows) { return naive_auc(rows, labels); };
        const Votes ranked = select_average(candidates, 0, labels, {Selection::auc}, {1});
        EXPECT_GE(by_auc(naive_mean(candidates, ranked)), by_auc(naive_mean(candidates, {1, 0, 0, 0})))
            << seed;
    }
}

// Two that err at different nodes, and one that says what the first does.
TEST(Average, TakesWhatErrsElsewhereAndNotMoreOfTheSame) {
    const std::vector<Index> labels = some_labels(200, 2);
    std::vector<DenseMatrix> candidates = {saying(labels, 2, 0.6, 1), saying(labels, 2, 0.6, 1),
                                           saying(labels, 2, 0.6, 99)};
    const Votes votes = select_average(candidates, 0, labels, {Selection::accuracy}, {1});
    EXPECT_EQ(votes[1], 0) << "the first of equals votes";
    EXPECT_GE(votes[2], 1);
}

TEST(Average, IsKeptWhereItIsClearlyBetterOrEqualWithLessLoss) {
    EXPECT_TRUE(is_worth_keeping({0.02, 0.01}, 0.9, 0.5)) << "clearly better";
    EXPECT_TRUE(is_worth_keeping({0.005, 0.01}, 0.4, 0.5)) << "equal";
    EXPECT_TRUE(is_worth_keeping({-0.005, 0.01}, 0.4, 0.5)) << "equal";
    EXPECT_FALSE(is_worth_keeping({0.005, 0.01}, 0.5, 0.5)) << "not less loss";
    EXPECT_FALSE(is_worth_keeping({-0.02, 0.01}, 0.1, 0.5)) << "clearly worse";
    EXPECT_TRUE(is_worth_keeping({0, 0}, 0.4, 0.5)) << "the same answers";
}

// Three candidates that are as good as each other and err at different nodes; the best is the first.
struct Three {
    PreparedGraph graph = prepare_graph(make_karate());
    OperatorPool operators{graph};
    std::vector<Trial> trials = {};
    std::vector<Index> labels = some_labels(300, 2);
    ChoiceStore store;
    std::vector<Contender> contenders = {};
    Choice choice = {};

    explicit Three(const std::vector<std::string>& methods) {
        for (std::size_t k = 0; k < methods.size(); ++k) {
            Contender& one = contenders.emplace_back(
                Contender{.settings = MethodSettings(methods[k], ""), .probabilities = {}});
            one.probabilities = saying(labels, 2, 0.6, static_cast<unsigned>(k + 1));
            TriedMethod& tried = choice.tried.emplace_back(TriedMethod{methods[k], methods[k]});
            tried.held_out.accuracy = 0.8 - 0.01 * static_cast<double>(k);
            tried.behind = 0.01 * static_cast<double>(k);
            tried.behind_error = 0.02;
            tried.calibrated_nll = 10;
        }
    }

    std::vector<double> weights() {
        const RaceCourse course{graph, operators, trials, labels, 1, {}, {}, true, store};
        const DenseMatrix mean = take_average(course, contenders, {1}, choice);
        EXPECT_EQ(mean.rows() > 0, choice.average.has_value());
        std::vector<double> result;
        for (const TriedMethod& tried : choice.tried)
            result.push_back(tried.share.weight);
        return result;
    }
};

TEST(Average, WhoMayVote) {
    const std::vector<double> all = Three({"gcn", "mlp", "linear"}).weights();
    for (const double weight : all)
        EXPECT_GT(weight, 0);
    EXPECT_NEAR(all[0] + all[1] + all[2], 1.0, 1e-12);
    EXPECT_EQ(Three({"gcn", "lp", "linear"}).weights()[1], 0) << "says nothing about new nodes";
    Three behind({"gcn", "mlp", "linear"});
    behind.choice.tried[1].behind = 0.061;
    EXPECT_EQ(behind.weights()[1], 0) << "by more than three standard errors";
    Three dropped({"gcn", "mlp", "linear"});
    dropped.contenders[2].fate = Contender::Fate::dropped;
    EXPECT_EQ(dropped.weights()[2], 0);
    EXPECT_EQ(Three({"lp", "mlp", "linear"}).weights(), std::vector<double>(3, 0.0)) << "the best may not";
    Three better({"gcn", "mlp", "linear"});
    better.choice.tried[0].calibrated_nll = 0;
    better.contenders[0].probabilities = saying(better.labels, 2, 1.0, 5);
    EXPECT_EQ(better.weights(), std::vector<double>(3, 0.0)) << "nothing is gained";
}

// A graph on which half of the nodes have labels, and neighbors say about as much as features do.
PreparedGraph half_labelled(std::uint64_t seed = 0) {
    SyntheticOptions options;
    options.nodes = 900;
    options.classes = 3;
    options.homophily = 0.5;
    options.vocabulary = 60;
    options.words = 8;
    options.seed = seed;
    return prepare_graph(make_synthetic(options));
}

Automatic few_candidates() {
    Automatic automatic;
    for (const char* method : {"gcn", "mlp", "linear", "sage", "lp"}) {
        MethodSettings settings(method, "synthetic");
        settings.apply(settings.read_among({{"epochs", "60"}, {"hidden", "16"}}));
        automatic.candidates.push_back(settings);
    }
    return automatic;
}

ChosenMethod choose(const PreparedGraph& graph, const Split& split, const Automatic& automatic,
                    int threads = 1, const std::filesystem::path& folder = {}) {
    OperatorPool operators(graph);
    return choose_method(graph, operators, automatic, split, 3, {threads}, {folder});
}

void expect_same(const ChosenMethod& a, const ChosenMethod& b) {
    EXPECT_EQ(a.choice.reason, b.choice.reason);
    EXPECT_EQ(a.share, b.share);
    ASSERT_EQ(a.others.size(), b.others.size());
    for (std::size_t k = 0; k < a.others.size(); ++k) {
        EXPECT_EQ(settings_hash(a.others[k].settings), settings_hash(b.others[k].settings));
        EXPECT_EQ(a.others[k].share, b.others[k].share);
        ASSERT_EQ(a.others[k].parameters.size(), b.others[k].parameters.size());
        for (std::size_t p = 0; p < a.others[k].parameters.size(); ++p)
            EXPECT_TRUE(std::ranges::equal(a.others[k].parameters[p].value.numbers(),
                                           b.others[k].parameters[p].value.numbers()));
    }
    EXPECT_TRUE(std::ranges::equal(a.held_out.probabilities.numbers(), b.held_out.probabilities.numbers()));
}

/// A choice that is an average.
struct Averaged {
    PreparedGraph graph;
    Split split;
    ChosenMethod chosen;
};

// Of some graphs, the first one on which an average with such members is taken.
Averaged averaged(const std::function<bool(const ChosenMethod&)>& is_wanted) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        PreparedGraph graph = half_labelled(seed);
        const Split split = random_split(graph.dataset, {150, 250, 150, 1});
        ChosenMethod chosen = choose(graph, split, few_candidates());
        if (is_wanted(chosen)) return {std::move(graph), split, std::move(chosen)};
    }
    throw std::runtime_error("no average was taken");
}

bool is_average(const ChosenMethod& chosen) {
    return chosen.choice.average.has_value();
}

TEST(Average, IsChosenWithManyLabelsAndSaysWhoVotes) {
    const auto [graph, split, chosen] = averaged(is_average);
    const Choice& choice = chosen.choice;
    EXPECT_EQ(choice.chosen, choice.best);
    const std::vector<std::size_t> members = members_of(choice);
    ASSERT_EQ(members.size(), chosen.others.size() + 1);
    EXPECT_EQ(members.front(), choice.chosen);
    double weights = chosen.share.weight;
    for (std::size_t k = 0; k < chosen.others.size(); ++k) {
        weights += chosen.others[k].share.weight;
        EXPECT_EQ(method_label(chosen.others[k].settings), choice.tried[members[k + 1]].label);
        EXPECT_NE(chosen.others[k].settings.method(), "lp") << "says nothing about new nodes";
        EXPECT_THAT(choice.reason, HasSubstr(choice.tried[members[k + 1]].label + " (weight "));
    }
    EXPECT_NEAR(weights, 1.0, 1e-12);
    EXPECT_LT(choice.average->calibrated_nll, choice.tried[choice.best].calibrated_nll);
    EXPECT_THAT(choice.reason, HasSubstr("was chosen: it had"));

    // What the members say of the validation nodes, each with its temperature, has this mean.
    OperatorPool operators(graph);
    Rows expected(split.validation.size(), std::vector<double>(3, 0.0));
    const auto add = [&](const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                         const MemberShare& share) {
        DenseMatrix said = predict_nodes(graph, operators.get(settings, {1}), settings, parameters, {1});
        apply_temperature(said, share.temperature);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (Index c = 0; c < 3; ++c)
                expected[i][c] += share.weight * said.at(split.validation[i], c);
        }
    };
    ASSERT_TRUE(chosen.model.has_value());
    add(chosen.settings, chosen.model->parameters, chosen.share);
    for (const Member& member : chosen.others)
        add(member.settings, member.parameters, member.share);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(chosen.held_out.probabilities.at(static_cast<Index>(i), c), expected[i][c], 1e-6);
    }
}

TEST(Average, ThreadsAndTestLabelsChangeNothing) {
    const auto [graph, split, alone] = averaged(is_average);
    expect_same(alone, choose(graph, split, few_candidates(), 3));
    PreparedGraph changed = graph;
    for (const Index node : split.test)
        changed.dataset.labels[node] = (changed.dataset.labels[node] + 1) % 3;
    expect_same(alone, choose(changed, split, few_candidates()));
}

TEST(Average, IsNotTakenWhereOffOrWithFewLabels) {
    const PreparedGraph graph = averaged(is_average).graph;
    const auto takes = [&graph](const Split& split, const Automatic& automatic) {
        const ChosenMethod chosen = choose(graph, split, automatic);
        EXPECT_EQ(chosen.choice.average.has_value(), !chosen.others.empty());
        for (const TriedMethod& tried : chosen.choice.tried)
            EXPECT_TRUE(chosen.choice.average || tried.share.weight == 0);
        return chosen.choice.average.has_value();
    };
    EXPECT_TRUE(takes(random_split(graph.dataset, {150, 250, 150, 1}), few_candidates()));
    Automatic off = few_candidates();
    off.limits.average = Averaging::off;
    EXPECT_FALSE(takes(random_split(graph.dataset, {150, 250, 150, 1}), off));
    EXPECT_FALSE(takes(random_split(graph.dataset, {20, 250, 150, 1}), few_candidates())) << "few labels";
    EXPECT_FALSE(takes(random_split(graph.dataset, {150, 199, 150, 1}), few_candidates())) << "few held out";
    EXPECT_FALSE(takes(random_split(graph.dataset, {150, 0, 150, 1}), few_candidates())) << "cross-fitting";
}

// Of what a choice has kept, predictions of classic methods come without their model.
TEST(Average, AKeptChoiceGivesTheSameBits) {
    const auto [graph, split, fresh] = averaged([](const ChosenMethod& chosen) {
        return std::ranges::any_of(chosen.others, [](const Member& one) {
            return method_info(one.settings.method()).kind == MethodKind::classic;
        });
    });
    testing::TemporaryDirectory folder;
    for (int time = 0; time < 2; ++time)
        expect_same(fresh, choose(graph, split, few_candidates(), 1, folder.path() / "choice"));
}

}  // namespace
}  // namespace hwgcn::average_test
