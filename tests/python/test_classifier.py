import csv
import json
import pickle
import subprocess

import hwgcn
import numpy as np
import pytest
from hwgcn import HWGCNClassifier, InputError, _core
from sklearn.base import clone
from sklearn.utils import estimator_checks

QUICK = {"epochs": 30}


def fitted(graph, y, **params):
    return HWGCNClassifier(**{"method": "hwgcn", "order": 2, "settings": QUICK, **params}).fit(graph.A, graph.X, y)


@pytest.mark.parametrize("method, order", [("hwgcn", 2), ("auto", None), ("lp", None)])
def test_predictions_are_those_of_the_command_line_to_the_bit(graph, program, tmp_path, method, order):
    training, validation, test = _core.split(graph.y.astype(np.int32), "random:5:50:100", 7)
    command = [program, "train", graph.path, "--method", method, "--split", "random:5:50:100", "--seed", "7"]
    settings = {} if method == "lp" else QUICK
    command += [word for name, value in settings.items() for word in ("--" + name, str(value))]
    command += ["--no-cache", "--no-baselines", "--out", str(tmp_path / "run")]
    subprocess.run(command + ([] if order is None else ["--order", str(order)]), check=True, capture_output=True)
    rows = list(csv.reader(open(tmp_path / "run" / "predictions.csv")))[1:]
    expected = np.array([row[2 : 2 + 5] for row in rows], dtype=np.float32)

    y = np.full(graph.y.shape, -1)
    known = np.concatenate([training, validation])
    y[known] = graph.y[known]
    model = HWGCNClassifier(method=method, order=order, random_state=7, settings=settings)
    model.fit(graph.A, graph.X, y, validation=validation)
    assert (model.predict_proba() == expected).all()
    assert [row[1] for row in rows] == [f"class_{label}" for label in model.predict()]


def test_a_device_is_a_setting(graph, program):
    def metrics(device):
        model = HWGCNClassifier(method="gcn", epochs=20, device=device)
        return model.fit(graph.A, graph.X, graph.y).metrics_["train"]

    with pytest.raises(InputError, match="cpu, gpu, gpu:N or auto"):
        metrics("cuda")
    if not json.loads(subprocess.check_output([program, "info", "--json", "-"]))["devices"]:
        pytest.skip("no OpenCL device")
    assert metrics("gpu:0")["nll"] == pytest.approx(metrics("cpu")["nll"], abs=1e-2)


def test_many_labels_are_split_as_on_the_command_line(graph, program, tmp_path):
    command = [program, "train", graph.path, "--method", "auto", "--epochs", "30", "--no-cache", "--json", "-"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    model = HWGCNClassifier(settings=QUICK)
    with pytest.warns(UserWarning, match=r"of 300 labels 180 train, 60 validation, 60 test; validation=\[\]"):
        model.fit(graph.A, graph.X, graph.y)
    assert told["split"] == "shares:60:20:seed=0"
    assert [model.split_[part].size for part in ("train", "validation", "test")] == [180, 60, 60]
    assert model.metrics_["test"]["accuracy"] == told["test_accuracy"]
    assert model.metrics_["validation"]["accuracy"] == told["validation_accuracy"]
    assert model.choice_ == told["choice"]
    all_train = HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, graph.y, validation=[])
    assert all_train.split_["train"].size == 300


def test_few_labels_all_train(graph):
    model = HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, graph.labels(10))
    assert model.split_["train"].size == 50 and model.split_["test"].size == 0


def test_labels_that_are_no_classes_are_refused(graph):
    measured = np.arange(300) * 137 + 20000
    with pytest.raises(InputError, match="look like measured numbers.*`max_classes=300`"):
        HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, measured)


def test_warnings_are_those_of_the_command_line(graph):
    with pytest.warns(UserWarning, match="few training nodes have the class"):
        HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, graph.labels(1))


def test_it_learns(graph):
    model = fitted(graph, graph.labels(10), settings={"epochs": 100})
    unlabelled = np.flatnonzero(graph.labels(10) == -1)
    assert model.score(graph.y, unlabelled) > 0.6
    assert model.predict_proba().shape == (300, 5)
    assert model.predict_proba().dtype == np.float32
    np.testing.assert_allclose(model.predict_proba().sum(axis=1), 1, atol=1e-5)
    assert model.predict([3, 4]).shape == (2,)


