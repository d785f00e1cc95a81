// What training may look at, and that self-training is its two trainings, one after the other.
#include "hwgcn/models/train.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "methods/network.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "training/fit.hpp"
#include "training/fit_options.hpp"

namespace hwgcn::train_test {
namespace {

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 150;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    options.topic_share = 0.3;
    return make_synthetic(options);
}

MethodSettings quick(const std::string& method, const std::vector<Setting>& more = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(settings.read_among({{"epochs", "15"}, {"order", "2"}, {"patience", "0"}}));
    settings.apply(more);
    return settings;
}

Split draw(const Dataset& dataset) {
    return random_split(dataset, {5, 40, 60, 1});
}

// The split is drawn by labels: it must come from the honest dataset.
TrainedModel train_on(const Dataset& dataset, const Split& split, const MethodSettings& settings) {
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    return train(graph, operators.get(settings, {1}), settings, split, 2, {1});
}

std::vector<double> training_losses(const TrainedModel& model) {
    std::vector<double> losses;
    for (const EpochRecord& record : model.history)
        losses.push_back(record.train_loss);
    return losses;
}

class NetworkMethod : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> network_methods() {
    std::vector<std::string> names;
    for (const MethodInfo& info : method_table()) {
        if (info.kind == MethodKind::network) names.push_back(info.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Table, NetworkMethod, ::testing::ValuesIn(network_methods()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

// Later epochs start from what earlier ones learned: a label that reached one gradient would change them.
TEST_P(NetworkMethod, ValidationLabelsChooseTheEpochAndReachNoGradient) {
    const Dataset dataset = small_dataset();
    const Split split = draw(dataset);
    Dataset changed = dataset;
    for (const Index node : split.validation)
        changed.labels[node] = (dataset.labels[node] + 1) % 3;
    const MethodSettings settings = quick(GetParam());
    const TrainedModel honest = train_on(dataset, split, settings);
    const TrainedModel fooled = train_on(changed, split, settings);
    ASSERT_EQ(honest.history.size(), 15U);
    EXPECT_EQ(training_losses(honest), training_losses(fooled)) << "bit for bit";
    EXPECT_NE(honest.history.back().validation_loss, fooled.history.back().validation_loss)
        << "the labels that the epoch is chosen by did change";
}

TEST(TrainingLabels, OneTrainingLabelChangesTheLosses) {
    const Dataset dataset = small_dataset();
    Dataset changed = dataset;
    const Split split = draw(dataset);
    const Index node = split.train.front();
    changed.labels[node] = (dataset.labels[node] + 1) % 3;
    EXPECT_NE(training_losses(train_on(dataset, split, quick("gcn"))),
              training_losses(train_on(changed, split, quick("gcn"))));
}

// The most certain nodes of each class that are no training nodes; written apart from the code under test.
std::vector<Index> surest(const DenseMatrix& p, const std::vector<Index>& train, std::size_t per_class) {
    std::vector<Index> order(static_cast<std::size_t>(p.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto confidence = [&](Index node) { return p.at(node, argmax(p, node)); };
    std::ranges::stable_sort(order, std::ranges::greater{}, confidence);
    std::vector<std::size_t> taken(static_cast<std::size_t>(p.columns()), 0);
    std::vector<Index> taught(order.size(), unlabelled);
    for (const Index node : order) {
        const Index predicted = argmax(p, node);
        if (std::ranges::count(train, node) > 0 || taken[predicted] == per_class) continue;
        ++taken[predicted];
        taught[node] = predicted;
    }
    return taught;
}

// Teacher and student by hand, from the pieces that are tested on their own.
FitState self_trained(const PreparedGraph& graph, const Propagation& propagation,
                      const MethodSettings& settings, const Split& split, std::uint64_t seed) {
    const Dataset& dataset = graph.dataset;
    const auto network =
        make_network(settings, {graph.features.scaled->columns, dataset.classes(), dataset.nodes});
    const auto field = [&](const std::vector<Index>& nodes, Extent extent) {
        return labelled_field(*network, propagation, graph.features.scaled, nodes, dataset.labels, extent);
    };
    const bool everywhere = settings.fit().scheme == Scheme::consistency;
    FitState teacher = start_teacher(*network, seed, dataset.nodes, dataset.classes());
    continue_fit(teacher, *network, field(split.train, everywhere ? Extent::all_nodes : Extent::as_needed),
                 field(split.validation, Extent::all_nodes), settings.fit(), {1});
    const std::vector<Index> taught =
        surest(teacher.best_average, split.train, static_cast<std::size_t>(settings.fit().self_training));
    LabelledField train = field(split.train, Extent::all_nodes);
    for (Index node = 0; node < dataset.nodes; ++node) {
        if (taught[node] == unlabelled) continue;
        train.taught_rows.push_back(node);
        train.taught_labels.push_back(taught[node]);
    }
    return fit(*network, train, field(split.validation, Extent::as_needed), settings.fit(), seed, {1});
}

TEST(SelfTraining, IsAStudentOfTheBestAverageWithTheWeightAskedFor) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    const Split split = draw(graph.dataset);
    OperatorPool operators(graph);
    std::vector<std::vector<double>> losses;
    for (const char* const scheme : {"plain", "consistency"}) {
        for (const char* const weight : {"0.5", "2"}) {
            const MethodSettings settings = quick(
                "hwgcn", {{"scheme", scheme}, {"self_training", "6"}, {"self_training_weight", weight}});
            const Propagation& propagation = operators.get(settings, {1});
            const TrainedModel model = train(graph, propagation, settings, split, 4, {1});
            const FitState expected = self_trained(graph, propagation, settings, split, 4);
            ASSERT_EQ(model.history.size(), expected.history.size());
            for (std::size_t k = 0; k < model.history.size(); ++k) {
                EXPECT_EQ(model.history[k].train_loss, expected.history[k].train_loss) << scheme << k;
                EXPECT_EQ(model.history[k].validation_loss, expected.history[k].validation_loss) << k;
            }
            losses.push_back(training_losses(model));
        }
    }
    EXPECT_NE(losses[0], losses[1]) << "the weight counts";
    EXPECT_NE(losses[2], losses[3]) << "the weight counts";
}

}  // namespace
}  // namespace hwgcn::train_test
