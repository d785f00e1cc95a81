// Weights and directions of edges on the command line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::edges_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const Words tables = {"--edges", "edges.csv", "--nodes", "nodes.csv"};
const Words noisy = {
    "--synthetic", "nodes=300,classes=3,homophily=1,noise_edges=12,noise_weight=0.01,vocabulary=60,words=4"};

void write_nodes(const User& user) {
    std::string nodes = "id,label,city,shop\n";
    for (int i = 0; i < 40; ++i)
        nodes += fmt::format("n{},{},city{},shop{}\n", i, i % 2 == 0 ? "x" : "y", i * i % 5, i % 3);
    user.write("nodes.csv", nodes);
}

void write_tables(const User& user) {
    write_nodes(user);
    std::string edges = "from,to,weight,kind\n";
    for (int i = 0; i < 40; ++i) {
        edges += fmt::format("n{},n{},{},a\n", i, (i + 2) % 40, 4 + i % 3);
        edges += fmt::format("n{},n{},0.5,b\n", i, (i + 7) % 40);
    }
    user.write("edges.csv", edges);
}

TEST(EdgesOnTheCommandLine, InspectShowsWeightsAndDirections) {
    const User user;
    write_tables(user);
    const Outcome outcome = user.run(with({"inspect"}, tables));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("   on average, from 0.5 to 6\n"), Not(HasSubstr("directions"))));
    EXPECT_THAT(outcome.err, HasSubstr("column 'kind' is not used: edges are all of one kind\n"));
    const nlohmann::json json = user.run_json(with({"inspect"}, tables));
    EXPECT_EQ(json["weighted"], true);
    EXPECT_EQ(json["directed"], false);
    EXPECT_NEAR(json["edge_weights"]["max"].get<double>(), 6, 1e-5);
    EXPECT_NEAR(json["edge_weights"]["min"].get<double>(), 0.5, 1e-5);
    EXPECT_THAT(user.run(with(with({"inspect"}, tables), {"--directed"})).out, HasSubstr("directions"));
    EXPECT_EQ(user.run_json(with(with({"inspect"}, tables), {"--directed", "--weight", "none"}))["directed"],
              true);
    EXPECT_EQ(user.run_json(with(with({"inspect"}, tables), {"--weight", "none"}))["weighted"], false);
    EXPECT_EQ(user.run_json({"inspect", "karate"})["weighted"], false);
}

TEST(EdgesOnTheCommandLine, OptionsThatDoNotFitAreRefused) {
    const User user;
    write_tables(user);
    const auto error = [&](const Words& words) {
        const Outcome outcome = user.run(words);
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(error({"inspect", "karate", "--weight", "kind"}),
                HasSubstr("--edges FILE, which is missing"));
    EXPECT_THAT(error({"inspect", "karate", "--directed"}),
                HasSubstr("karate: its edges have no directions"));
    EXPECT_THAT(error({"inspect", "synthetic", "--directed"}), HasSubstr("have no directions"));
    EXPECT_THAT(error(with(with({"inspect"}, tables), {"--directed", "--undirected"})),
                HasSubstr("--undirected"));
    EXPECT_THAT(error(with(with({"inspect"}, tables), {"--weight", "kind"})),
                HasSubstr("edges.csv:2: the weight (column 'kind') is 'a'"));
    EXPECT_THAT(error(with(with({"train", "--method", "sgc", "--operator", "in"}, tables), {})),
                AllOf(HasSubstr("no directions"), HasSubstr("--directed")));
    EXPECT_THAT(error(with({"train", "--method", "gcn", "--operator", "in", "--directed"}, tables)),
                HasSubstr("expected plain or higher-order, got 'in'"));
    EXPECT_THAT(error(with({"weights", "--order", "2", "--min-weight", "99"}, tables)),
                HasSubstr("--min-weight 99: no edge weighs as much, the heaviest weighs 6"));
    EXPECT_THAT(error({"weights", "karate", "--order", "2", "--min-weight", "1"}), HasSubstr("no weights"));
}

TEST(EdgesOnTheCommandLine, WeightsChangeWhatIsLearned) {
    const User user;
    const Words train = {"train", "--method", "gcn", "--split", "random:10:50:150", "--no-baselines"};
    const auto accuracy = [&](const Words& more) {
        return user.run_json(with(with(train, noisy), more))["test_accuracy"].get<double>();
    };
    EXPECT_GT(accuracy({}), accuracy({"--weight", "none"}) + 10);
}

TEST(EdgesOnTheCommandLine, MinWeightLimitsTheRings) {
    const User user;
    const auto pairs = [&](const Words& more) {
        return user.run_json(with(with({"inspect"}, noisy), more))["rings"][0]["pairs"].get<int>();
    };
    EXPECT_LT(pairs({"--min-weight", "0.5"}), pairs({}) / 2);
    const auto support = [&](const Words& more) {
        const auto json = user.run_json(with(with({"weights", "--order", "2"}, noisy), more));
        return json["orders"][0]["ring_pairs"].get<int>();
    };
    EXPECT_EQ(support({"--min-weight", "0.5"}), pairs({"--min-weight", "0.5"}));
}

TEST(EdgesOnTheCommandLine, ARunRemembersHowItsEdgesWereRead) {
    const User user;
    write_tables(user);
    const Outcome trained = user.run(with({"train", "--method", "sgc", "--operator", "out", "--directed",
                                           "--out", "run", "--epochs", "3", "--no-baselines"},
                                          tables));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_THAT(trained.err, Not(HasSubstr("directions of the edges are not used")));
    EXPECT_THAT(trained.out, HasSubstr("SGC over out-neighbors"));
    EXPECT_EQ(user.run({"predict", "run", "--out", "p.csv"}).status, 0);
    EXPECT_EQ(user.run({"explain", "run", "--node", "n3"}).status, 0);
    EXPECT_EQ(user.run({"report", "run", "--out", "r.html"}).status, 0);
    // The same files, read in another way, are other data.
    const Outcome other = user.run(with({"predict", "run"}, tables));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("labels, names or directions differ"));
    const Outcome unweighted = user.run(with({"predict", "run", "--directed", "--weight", "none"}, tables));
    EXPECT_EQ(unweighted.status, 2);
    EXPECT_THAT(unweighted.err, HasSubstr("edges or features differ"));
}

