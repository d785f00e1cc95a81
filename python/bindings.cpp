// The module hwgcn._core: the engine for Python, in terms of arrays. Everything that is only convenience is
// in the Python files beside it.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "hwgcn/data/target.hpp"
#include "hwgcn/methods/train_run.hpp"
#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/runs/result_json.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/version.hpp"

#include "interruptible.hpp"

namespace py = pybind11;

namespace hwgcn::python {
namespace {

template <typename Number>
using Array = py::array_t<Number, py::array::c_style>;
using Settings = std::vector<std::pair<std::string, std::string>>;

std::vector<Setting> settings_from(const Settings& given) {
    std::vector<Setting> settings;
    for (const auto& [name, text] : given)
        settings.push_back({name, text});
    return settings;
}

// A setting of training would change nothing here.
void expect_weight_settings(const Settings& given) {
    std::vector<std::string> names;
    for (const auto& parameter : weight_parameters())
        names.push_back(parameter.name);
    for (const auto& [name, text] : given) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail_unknown_name("setting", name, names);
    }
}

// The numbers become an array that owns them: nothing is copied.
template <typename Number>
py::array_t<Number> to_array(std::vector<Number> numbers) {
    auto owner = std::make_unique<std::vector<Number>>(std::move(numbers));
    Number* const data = owner->data();
    const auto size = static_cast<py::ssize_t>(owner->size());
    const py::capsule release(owner.release(),
                              [](void* memory) { delete static_cast<std::vector<Number>*>(memory); });
    return py::array_t<Number>(size, data, release);
}

// A view of the matrix, row by row without the padding; the array keeps it alive.
py::array_t<float> to_array(DenseMatrix matrix) {
    auto owner = std::make_unique<DenseMatrix>(std::move(matrix));
    const MatrixView view = owner->view();
    const py::capsule release(owner.release(),
                              [](void* memory) { delete static_cast<DenseMatrix*>(memory); });
    return py::array_t<float>(
        {static_cast<py::ssize_t>(view.rows), static_cast<py::ssize_t>(view.columns)},
        {static_cast<py::ssize_t>(view.stride() * sizeof(float)), static_cast<py::ssize_t>(sizeof(float))},
        view.data, release);
}

template <typename Number>
std::vector<Number> to_vector(const Array<Number>& array) {
    return {array.data(), array.data() + array.size()};
}

template <typename Value>
py::tuple to_tuple(CsrMatrix<Value> matrix) {
    return py::make_tuple(to_array(std::move(matrix.offsets)), to_array(std::move(matrix.indices)),
                          to_array(std::move(matrix.values)));
}

py::object from_json(const std::string& text) {
    return py::module_::import("json").attr("loads")(text);
}

// What decides which labels are accepted is no setting of a method.
TargetLimits take_limits(Settings& given) {
    TargetLimits limits;
    std::erase_if(given, [&](const auto& setting) {
        const bool is_limit = setting.first == "max_classes";
        if (is_limit) set_parameter(target_parameters(), limits, setting.first, setting.second);
        return is_limit;
    });
    return limits;
}

// Few labels all train; of many, most do.
std::string usual_split(const Dataset& dataset) {
    return default_split_for(dataset, asked_method(automatic_info().name, ""));
}

// A graph with features and labels, ready for all that can be asked of it.
class Problem {
  public:
    Problem(Index nodes, const Array<std::int64_t>& offsets, const Array<Index>& neighbors,
            const Array<std::int64_t>& feature_offsets, const Array<Index>& feature_columns,
            const Array<float>& feature_values, Index features, const Array<Index>& labels,
            std::vector<std::string> class_names, std::optional<std::string> cache) {
        Dataset dataset;
        dataset.name = "the data";
        dataset.source = "arrays";
        dataset.nodes = nodes;
        for (Index i = 0; i < nodes; ++i) {
            for (std::int64_t e = offsets.at(i); e < offsets.at(i + 1); ++e)
                dataset.edges.push_back({i, neighbors.at(e)});
        }
        dataset.features = {nodes, features, to_vector(feature_offsets), to_vector(feature_columns),
                            to_vector(feature_values)};
        dataset.labels = to_vector(labels);
        dataset.class_names = std::move(class_names);
        validate_dataset(dataset);
        graph_ = std::make_unique<PreparedGraph>(std::move(dataset));
        if (cache) cache_ = std::make_unique<WeightCache>(*cache);
        operators_ = std::make_unique<OperatorPool>(*graph_, cache_.get());
    }

    py::tuple learn_weights(const Settings& given, int threads) const {
        expect_weight_settings(given);
        MethodSettings settings("hwgcn", "");
        settings.apply(settings_from(given));
        LearnedWeights weights = interruptible(threads, [&](const ExecutionControl& control) {
            return hwgcn::learn_weights(graph_->graph, *graph_->features, settings.weights(), control,
                                        cache_.get());
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
        std::vector<std::string> notes = graph_->feature_notes;
        notes.insert(notes.end(), weights.notes.begin(), weights.notes.end());
        return py::make_tuple(orders, notes);
    }

    // Without training nodes, the split is that of the command line for one's own data.
    py::dict train(const std::string& method, Settings given, const std::optional<Array<Index>>& training,
                   const Array<Index>& validation, std::uint64_t seed, int threads) {
        check_target(graph_->dataset, take_limits(given));
        AskedMethod asked = asked_method(method, "");
        apply_settings(asked, settings_from(given));
        const Split split = training ? Split{"given", to_vector(*training), to_vector(validation), {}}
                                     : make_split(graph_->dataset, usual_split(graph_->dataset), seed);
        TrainedRun run = interruptible(threads, [&](const ExecutionControl& control) {
            return train_run({*graph_, *operators_, asked, split, seed}, control);
        });
        py::dict dict;
        dict["method"] = run.settings.method();
        dict["order"] = order_of(run.settings);
        dict["label"] = method_label(run.settings);
        dict["choice"] = run.choice ? from_json(choice_json(*run.choice)) : py::none();
        dict["summary"] = run.model.summary;
        dict["epochs"] = run.model.history.size();
        dict["best_epoch"] = run.model.best_epoch;
        dict["temperature"] = run.temperature;
        dict["notes"] = run.notes;
        dict["split"] =
            py::make_tuple(to_array(split.train), to_array(split.validation), to_array(split.test));
        py::dict metrics;
        metrics["train"] = from_json(metrics_json(run.train));
        metrics["validation"] = from_json(metrics_json(run.validation));
        metrics["test"] = from_json(metrics_json(run.test));
        dict["metrics"] = metrics;
        dict["probabilities"] = to_array(std::move(run.probabilities));
        return dict;
    }

  private:
    std::unique_ptr<PreparedGraph> graph_;
    std::unique_ptr<WeightCache> cache_;
    std::unique_ptr<OperatorPool> operators_;
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
                      std::vector<std::string>, std::optional<std::string>>())
        .def("learn_weights", &Problem::learn_weights)
        .def("train", &Problem::train);
    module.def("split", &split_arrays);
    module.def("methods", [] {
        std::vector<std::string> names;
        for (const MethodInfo& method : askable_methods())
            names.push_back(method.name);
        return names;
    });
}

}  // namespace hwgcn::python