def test_only_labelled_nodes_count_in_a_score(graph):
    model = fitted(graph, graph.labels(10))
    right = model.predict() == graph.y
    known = np.flatnonzero(graph.labels(20) >= 0)
    assert 0 < right[known].mean() < 1
    for unknown in (-1, np.nan, None, ""):
        truth = np.full(300, unknown, dtype=object)
        truth[known] = graph.y[known]
        assert model.score(truth) == right[known].mean()
    truth = graph.labels(20)
    assert model.score(truth) == right[known].mean()
    assert model.score(truth.astype(float)) == right[known].mean()
    first = np.arange(150)
    expected = right[known[known < 150]].mean()
    assert model.score(truth, first) == model.score(truth[first], first) == expected != right[first].mean()
    assert model.score(truth, np.arange(300) < 150) == expected


def test_a_score_says_what_it_cannot_compare(graph):
    model = fitted(graph, graph.labels(3))
    for y, nodes, message in [
        (np.full(300, -1), None, "no node has a label to compare with"),
        (graph.y, [], "no node has a label to compare with"),
        (graph.y[:7], None, "expected 300 labels, got 7"),
        (graph.y[:7], [1, 2], "expected 300 labels, or 2 for the nodes given, got 7"),
        (graph.y.astype(str), None, "holds texts, but the classes are numbers"),
        (graph.y, np.arange(300)[::-1], "could be labels of all nodes or of those given"),
        (graph.y[:, None], None, "one dimension"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.score(y, nodes)


def test_what_is_handed_out_is_the_callers_own(graph):
    model = fitted(graph, graph.labels(5))
    probabilities, classes = model.predict_proba(), model.predict()
    for nodes in (None, np.arange(300), np.ones(300, bool)):
        model.predict_proba(nodes)[:] = 0
        model.predict(nodes)[:] = 0
    assert (model.predict_proba() == probabilities).all() and probabilities.max() > 0
    assert (model.predict() == classes).all()
    assert (pickle.loads(pickle.dumps(model)).predict_proba() == probabilities).all()


def test_a_fit_that_fails_leaves_the_model_as_it_was(graph):
    model = fitted(graph, graph.labels(5))
    before = model.predict()
    others = np.array(["a", "b"] * 150)
    for wrong in ({"settings": {"epochs": -1}}, {"method": "hwgnc"}):
        with pytest.raises(ValueError):
            model.set_params(**wrong).fit(graph.A, graph.X, others)
    assert (model.predict() == before).all() and model.classes_.dtype.kind == "i"


def test_some_nodes_may_be_asked_for(graph):
    model = fitted(graph, graph.labels(5))
    every, classes = model.predict_proba(), model.predict()
    mask = np.arange(300) % 7 == 0
    for nodes in ([3, 4, 3], (299,), range(5), np.array([1.0, 2.0]), np.array([5], np.uint64), [np.int8(7)]):
        assert (model.predict_proba(nodes) == every[np.array(nodes).astype(int)]).all()
    assert (model.predict(mask) == classes[mask]).all()
    assert model.predict([]).shape == (0,) and model.predict([]).dtype == classes.dtype
    assert model.predict_proba([]).shape == (0, 5)
    assert model.predict(np.zeros(300, bool)).shape == (0,)


WRONG_NODES = [
    ([300], "node 300 is outside of 0..299"),
    ([-1], "node -1 is outside of 0..299"),
    ([1.5], "expected whole numbers, got 1.5"),
    ([np.nan], "expected whole numbers, got nan"),
    ([2**63], "expected whole numbers, got 9223372036854775808"),
    ([2**70], "expected whole numbers, got 1180591620717411303424"),
    ([None], "expected whole numbers, got None"),
    (["a"], "expected whole numbers, got an array"),
    (7, "expected a list of node numbers or a mask, got 7"),
    ([[1, 2]], "expected a list of node numbers or a mask"),
    ([[1], [1, 2]], "expected an array, got a list"),
    (np.ones(299, bool), "expected a mask of 300 nodes, got one of 299"),
    (np.ones(300, int), "300 times 0 or 1 looks like a mask"),
    (np.ma.masked_equal([1, 2], 2), "masked entries"),
]


@pytest.mark.parametrize("nodes, message", WRONG_NODES)
def test_wrong_nodes_are_named(graph, nodes, message):
    model = fitted(graph, graph.labels(5), settings={"epochs": 1})
    for use in (model.predict, model.predict_proba, lambda nodes: model.score(graph.y, nodes)):
        with pytest.raises((ValueError, TypeError), match=f"^nodes: .*{message}"):
            use(nodes)
    with pytest.raises((ValueError, TypeError), match=f"^validation: .*{message}"):
        model.fit(graph.A, graph.X, graph.y, validation=nodes)


def test_auto_says_why(graph):
    model = fitted(graph, graph.labels(4), method="auto", order=None)
    assert model.choice_["cross_fitted"]
    assert "was chosen" in model.choice_["reason"]
    assert model.method_ in _core.methods()
    assert len(model.choice_["candidates"]) == 10
    assert fitted(graph, graph.labels(4)).choice_ is None


def test_unlabelled_may_be_written_in_several_ways(graph):
    numbers = graph.labels(5)
    expected = fitted(graph, numbers).predict_proba()
    floats = np.where(numbers < 0, np.nan, numbers)
    names = np.array([None if label < 0 else f"class {label}" for label in numbers], dtype=object)
    texts = np.array(["" if label < 0 else f"class {label}" for label in numbers])
    for y in (floats, names, texts):
        model = fitted(graph, y)
        assert (model.predict_proba() == expected).all()
        assert len(model.classes_) == 5
    assert set(fitted(graph, texts).predict()) <= {f"class {label}" for label in range(5)}


def test_validation_may_be_a_mask(graph):
    y = graph.labels(8)
    nodes = np.flatnonzero(y >= 0)[::2]
    mask = np.zeros(300, bool)
    mask[nodes] = True
    fits = [HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, y, validation=v) for v in (nodes, mask)]
    assert (fits[0].predict_proba() == fits[1].predict_proba()).all()


def test_the_same_seed_gives_the_same_bits_at_any_number_of_threads(graph):
    y = graph.labels(5)
    first = fitted(graph, y, random_state=1, n_jobs=1).predict_proba()
    assert (fitted(graph, y, random_state=1, n_jobs=3).predict_proba() == first).all()
    assert (fitted(graph, y, random_state=2).predict_proba() != first).any()


def test_it_has_the_manners_of_scikit_learn(graph):
    model = HWGCNClassifier(method="gcn", order=3, random_state=5, settings={"hidden": 8})
    copy = clone(model)
    assert copy is not model and copy.get_params() == model.get_params()
    assert model.set_params(order=4) is model and model.order == 4
    with pytest.raises(ValueError, match="unknown parameter 'ordr'; did you mean 'order'"):
        model.set_params(ordr=4)
    assert eval(repr(model), {"HWGCNClassifier": HWGCNClassifier}).get_params() == model.get_params()
    for kind in (AttributeError, ValueError, hwgcn.NotFittedError):
        with pytest.raises(kind, match="not fitted yet"):
            model.predict()
    model.set_params(n_jobs=None, random_state=None)
    assert eval(repr(model), {"HWGCNClassifier": HWGCNClassifier}).get_params() == model.get_params()
    with pytest.raises(ValueError, match="unknown parameter 'ordr'"):
        model.set_params(method="lp", ordr=4)
    assert model.method == "gcn"
    assert fitted(graph, graph.labels(3)).n_features_in_ == 60


# Those of check_estimator's checks that do not call fit(X, y): a graph is no table.
@pytest.mark.parametrize(
    "check", ["check_get_params_invariance", "check_set_params", "check_no_attributes_set_in_init"]
)
def test_it_passes_the_checks_of_scikit_learn_that_apply(check):
    getattr(estimator_checks, check)("HWGCNClassifier", HWGCNClassifier())


@pytest.mark.parametrize(
    "y, validation, message",
    [
        (np.zeros(10), None, "a label per node"),
        (np.full(300, -1), None, "no node has a label"),
        (np.full(300, -1), [3], "validation: node 3 has no label"),
        (np.zeros(300), [300], "validation: node 300 is outside of 0..299"),
        (np.zeros(300), np.ones(10, bool), "expected a mask of 300 nodes"),
    ],
)
def test_wrong_labels_are_named(graph, y, validation, message):
    with pytest.raises(ValueError, match=message):
        HWGCNClassifier(method="gcn").fit(graph.A, graph.X, y, validation=validation)


def test_a_misspelt_method_suggests_the_nearest(graph):
    with pytest.raises(hwgcn.InputError, match="did you mean 'hwgcn'"):
        fitted(graph, graph.labels(3), method="hwgnc")


def test_what_the_engine_notes_becomes_a_warning(graph):
    with pytest.warns(UserWarning, match="no features: degrees"):
        HWGCNClassifier(settings=QUICK).fit(graph.A, np.zeros((300, 0)), graph.labels(3))