TEST(EdgesOnTheCommandLine, OneNoteSaysWhatIsNotUsed) {
    const User user;
    write_tables(user);
    const Words quick = {"--epochs", "2", "--no-baselines", "--directed"};
    EXPECT_THAT(user.run(with(with({"train", "--method", "gat"}, tables), quick)).err,
                AllOf(HasSubstr("the directions of the edges are not used: for GAT they go both ways"),
                      HasSubstr("--operator in"), HasSubstr("the weights of the edges are not used: GAT")));
    EXPECT_THAT(user.run(with(with({"evaluate", "--method", "gcn,sgc", "--runs", "1"}, tables), quick)).err,
                HasSubstr("not used: for GCN, SGC they go both ways"));
    EXPECT_THAT(user.run(with({"weights", "--order", "2", "--directed"}, tables)).err,
                HasSubstr("directions of the edges are not used: rings go both ways"));
    EXPECT_THAT(user.run({"train", "karate", "--method", "gat", "--epochs", "2", "--no-baselines"}).err,
                Not(HasSubstr("not used")));
}

TEST(EdgesOnTheCommandLine, ExportKeepsWeightsAndDirections) {
    const User user;
    write_tables(user);
    const Words sgc = {"train", "--method",       "sgc",     "--operator",   "in", "--epochs",
                       "3",     "--no-baselines", "--split", "random:5:5:10"};
    const auto loss = [&](const Words& data) { return user.run_json(with(sgc, data))["temperature"]; };
    const auto expected = loss(with(tables, {"--directed"}));
    for (const auto& [format, out] :
         {std::pair("csv", "c"), std::pair("npz", "g.npz"), std::pair("matrix-market", "m")}) {
        const Outcome written = user.run(
            with(with({"data", "export"}, tables), {"--directed", "--format", format, "--out", out}));
        EXPECT_EQ(written.status, 0) << written;
        EXPECT_EQ(loss({out}), expected) << format;
        const nlohmann::json json = user.run_json({"inspect", out});
        EXPECT_EQ(json["directed"], true) << format;
        EXPECT_EQ(json["weighted"], true) << format;
    }
    const Outcome undirected = user.run({"inspect", "g.npz", "--undirected"});
    EXPECT_THAT(undirected.err, HasSubstr("go one way only: 80; read as going both ways"));
    EXPECT_EQ(user.run_json({"inspect", "g.npz", "--undirected"})["directed"], false);
    EXPECT_THAT(user.run({"inspect", "g.npz"}).err,
                HasSubstr("the graph is directed (--undirected reads it"));
}

}  // namespace
}  // namespace hwgcn::testing::edges_test
