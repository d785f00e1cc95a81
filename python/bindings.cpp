// The module hwgcn._core: the engine for Python, in terms of arrays. Everything that is only convenience is
// in the Python files of this folder.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/version.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/explanation/feature_importance.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "arrays.hpp"
#include "base/files/output_file.hpp"
#include "base/suggestions.hpp"
#include "dataset/target.hpp"
#include "interruptible.hpp"
#include "metrics/ranking.hpp"
#include "operators/propagation.hpp"
#include "pipeline/shift.hpp"
#include "run_folders.hpp"
#include "runs/result_json.hpp"
#include "runs/run_files.hpp"
#include "scoring.hpp"
#include "settings.hpp"
#include "shards.hpp"

namespace hwgcn::python {
namespace {

// Few labels all train; of many, most do. Who has test nodes elsewhere lets those of the split train, too.
Split usual_split(const Dataset& dataset, std::uint64_t seed, bool with_test) {
    Split split =
        make_split(dataset, default_split_for(dataset, asked_method(automatic_info().name, "")), seed);
    if (with_test) return split;
    split.train.insert(split.train.end(), split.test.begin(), split.test.end());
    std::sort(split.train.begin(), split.train.end());
    split.test.clear();
    split.name = "given";
    return split;
}

std::vector<FeatureKind> kinds_from(const Array<std::uint8_t>& numbers) {
    std::vector<FeatureKind> kinds;
    for (py::ssize_t k = 0; k < numbers.size(); ++k)
        kinds.push_back(static_cast<FeatureKind>(numbers.at(k)));
    return kinds;
}

py::dict describe(const TrainedRun& run, const Split& split) {
    py::dict dict;
    const std::vector<Member> members = members_of(run);
    dict["method"] = members_name(members);
    dict["order"] = members_order(members);
    dict["label"] = members_label(members);
    dict["choice"] = run.choice ? from_json(choice_json(*run.choice)) : py::none();
    dict["summary"] = run.model.summary;
    dict["epochs"] = run.result.epochs;
    dict["best_epoch"] = run.result.best_epoch;
    dict["temperature"] = run.temperature;
    dict["smoothing"] = run.decision.smoothing;
    py::dict decision;
    if (!run.decision.class_weights.empty()) decision["class_weights"] = run.decision.class_weights;
    if (run.decision.threshold) {
        decision["threshold"] = run.decision.threshold->least;
        decision["positive"] = run.decision.threshold->positive;
    }
    dict["decision"] = decision;
    dict["notes"] = run.result.notes;
    dict["split"] = py::make_tuple(to_array(split.train), to_array(split.validation), to_array(split.test));
    py::dict metrics;
    for (const auto& [part, numbers] : run.result.parts())
        metrics[part] = from_json(metrics_json(*numbers));
    dict["metrics"] = metrics;
    dict["probabilities"] = to_array(run.probabilities);
    return dict;
}

// A graph with features and labels, ready for all that can be asked of it.
class Problem {
  public:
    Problem(Index nodes, const Array<std::int64_t>& offsets, const Array<Index>& neighbors,
            const Array<std::int64_t>& feature_offsets, const Array<Index>& feature_columns,
            const Array<float>& feature_values, Index features, const Array<Index>& labels,
            std::vector<std::string> class_names, std::optional<std::string> cache, const Table& table,
            const Array<std::uint8_t>& feature_kinds, const std::string& scale,
            const std::optional<Array<float>>& edge_weights, bool directed) {
        Dataset dataset;
        dataset.name = "the data";
        dataset.source = "arrays";
        dataset.nodes = nodes;
        for (Index i = 0; i < nodes; ++i) {
            for (std::int64_t e = offsets.at(i); e < offsets.at(i + 1); ++e)
                dataset.edges.push_back({i, neighbors.at(e)});
        }
        if (edge_weights) dataset.edge_weights = to_vector(*edge_weights);
        dataset.directed = directed;
        dataset.features = {nodes, features, to_vector(feature_offsets), to_vector(feature_columns),
                            to_vector(feature_values)};
        dataset.labels = to_vector(labels);
        dataset.class_names = std::move(class_names);
        dataset.columns = columns_from(table);
        for (const TableColumn& column : dataset.columns)
            add_feature_names(column, dataset.feature_names);
        dataset.feature_kinds = kinds_from(feature_kinds);
        dataset.scale = scale_named(scale);
        prepare(std::move(dataset), scale, cache);
    }

