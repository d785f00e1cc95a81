// Nodes that come after training, from the command line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "cli/run_program.hpp"

namespace hwgcn::testing::new_nodes_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two clubs of 20, each a ring with chords; members differ in age and town.
void write_clubs(const User& user) {
    std::string nodes = "id,label,age,town\n";
    std::string edges = "source,target\n";
    for (int i = 0; i < 40; ++i) {
        const int club = i / 20;
        nodes += fmt::format("n{},{},{},{}\n", i, club == 0 ? "red" : "blue", 20 + 30 * club + i % 7,
                             (i + club) % 3 == 0 ? "Rome" : "Oslo");
        for (const int step : {1, 4})
            edges += fmt::format("n{},n{}\n", i, 20 * club + (i % 20 + step) % 20);
    }
    user.write("nodes.csv", nodes);
    user.write("edges.csv", edges);
    user.write("new_nodes.csv", "town,age,id\nRome,21,x1\nPisa,55,x2\n,,x3\n");
    user.write("new_edges.csv", "source,target\nx1,n3\nx1,n5\nx2,n30\nx2,x1\n");
}

void train(const User& user, const std::string& method, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {
        "train",   "--edges",      "edges.csv",      "--nodes", "nodes.csv", "--method", method,
        "--split", "shares:50:20", "--no-baselines", "--out",   "run",       "--epochs", "60"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = user.run(command);
    ASSERT_EQ(outcome.status, 0) << outcome;
}

const std::vector<std::string> additions = {"--add-nodes", "new_nodes.csv", "--add-edges", "new_edges.csv"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(NewNodes, ArePredictedByTheModelAsItIs) {
    const User user;
    write_clubs(user);
    train(user, "hwgcn", {"--order", "3"});
    const Outcome all = user.run(with({"predict", "run"}, additions));
    EXPECT_EQ(all.status, 0) << all;
    EXPECT_THAT(all.err, HasSubstr("column 'town': the model does not know 'Pisa'"));
    EXPECT_THAT(all.out, HasSubstr("\nn0,"));
    const Outcome fresh = user.run(with({"predict", "run", "--new-only"}, additions));
    EXPECT_THAT(fresh.out, HasSubstr("\nx1,red,"));
    EXPECT_THAT(fresh.out, HasSubstr("\nx3,"));
    EXPECT_EQ(std::ranges::count(fresh.out, '\n'), 4);
    const auto json = user.run_json(with({"predict", "run", "--new-only", "--out", "p.csv"}, additions));
    EXPECT_EQ(json["new_nodes"], 3);
}

TEST(NewNodes, NothingNewEqualsPredict) {
    const User user;
    write_clubs(user);
    user.write("none.csv", "id,age,town\n");
    user.write("no_edges.csv", "source,target\n");
    for (const std::string method : {"hwgcn", "gat", "hwgpr", "mlp", "hwsage", "gcn-res", "deep-gcn"}) {
        train(user, method, {"--force"});
        const Outcome plain = user.run({"predict", "run"});
        for (const std::vector<std::string>& more :
             {std::vector<std::string>{}, std::vector<std::string>{"--update-neighbours"}}) {
            const Outcome none = user.run(
                with({"predict", "run", "--add-nodes", "none.csv", "--add-edges", "no_edges.csv"}, more));
            EXPECT_EQ(none.status, 0) << none;
            EXPECT_EQ(none.out, plain.out) << method;
        }
    }
}

TEST(NewNodes, AreExplainedAndReported) {
    const User user;
    write_clubs(user);
    train(user, "hwgcn", {"--order", "3"});
    const auto json = user.run_json(with({"explain", "run", "--node", "x1"}, additions));
    EXPECT_EQ(json["node"], "x1");
    EXPECT_GT(json["neighbors"].size(), 3U);
    const Outcome report = user.run(with({"report", "run", "--out", "r.html"}, additions));
    EXPECT_EQ(report.status, 0) << report;
    EXPECT_THAT(content_of(user.path("r.html")), HasSubstr("x2"));
}

TEST(NewNodes, WeightsAreInTheRun) {
    const User user;
    write_clubs(user);
    train(user, "hwgcn", {"--order", "3"});
    const Outcome cached = user.run(with({"predict", "run"}, additions));
    std::filesystem::remove_all(user.cache());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(user.work() / "run" / "weights"), {}), 2);
    const Outcome saved = user.run(with({"predict", "run", "--no-cache"}, additions));
    EXPECT_EQ(saved.out, cached.out);
    const Outcome updated = user.run(with({"predict", "run", "--update-neighbors"}, additions));
    EXPECT_EQ(updated.status, 0) << updated;
    EXPECT_NE(updated.out, cached.out) << "weights of old nodes within reach are learned again";
}

// Without edges, of other ages than the members of the clubs.
void write_loners(const User& user, int count) {
    std::string nodes = "id,age,town\n";
    for (int i = 0; i < count; ++i)
        nodes += fmt::format("z{},{},Oslo\n", i, 60 + i % 9);
    user.write("loners.csv", nodes);
}

TEST(NewNodes, WithoutEdgesChangeNoPredictionByMixHop) {
    const User user;
    write_clubs(user);
    write_loners(user, 400);
    for (const std::string method : {"mixhop", "mixhop-light"}) {
        train(user, method, {"--force"});
        const Outcome alone = user.run({"predict", "run"});
        EXPECT_EQ(alone.out, content_of(user.path("run/predictions.csv")));
        const Outcome joined = user.run({"predict", "run", "--add-nodes", "loners.csv"});
        EXPECT_THAT(joined.out, StartsWith(alone.out)) << method;
    }
}

