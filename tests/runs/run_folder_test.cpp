#include <sstream>

#include "runs/run_files.hpp"
#include "runs/run_folder_fixture.hpp"

namespace hwgcn::run_folder_test {
namespace {

using testing::expect_input_error;
using testing::TemporaryDirectory;
namespace fs = std::filesystem;

TEST_F(RunFolderTest, ComesBackAsItWasWritten) {
    write_run();
    const RunManifest read = read_run(folder.path());
    EXPECT_EQ(read.version, manifest.version);
    EXPECT_EQ(read.dataset, "karate");
    EXPECT_EQ(read.source, graph.dataset.source);
    ASSERT_EQ(read.given.size(), 1U);
    EXPECT_EQ(read.given[0].name + "=" + read.given[0].text, "dataset=karate");
    EXPECT_EQ(read.content_hash, graph.content_hash);
    EXPECT_EQ(read.dataset_hash, dataset_hash(graph));
    EXPECT_EQ(read.split_hash, split_hash(split, graph.dataset));
    EXPECT_EQ(read.seed, seed);
    EXPECT_EQ(settings_hash(read.settings), settings_hash(settings));
    ASSERT_TRUE(read.result.has_value());
    EXPECT_EQ(read.result->best_epoch, manifest.result->best_epoch);
    EXPECT_EQ(read.result->seconds, 0.5);
    const Split read_again = read_run_split(folder.path(), read, graph.dataset);
    EXPECT_EQ(read_again.test, split.test);
    const TrainedModel model = train_with({});
    const std::vector<TrainableMatrix> parameters = read_model(folder.path(), read, graph);
    ASSERT_EQ(parameters.size(), model.parameters.size());
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        EXPECT_TRUE(std::equal(parameters[k].value.numbers().begin(), parameters[k].value.numbers().end(),
                               model.parameters[k].value.numbers().begin()));
    }
}

TEST_F(RunFolderTest, EverySettingOfEveryMethodComesBack) {
    for (const MethodInfo& method : method_table()) {
        for (const char* const dataset : {"cora", "pubmed"}) {
            settings = MethodSettings(method.name, dataset);
            manifest = make_manifest(graph, {}, split, ~std::uint64_t{0});
            manifest.settings = settings;
            start_run(folder.path(), manifest, split, graph.dataset);
            const RunManifest read = read_run(folder.path());
            EXPECT_EQ(settings_hash(read.settings), settings_hash(settings)) << method.name;
            EXPECT_EQ(read.settings.effective(), settings.effective());
            EXPECT_EQ(read.seed, ~std::uint64_t{0});
            EXPECT_FALSE(read.result.has_value());
        }
    }
}

TEST_F(RunFolderTest, TheChoiceAndTheTemperatureComeBack) {
    Choice choice;
    choice.chosen = 1;
    choice.best = 0;
    choice.judged_on = "7 validation nodes";
    choice.reason = "because";
    choice.cross_fitted = true;
    choice.calibration = {.temperature = 1.25, .smoothing = 0.0625};
    choice.tried.resize(2);
    choice.tried[0] = {"MLP", "mlp", 1, {}};
    choice.tried[1] = {"GCN", "gcn", 1, {}, 0.125, 0.25};
    choice.tried[1].held_out.accuracy = 0.5;
    choice.tried[1].held_out.confusion = {{3, 1}, {0, 4}};
    choice.tried[1].held_out.reliability = {{0.5, 0.6, 0, 0, 0}, {0.6, 0.7, 8, 0.65, 0.875}};
    choice.tried[1].held_out.curves = {{1, 0.75, 0.5, {{0, 0}, {0.25, 0.5}, {1, 1}}, {{1, 0.5}}}};
    choice.calibrated.emplace();
    choice.calibrated->count = 8;
    choice.calibrated->ece = 0.125;
    choice.calibrated->reliability = {{0.5, 0.6, 8, 0.55, 0.5}};
    manifest.choice = choice;
    manifest.temperature = 1.25;
    manifest.decision.smoothing = 0.0625;
    start_run(folder.path(), manifest, split, graph.dataset);
    const RunManifest read = read_run(folder.path());
    EXPECT_EQ(read.temperature, 1.25);
    ASSERT_TRUE(read.choice.has_value());
    EXPECT_EQ(read.choice->chosen, 1U);
    EXPECT_EQ(read.choice->best, 0U);
    EXPECT_EQ(read.choice->judged_on, choice.judged_on);
    EXPECT_EQ(read.choice->reason, "because");
    EXPECT_TRUE(read.choice->cross_fitted);
    EXPECT_EQ(read.choice->calibration.temperature, 1.25);
    EXPECT_EQ(read.choice->calibration.smoothing, 0.0625);
    EXPECT_EQ(read.decision.smoothing, 0.0625);
    ASSERT_EQ(read.choice->tried.size(), 2U);
    EXPECT_EQ(read.choice->tried[1].label, "GCN");
    EXPECT_EQ(read.choice->tried[1].held_out.accuracy, 0.5);
    EXPECT_EQ(read.choice->tried[1].held_out.confusion, choice.tried[1].held_out.confusion);
    ASSERT_EQ(read.choice->tried[1].held_out.reliability.size(), 1U);  // empty bins are not written
    EXPECT_EQ(read.choice->tried[1].held_out.reliability[0].count, 8);
    EXPECT_EQ(read.choice->tried[1].held_out.reliability[0].accuracy, 0.875);
    ASSERT_EQ(read.choice->tried[1].held_out.curves.size(), 1U);
    const RankingCurve& curve = read.choice->tried[1].held_out.curves[0];
    EXPECT_EQ(curve.label, 1);
    EXPECT_EQ(curve.roc_auc, 0.75);
    EXPECT_EQ(curve.average_precision, 0.5);
    ASSERT_EQ(curve.roc.size(), 3U);
    EXPECT_EQ(curve.roc[1].x, 0.25);
    EXPECT_EQ(curve.roc[1].y, 0.5);
    EXPECT_EQ(curve.precision_recall.size(), 1U);
    EXPECT_EQ(read.choice->tried[1].behind, 0.125);
    EXPECT_EQ(read.choice->tried[1].behind_error, 0.25);
    ASSERT_TRUE(read.choice->calibrated.has_value());
    EXPECT_EQ(read.choice->calibrated->count, 8);
    EXPECT_EQ(read.choice->calibrated->ece, 0.125);
    ASSERT_EQ(read.choice->calibrated->reliability.size(), 1U);
    EXPECT_EQ(read.choice->calibrated->reliability[0].mean_confidence, 0.55);
}

TEST_F(RunFolderTest, NoChangedByteOfTheManifestGoesUnnoticed) {
    write_run();
    const std::string intact = read_file(folder / "run.json");
    for (std::size_t place = 0; place < intact.size(); ++place) {
        std::string changed = intact;
        changed[place] = static_cast<char>(changed[place] ^ (1 << place % 7));
        testing::write_plainly(folder / "run.json", changed);
        expect_input_error([&] { read_run(folder.path()); }, {"run.json: "});
    }
    for (std::size_t size = 0; size < intact.size() - 1; size += 37) {
        testing::write_plainly(folder / "run.json", intact.substr(0, size));
        expect_input_error([&] { read_run(folder.path()); }, {"run.json: "});
    }
}

TEST_F(RunFolderTest, AManifestOfAnotherFormIsRefused) {
    write_run();
    const std::string intact = unsigned_text();
    const auto expect_refused = [&](const std::string& from, const std::string& to,
                                    std::initializer_list<std::string_view> parts) {
        std::string text = intact;
        text.replace(text.find(from), from.size(), to);
        write_signed(text);
        expect_input_error([&] { read_run(folder.path()); }, parts);
    };
    expect_refused("\"seed\": 3", "\"seed\": \"three\"", {"run.json: is damaged", "type must be number"});
    expect_refused("\"version\"", "\"varsion\"", {"run.json: is damaged", "'version' not found"});
    expect_refused("\"rate\": \"0.01\"", "\"rate\": \"fast\"", {"rate: expected a number"});
    expect_refused("\"rate\": \"0.01\"", "\"rate\": \"0.02\"",
                   {"its settings do not have the SHA-256 that it names"});
    expect_refused("\"rate\"", "\"rote\"", {"unknown setting 'rote', did you mean 'rate'?"});
    expect_refused("\"method\": \"gcn\"", "\"method\": \"gcm\"", {"unknown method 'gcm'"});
    expect_refused("\"files\": {", "\"files\": [], \"moved\": {", {"run.json: is damaged"});
    for (const std::string text : {"[]", "7", "null", "{}", "{\"sha256\": 7}", "{\"sha256\": \"\"}", ""}) {
        testing::write_plainly(folder / "run.json", text);
        expect_input_error([&] { read_run(folder.path()); }, {"run.json: "});
    }
    testing::write_plainly(folder / "run.json", std::string(200'000, '['));
    expect_input_error([&] { read_run(folder.path()); }, {"run.json: is nested deeper"});
    testing::write_plainly(folder / "run.json", std::string(160'000, '[') + std::string(160'000, ']'));
    expect_input_error([&] { read_run(folder.path()); }, {"run.json: is nested deeper"});
}

TEST_F(RunFolderTest, FilesThatWereChangedAreRefusedByName) {
    write_run();
    const RunManifest read = read_run(folder.path());
    for (const char* const name : {"model.npz", "split.json", "history.csv", "predictions.csv"}) {
        EXPECT_EQ(verified_content(folder.path(), read, name), read_file(folder / name));
        testing::write_plainly(folder / name, read_file(folder / name) + " ");
        expect_input_error([&] { verified_content(folder.path(), read, name); },
                           {std::string(name) + ": was changed after the run", "SHA-256"});
        fs::remove(folder / name);
        expect_input_error([&] { verified_content(folder.path(), read, name); }, {name, "cannot open"});
    }
}

// Files are compared with run.json by their bytes, and the split by its nodes, too.
TEST_F(RunFolderTest, TheSplitOfAnotherRunIsRefused) {
    write_run();
    Split other = split;
    std::swap(other.train.back(), other.test.back());
    write_split(folder / "split.json", other, graph.dataset);
    RunManifest read = read_run(folder.path());
    read.files[run_file::split] = file_sha256(folder / "split.json");
    expect_input_error([&] { read_run_split(folder.path(), read, graph.dataset); },
                       {"split.json: is not the split that run.json names"});
}

TEST_F(RunFolderTest, OneAtATimeTrainsIntoAFolder) {
    const fs::path fresh = folder / "fresh";
    {
        const RunLock lock(fresh);
        expect_input_error([&] { const RunLock second(fresh); }, {"fresh: is in use by process"});
    }
    EXPECT_FALSE(fs::exists(fresh)) << "nothing was written, nothing is left";
    {
        const RunLock lock(folder.path());
        write_run();
    }
    EXPECT_FALSE(fs::exists(folder / run_file::lock));
    EXPECT_TRUE(has_run(folder.path()));
}

// A kill at any moment leaves a folder that the next training takes, and no checkpoint of another run in it.
TEST_F(RunFolderTest, WhatAKilledStartLeavesIsARunAlready) {
    write_run();
    testing::write_plainly(folder / "checkpoint.npz", "old");
    fs::remove(folder / "model.npz");
    fs::create_directories(folder / "model.npz" / "cannot be removed");
    EXPECT_THROW(start_run(folder.path(), manifest, split, graph.dataset), ExecutionError);
    EXPECT_FALSE(read_run(folder.path()).result.has_value());
    EXPECT_FALSE(fs::exists(folder / "checkpoint.npz"));
}

TEST_F(RunFolderTest, AnUnfinishedRunHasNoModel) {
    start_run(folder.path(), manifest, split, graph.dataset);
    const RunManifest read = read_run(folder.path());
    expect_input_error([&] { read_model(folder.path(), read, graph); },
                       {"the run is not finished: it has no model.npz"});
}

TEST_F(RunFolderTest, ANewRunStartsFromAnEmptyTable) {
    write_run();
    testing::write_plainly(folder / "checkpoint.npz", "old");
    testing::write_plainly(folder / "notes.txt", "mine");
    start_run(folder.path(), manifest, split, graph.dataset);
    for (const char* const name : {"model.npz", "history.csv", "predictions.csv", "checkpoint.npz"})
        EXPECT_FALSE(fs::exists(folder / name)) << name;
    EXPECT_TRUE(fs::exists(folder / "notes.txt"));
}

TEST_F(RunFolderTest, AFolderWithoutARunSaysSo) {
    expect_input_error([&] { read_run(folder / "nowhere"); }, {"nowhere: no such folder"});
    expect_input_error([&] { read_run(folder.path()); }, {"is not a run: it has no run.json"});
}

TEST_F(RunFolderTest, TheFirstDifferenceBetweenTwoTrainingsIsNamed) {
    const auto expect_difference = [&](const RunManifest& other, const std::string& part) {
        expect_input_error([&] { check_same_training("run", manifest, other); }, {part});
    };
    check_same_training("run", manifest, manifest);
    RunManifest other = manifest;
    other.settings.apply({{"rate", "0.5"}});
    expect_difference(other, "run: the run there was begun with another rate: 0.01, now 0.5");
    other = manifest;
    other.settings = MethodSettings("hwgcn", "karate");
    expect_difference(other, "another method: gcn, now hwgcn");
    other = manifest;
    other.results = results_version + 1;
    expect_difference(other, "another version of the results");
    other = manifest;
    other.seed = 4;
    expect_difference(other, "another seed: 3, now 4");
    other = manifest;
    other.dataset_hash[0] = 'x';
    expect_difference(other, "another dataset");
    other = manifest;
    other.split_hash[0] = 'x';
    expect_difference(other, "another split");
}

TEST_F(RunFolderTest, WhatCannotBeTrainedOnIsNamed) {
    const auto expect_refused = [&](Dataset dataset, const Split& chosen, const std::string& part) {
        const PreparedGraph other = prepare_graph(std::move(dataset), {.structural = false});
        expect_input_error([&] { check_trainable(other, settings, chosen); }, {part});
    };
    Dataset bare = make_karate();
    bare.features = CsrMatrix<float>{34, 0, std::vector<std::int64_t>(35, 0), {}, {}};
    bare.feature_names.clear();
    expect_refused(bare, split, "karate: the dataset has no features");
    Dataset unknown = make_karate();
    unknown.class_names.clear();
    unknown.labels.assign(34, unlabelled);
    expect_refused(unknown, split, "karate: the dataset has no labels");
    expect_refused(make_karate(), Split{"mine", {}, {1}, {2}}, "the split mine has no training nodes");
}

TEST(PredictionsCsv, QuotesNamesAndTellsLabelAndPart) {
    Dataset dataset;
    dataset.name = "odd";
    dataset.nodes = 3;
    dataset.labels = {0, unlabelled, 1};
    dataset.class_names = {"label", "a,\"b\""};
    dataset.node_ids = {"x", "two\nlines", " blank"};
    DenseMatrix probabilities(3, 2);
    for (Index node = 0; node < 3; ++node) {
        probabilities.at(node, 0) = 0.25F * static_cast<float>(node + 1);
        probabilities.at(node, 1) = 1.0F - probabilities.at(node, 0);
    }
    EXPECT_EQ(predictions_csv(probabilities, Split{"s", {0}, {}, {2}}, dataset),
              "id,prediction,label_,\"a,\"\"b\"\"\",label,split\n"
              "x,\"a,\"\"b\"\"\",0.25,0.75,label,train\n"
              "\"two\nlines\",label,0.5,0.5,,\n"
              "\" blank\",label,0.75,0.25,\"a,\"\"b\"\"\",test\n");
}

TEST(HistoryCsv, LeavesOutWhatWasNotMeasured) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(history_csv({{1, 0.5, 2.25, 1.5, 0.25}, {2, 0.5, 2.0, none, 0.0}}),
              "epoch,rate,train_loss,validation_loss,validation_accuracy\n"
              "1,0.5,2.25,1.5,25\n"
              "2,0.5,2,,\n");
    EXPECT_EQ(history_csv({{1, 0.5, 2.25, 1.5, 0.25, 0.75}}),
              "epoch,rate,train_loss,validation_loss,validation_accuracy,validation_selection\n"
              "1,0.5,2.25,1.5,25,75\n");
}

TEST_F(RunFolderTest, TheWayToDecideComesBackAndBelongsToTheTraining) {
    manifest.decision = {{0.625, 2.5}, Threshold{1, 0.3125}, -1.5};
    manifest.threshold = threshold_rule("f1");
    write_run();
    const RunManifest read = read_run(folder.path());
    EXPECT_EQ(read.decision, manifest.decision);
    EXPECT_EQ(read.threshold, manifest.threshold);
    check_same_training(folder.path(), read, manifest);
    RunManifest other = manifest;
    other.threshold = threshold_rule("0.3");
    expect_input_error([&] { check_same_training(folder.path(), read, other); },
                       {"begun with another threshold: f1, now 0.3"});
    other = manifest;
    other.decision.class_weights.clear();
    expect_input_error([&] { check_same_training(folder.path(), read, other); },
                       {"another weighting of the classes: 0.625, 2.5, now none"});
}

TEST_F(RunFolderTest, PredictionsAreWhatIsDecidedFor) {
    manifest.decision.threshold = Threshold{1, 1e-9};
    write_run();
    std::istringstream lines(read_file(folder / "predictions.csv"));
    std::string line;
    std::getline(lines, line);
    const std::string predicted = "," + graph.dataset.class_names[1] + ",";
    while (std::getline(lines, line))
        EXPECT_NE(line.find(predicted), std::string::npos) << line;
}

}  // namespace
}  // namespace hwgcn::run_folder_test