    // The graph and the model of a run that `save` wrote. Earlier versions did not save the columns of a
    // table.
    Problem(const std::string& folder, std::optional<std::string> cache, const Table& table,
            const Array<std::uint8_t>& feature_kinds, const std::string& scale,
            const Array<float>& probabilities) {
        const RunManifest manifest = read_run(folder);
        verified_content(folder, manifest, data_file);
        Dataset dataset = read_npz_dataset(std::filesystem::path(folder) / data_file);
        dataset.name = manifest.dataset;
        dataset.source = manifest.source;
        dataset.feature_kinds = kinds_from(feature_kinds);
        dataset.columns = table.empty() ? category_columns(dataset.feature_names, dataset.feature_kinds)
                                        : columns_from(table);
        dataset.scale = scale_named(scale);
        prepare(std::move(dataset), scale, cache);
        finished_ = load_run(folder, manifest, *graph_, to_matrix(probabilities));
        split_ = read_run_split(folder, manifest, graph_->dataset);
        split_.name = manifest.split;  // not that of the file
    }

    py::tuple learn_weights(const Settings& given, int threads) const {
        expect_weight_settings(given);
        MethodSettings settings("hwgcn", "");
        settings.apply(settings_from(given));
        LearnedWeights weights = interruptible(threads, [&](const ExecutionControl& control) {
            return hwgcn::learn_weights(graph_->graph, *graph_->features.scaled, settings.weights(), control,
                                        cache_.get(), weight_content(*graph_));
        });
        py::list orders;
        for (OrderWeights& order : weights.orders) {
            const OrderSummary& summary = order.summary;
            py::dict facts;
            facts["order"] = summary.order;
            facts["worst_gap"] = summary.worst_gap;
            facts["unfinished"] = summary.unfinished;
            orders.append(py::make_tuple(to_tuple(std::move(order.matrix)), facts));
        }
        std::vector<std::string> notes = graph_->features.notes;
        const auto is_logarithm = [](const ColumnScaling& column) { return column.unit > 0; };
        if (std::ranges::any_of(graph_->features.scaling.columns, is_logarithm))
            notes.push_back(graph_->features.scaling.note);
        notes.insert(notes.end(), weights.notes.begin(), weights.notes.end());
        return py::make_tuple(orders, notes);
    }

    // Without training nodes, the split is that of the command line for one's own data; without `test`, all
    // of its labels train or validate. Labels count as `weights` says, one per node, and as `class_weights`
    // says, one per class, or all the same.
    py::dict train(const std::string& method, Settings given, const std::optional<Array<Index>>& training,
                   const Array<Index>& validation, bool test, const std::optional<Array<float>>& weights,
                   std::vector<double> class_weights, const std::string& threshold, std::uint64_t seed,
                   int threads) {
        check_target(graph_->dataset, take_limits(given));
        AskedMethod asked = asked_method(method, "");
        apply_settings(asked, settings_from(given));
        Split split = training ? Split{"given", to_vector(*training), to_vector(validation), {}}
                               : usual_split(graph_->dataset, seed, test);
        graph_->label_weights = {weights ? to_vector(*weights) : std::vector<float>{},
                                 {false, std::move(class_weights)}};
        TrainingTask task{*graph_, *operators_, asked, split, seed};
        task.threshold = threshold_rule(threshold);
        TrainedRun run =
            interruptible(threads, [&](const ExecutionControl& control) { return train_run(task, control); });
        std::vector<std::string>& notes = run.result.notes;
        if (!graph_->features.scaling.note.empty())
            notes.insert(notes.begin(), graph_->features.scaling.note);
        operators_->keep_only(methods_of(run));
        finished_ = std::move(run);
        split_ = std::move(split);
        return describe(*finished_, split_);
    }

    // Why a node got its class, with the keys of `hwgcn explain --json`.
    py::object explain(Index node, std::size_t top, int threads) {
        const TrainedRun& run = finished();
        const std::string text = interruptible(threads, [&](const ExecutionControl& control) {
            const std::vector<Member> members = members_of(run);  // which it refers to
            const auto explainer = expect_explainer(*graph_, operators_of(*operators_, control), members,
                                                    {run.temperature, run.decision}, control);
            return explanation_json(explainer->explain(node, top), graph_->dataset, top);
        });
        return from_json(text);
    }

    // With the keys of `hwgcn explain --importances --json`, all columns that were permuted.
    py::object importances(int repeats, int columns, std::uint64_t seed, int threads) {
        const TrainedRun& run = finished();
        ImportanceOptions options{.repeats = repeats, .columns = columns, .seed = seed};
        options.shown = {run.temperature, run.decision};
        const std::string text = interruptible(threads, [&](const ExecutionControl& control) {
            const FeatureImportances found = measure_importances(*graph_, operators_of(*operators_, control),
                                                                 members_of(run), split_, options, control);
            return importances_json(found, found.columns.size());
        });
        return from_json(text);
    }