// As earlier versions wrote it.
void forget_statistics(const User& user) {
    const std::filesystem::path folder = user.path("run");
    const RunManifest manifest = read_run(folder);
    CsvFiles files;
    files.edges = user.path("edges.csv");
    files.nodes = user.path("nodes.csv");
    const PreparedGraph graph = prepare_graph(read_csv_dataset(files));
    Split split = read_run_split(folder, manifest, graph.dataset);
    split.name = manifest.split;  // not that of the file
    TrainedModel model;
    model.history = read_history(folder, manifest);
    model.parameters = read_model(folder, manifest, graph);
    model.parameters.resize(empty_parameters(graph, manifest.settings).size());
    ASSERT_TRUE(lacks_statistics(graph, manifest.settings, model.parameters));
    finish_run(folder, manifest, model, DenseMatrix(40, 2), split, graph.dataset);
}

TEST(NewNodes, MixHopOfAnEarlierVersionFindsItsMeansAgain) {
    const User user;
    write_clubs(user);
    write_loners(user, 30);
    train(user, "mixhop");
    const Outcome alone = user.run({"predict", "run"});
    const Outcome joined = user.run({"predict", "run", "--add-nodes", "loners.csv"});
    EXPECT_THAT(joined.err, ::testing::Not(HasSubstr("earlier version")));
    forget_statistics(user);
    const Outcome alone_again = user.run({"predict", "run"});
    EXPECT_EQ(alone_again.out, alone.out);
    EXPECT_EQ(alone_again.err, "");
    const Outcome joined_again = user.run({"predict", "run", "--add-nodes", "loners.csv"});
    EXPECT_EQ(joined_again.out, joined.out);
    EXPECT_THAT(joined_again.err, HasSubstr("note: the run is of an earlier version and has no means"));
}

TEST(NewNodes, UnlikeThoseOfTheTrainingAreWarnedOf) {
    const User user;
    write_clubs(user);
    write_loners(user, 30);
    train(user, "gcn");
    const std::vector<std::string> command = {"predict",    "run",   "--add-nodes",
                                              "loners.csv", "--out", "p.csv"};
    const Outcome outcome = user.run(command);
    EXPECT_THAT(outcome.err,
                HasSubstr("hwgcn: warning: the new nodes are unlike those of the training, and "
                          "their probabilities are not calibrated: degree: median 0, training 4; "
                          "column 'age': "));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome;
    const auto json = user.run_json(command);
    ASSERT_EQ(json["notes"].size(), 1U);
    EXPECT_THAT(json["notes"][0].get<std::string>(), HasSubstr("column 'age'"));
    EXPECT_EQ(user.run_json(with({"predict", "run", "--out", "p.csv"}, additions))["notes"].size(), 0U);
    EXPECT_THAT(user.run({"report", "run", "--out", "r.html", "--add-nodes", "loners.csv"}).err,
                HasSubstr("unlike those of the training"));
}

std::string predictions(const User& user, const std::string& edges) {
    user.write("arcs.csv", edges);
    const Outcome outcome =
        user.run({"predict", "run", "--new-only", "--add-nodes", "new_nodes.csv", "--add-edges", "arcs.csv"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    return outcome.out;
}

TEST(NewNodes, TheirEdgesLeadWhereTheNamesOfColumnsSay) {
    const User user;
    write_clubs(user);
    train(user, "sage", {"--directed"});
    const std::string right = predictions(user, "source,target\nx1,n3\nx1,n5\nn30,x2\n");
    EXPECT_EQ(predictions(user, "target,source\nn3,x1\nn5,x1\nx2,n30\n"), right);
    EXPECT_EQ(predictions(user, "to,from\nn3,x1\nn5,x1\nx2,n30\n"), right);
    EXPECT_NE(predictions(user, "source,target\nn3,x1\nn5,x1\nx2,n30\n"), right) << "directions count";
}

TEST(NewNodes, InTablesOfOldMacsAreRead) {
    const User user;
    write_clubs(user);
    train(user, "gcn");
    const std::string right = predictions(user, "source,target\nx1,n3\n");
    user.write("new_nodes.csv", "town,age,id\rRome,21,x1\rPisa,55,x2\r,,x3\r");
    EXPECT_EQ(predictions(user, "source,target\rx1,n3\r"), right);
}

TEST(NewNodes, MethodsThatKnowOnlyTheirNodesRefuse) {
    const User user;
    write_clubs(user);
    for (const auto& [method, more] :
         {std::pair<std::string, std::vector<std::string>>{"lp", {}}, {"ica", {}}, {"deepwalk", {}}}) {
        ASSERT_EQ(user.run(with({"train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--method", method,
                                 "--no-baselines", "--out", "run", "--force"},
                                more))
                      .status,
                  0);
        const Outcome outcome = user.run(with({"predict", "run"}, additions));
        EXPECT_EQ(outcome.status, 2) << method;
        EXPECT_THAT(outcome.err, HasSubstr("says nothing about new ones")) << method;
    }
    train(user, "planetoid", {"--force", "--planetoid-kind", "transductive"});
    EXPECT_THAT(user.run(with({"predict", "run"}, additions)).err, HasSubstr("Planetoid"));
}

}  // namespace
}  // namespace hwgcn::testing::new_nodes_test
