import csv
import subprocess

import hwgcn
import numpy as np
import pytest
from hwgcn import HWGCNClassifier, _core
from sklearn.base import clone
from sklearn.utils import estimator_checks

QUICK = {"epochs": 30}


def fitted(graph, y, **params):
    return HWGCNClassifier(**{"method": "hwgcn", "order": 2, "settings": QUICK, **params}).fit(graph.A, graph.X, y)


@pytest.mark.parametrize("method, order", [("hwgcn", 2), ("auto", None), ("lp", None)])
def test_predictions_are_those_of_the_command_line_to_the_bit(graph, program, tmp_path, method, order):
    training, validation, test = _core.split(graph.y.astype(np.int32), "random:5:50:100", 7)
    command = [program, "train", graph.path, "--method", method, "--split", "random:5:50:100", "--seed", "7"]
    command += ["--epochs", "30", "--no-cache", "--no-baselines", "--out", str(tmp_path / "run")]
    subprocess.run(command + ([] if order is None else ["--order", str(order)]), check=True, capture_output=True)
    rows = list(csv.reader(open(tmp_path / "run" / "predictions.csv")))[1:]
    expected = np.array([row[2 : 2 + 5] for row in rows], dtype=np.float32)

    y = np.full(graph.y.shape, -1)
    known = np.concatenate([training, validation])
    y[known] = graph.y[known]
    model = HWGCNClassifier(method=method, order=order, random_state=7, settings=QUICK)
    model.fit(graph.A, graph.X, y, validation=validation)
    assert (model.predict_proba() == expected).all()
    assert [row[1] for row in rows] == [f"class_{label}" for label in model.predict()]


def test_it_learns(graph):
    model = fitted(graph, graph.labels(10), settings={"epochs": 100})
    unlabelled = np.flatnonzero(graph.labels(10) == -1)
    assert model.score(graph.y, unlabelled) > 0.6
    assert model.predict_proba().shape == (300, 5)
    assert model.predict_proba().dtype == np.float32
    np.testing.assert_allclose(model.predict_proba().sum(axis=1), 1, atol=1e-5)
    assert model.predict([3, 4]).shape == (2,)


def test_auto_says_why(graph):
    model = fitted(graph, graph.labels(4), method="auto", order=None)
    assert model.choice_["cross_fitted"]
    assert "was chosen" in model.choice_["reason"]
    assert model.method_ in _core.methods()
    assert len(model.choice_["candidates"]) == 8
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
    with pytest.raises(ValueError, match="unknown parameter 'ordr'"):
        model.set_params(ordr=4)
    assert eval(repr(model), {"HWGCNClassifier": HWGCNClassifier}).get_params() == model.get_params()
    with pytest.raises(AttributeError, match="not fitted yet"):
        model.predict()
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
        (np.full(300, -1), [3], "a validation node has no label"),
        (np.zeros(300), [300], "a validation node is outside of 0..299"),
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
    with pytest.warns(UserWarning, match="without features"):
        HWGCNClassifier(settings=QUICK).fit(graph.A, np.zeros((300, 0)), graph.labels(3))