    // Probabilities of all nodes where some have the features of these rows instead of their own.
    py::array_t<float> predict_rows(const Array<Index>& nodes, const Array<std::int64_t>& offsets,
                                    const Array<Index>& columns, const Array<float>& values, int threads) {
        const TrainedRun& run = finished();
        Dataset dataset = source_;
        dataset.features = with_rows(source_.features, to_vector(nodes),
                                     {static_cast<Index>(nodes.size()), source_.features.columns,
                                      to_vector(offsets), to_vector(columns), to_vector(values)});
        validate_dataset(dataset);
        dataset.features =
            scaled(std::move(dataset.features), graph_->features.scaling);  // as fitted, not fitted again
        dataset.feature_kinds = {};
        dataset.feature_names = {};
        dataset.scale = Scale::none;
        const PreparedGraph graph = prepare_graph(std::move(dataset));
        if (graph.content_hash == graph_->content_hash) return to_array(run.probabilities);
        return to_array(interruptible(
            threads, [&](const ExecutionControl& control) { return probabilities_on(graph, control); }));
    }

    // Probabilities of nodes that are added behind the others, with their features and edges (of any two
    // nodes). The model is not trained again, and weights are learned for the new nodes alone. With them
    // warnings, in sentences.
    py::tuple predict_added(const Array<std::int64_t>& offsets, const Array<Index>& columns,
                            const Array<float>& values, const Array<Index>& source,
                            const Array<Index>& target, const std::optional<Array<float>>& edge_weights,
                            bool update_neighbors, int threads) {
        const TrainedRun& run = finished();
        Dataset dataset = source_;
        append_rows(dataset.features, {static_cast<Index>(offsets.size()) - 1, source_.features.columns,
                                       to_vector(offsets), to_vector(columns), to_vector(values)});
        dataset.nodes = dataset.features.rows;
        dataset.labels.resize(static_cast<std::size_t>(dataset.nodes), unlabelled);
        for (py::ssize_t e = 0; e < source.size(); ++e)
            dataset.edges.push_back({source.at(e), target.at(e)});
        if (source.size() > 0 && edge_weights.has_value() == source_.edge_weights.empty()) {
            throw InputError(edge_weights
                                 ? "edge_weight: the edges of the graph have no weights"
                                 : "edge_weight: the edges of the graph have weights, and new ones need "
                                   "some, too");
        }
        if (edge_weights) {
            const std::vector<float> more = to_vector(*edge_weights);
            dataset.edge_weights.insert(dataset.edge_weights.end(), more.begin(), more.end());
        }
        validate_dataset(dataset);
        std::vector<std::string> notes;
        if (lacks_statistics(*graph_, run.settings, run.model.parameters)) {  // no average does
            notes.emplace_back(
                "the model is of an earlier version and has no means for batch normalisation: "
                "those of its training graph were computed again");
        }
        const DenseMatrix found = interruptible(threads, [&](const ExecutionControl& control) {
            const PreparedGraph graph =
                prepare_addition(std::move(dataset), {graph_, update_neighbors}, control);
            expect_new_nodes_taken(graph, run);
            DenseMatrix probabilities = probabilities_on(graph, control);
            const std::string warning = warning_about_new_nodes(graph, probabilities, run.decision, split_);
            if (!warning.empty()) notes.push_back(warning);
            return probabilities;
        });
        return py::make_tuple(to_array(found), notes);
    }

    // `write_more` is called when the folder is there; it returns the SHA-256 of what it wrote.
    void save(const std::string& folder, const py::function& write_more) const {
        const std::filesystem::path data =
            std::filesystem::absolute(std::filesystem::path(folder) / data_file).lexically_normal();
        std::vector<Setting> given = {{"dataset", data.string()}};
        if (source_.scale != Scale::automatic) given.push_back({"scale", scale_});
        save_run(folder, *graph_, finished(), split_, std::move(given), [&] {
            write_npz_dataset(data, source_);
            return write_more().cast<std::map<std::string, std::string>>();
        });
    }

    py::dict metrics(const Array<float>& probabilities, const Array<Index>& labels) const {
        return measured(
            probabilities, labels,
            {.positive = positive_class(graph_->dataset, split_), .decision = finished().decision});
    }

