#pragma once

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "test_data.hpp"

namespace hwgcn {

/// A training on the karate club, and the folder that it is written to.
class RunFolderTest : public ::testing::Test {
  protected:
    RunFolderTest() {
        settings.apply({{"epochs", "10"}});
        manifest = make_manifest(graph, {{"dataset", "karate"}}, split, seed);
        manifest.settings = settings;
    }

    const Propagation& propagation() { return operators.get(settings, control); }

    TrainedModel train_with(const Checkpoints& checkpoints) {
        return train(graph, propagation(), settings, split, seed, control, checkpoints);
    }

    DenseMatrix probabilities(const TrainedModel& model) {
        return predict_nodes(graph, propagation(), settings, model.parameters, control);
    }

    void write_run() {
        start_run(folder.path(), manifest, split, graph.dataset);
        const TrainedModel model = train_with({});
        manifest.result = RunResult{.epochs = 10, .best_epoch = model.best_epoch, .seconds = 0.5};
        finish_run(folder.path(), manifest, model, probabilities(model), split, graph.dataset);
    }

    // run.json with other content and the checksum that belongs to it.
    void write_signed(const std::string& text) const {
        std::string content = text;
        const std::string zeros(64, '0');
        Sha256 hash;
        content.replace(content.find(zeros), zeros.size(), hash.bytes(text.data(), text.size()).hex());
        testing::write_plainly(folder / "run.json", content);
    }

    // The text of run.json before it was signed.
    std::string unsigned_text() const {
        std::string text = read_file(folder / "run.json");
        const std::string key = "\"sha256\": \"";
        return text.replace(text.find(key) + key.size(), 64, std::string(64, '0'));
    }

    PreparedGraph graph = prepare_graph(make_karate());
    OperatorPool operators{graph};
    MethodSettings settings{"gcn", "karate"};
    Split split = random_split(graph.dataset, {4, 8, 10, 2});
    std::uint64_t seed = 3;
    ExecutionControl control{1, nullptr, nullptr};
    RunManifest manifest;
    testing::TemporaryDirectory folder;
};

}  // namespace hwgcn