  private:
    // Of all nodes of a graph, by the model that was trained.
    DenseMatrix probabilities_on(const PreparedGraph& graph, const ExecutionControl& control) const {
        const TrainedRun& run = finished();
        OperatorPool pool(graph, cache_.get());
        std::vector<Member> members = members_of(run);
        for (auto& [method, share, parameters] : members) {
            if (lacks_statistics(*graph_, method, parameters))
                add_statistics(*graph_, operators_->get(method, control), method, parameters, control);
        }
        DenseMatrix result =
            predict_members(graph, operators_of(pool, control), members, run.decision, control);
        calibrate(result, run.decision, run.temperature, control);
        return result;
    }

    const TrainedRun& finished() const {
        if (!finished_) throw InputError("there is no model: nothing was trained yet");
        return *finished_;
    }

    void prepare(Dataset dataset, const std::string& scale, const std::optional<std::string>& cache) {
        validate_dataset(dataset);
        source_ = dataset;
        scale_ = scale;
        graph_ = std::make_shared<PreparedGraph>(prepare_graph(std::move(dataset)));
        if (cache) cache_ = std::make_unique<WeightCache>(*cache);
        operators_ = std::make_unique<OperatorPool>(*graph_, cache_.get());
    }

    Dataset source_;  // as given, for whoever saves it
    std::string scale_;
    std::shared_ptr<PreparedGraph> graph_;
    std::unique_ptr<WeightCache> cache_;
    std::unique_ptr<OperatorPool> operators_;
    std::optional<TrainedRun> finished_;
    Split split_;  // that it was trained on
};

py::tuple split_arrays(const Array<Index>& labels, const std::string& specification, std::uint64_t seed) {
    Dataset dataset;
    dataset.name = "the data";
    dataset.nodes = static_cast<Index>(labels.size());
    dataset.labels = to_vector(labels);
    Index classes = 0;
    for (const Index label : dataset.labels)
        classes = std::max(classes, label + 1);
    for (Index c = 0; c < classes; ++c)
        dataset.class_names.push_back(std::to_string(c));
    Split split = make_split(dataset, specification, seed);
    return py::make_tuple(to_array(std::move(split.train)), to_array(std::move(split.validation)),
                          to_array(std::move(split.test)));
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The engine of hwgcn, in terms of arrays. Use the package hwgcn instead.";
    module.attr("__version__") = version();
    py::register_exception<InputError>(module, "InputError", PyExc_ValueError);
    py::register_exception<ExecutionError>(module, "RunError", PyExc_RuntimeError);
    py::class_<Problem>(module, "Problem")
        .def(py::init<Index, const Array<std::int64_t>&, const Array<Index>&, const Array<std::int64_t>&,
                      const Array<Index>&, const Array<float>&, Index, const Array<Index>&,
                      std::vector<std::string>, std::optional<std::string>, const Table&,
                      const Array<std::uint8_t>&, const std::string&, const std::optional<Array<float>>&,
                      bool>(),
             py::arg("nodes"), py::arg("offsets"), py::arg("neighbors"), py::arg("feature_offsets"),
             py::arg("feature_columns"), py::arg("feature_values"), py::arg("features"), py::arg("labels"),
             py::arg("class_names"), py::arg("cache"), py::arg("table") = Table{},
             py::arg("feature_kinds") = Array<std::uint8_t>(0), py::arg("scale") = "auto",
             py::arg("edge_weights") = py::none(), py::arg("directed") = false)
        .def(py::init<const std::string&, std::optional<std::string>, const Table&,
                      const Array<std::uint8_t>&, const std::string&, const Array<float>&>())
        .def("learn_weights", &Problem::learn_weights)
        .def("train", &Problem::train)
        .def("explain", &Problem::explain)
        .def("importances", &Problem::importances)
        .def("predict_rows", &Problem::predict_rows)
        .def("predict_added", &Problem::predict_added)
        .def("metrics", &Problem::metrics)
        .def("save", &Problem::save);
    add_shards(module);
    module.def("metric_names", &metric_names);
    module.def("split", &split_arrays);
    module.def("run_file", [](const std::string& folder, const std::string& name) {
        return py::bytes(verified_content(folder, read_run(folder), name));
    });
    module.def("write_file", [](const std::string& file, const py::bytes& content) {
        write_text_atomically(file, std::string(content));
    });
    module.def("settings", &setting_names);
    module.def("likely_names", [](const std::string& word, const std::vector<std::string>& names) {
        return likely_names(word, names);
    });
    module.def("methods", [] {
        std::vector<std::string> names;
        for (const MethodInfo& method : askable_methods())
            names.push_back(method.name);
        return names;
    });
}

}  // namespace hwgcn::python
