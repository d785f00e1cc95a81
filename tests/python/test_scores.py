"""What `score` can judge by, against numpy's and scikit-learn's own."""

import numpy as np
import pytest

from hwgcn import HWGCNClassifier, InputError

RING = (np.arange(90), (np.arange(90) + 1) % 90)
NAMES = ("accuracy", "macro_f1", "roc_auc", "average_precision", "balanced_accuracy", "mcc")


def rare(classes=2):
    """Labels whose last class is rare, and features that tell a little of them."""
    random = np.random.RandomState(3)
    y = np.where(random.rand(90) < 0.2, classes - 1, random.randint(0, max(1, classes - 1), 90))
    X = (y[:, None] == np.arange(classes)) + random.rand(90, classes)
    return X, y


@pytest.fixture(scope="module", params=[2, 4])
def judged(request):
    X, y = rare(request.param)
    edges = np.array(RING)
    model = HWGCNClassifier(method="mlp", epochs=20).fit(edges, X, np.where(np.arange(90) < 45, y, -1))
    return model, y, np.arange(45, 90)


def test_all_of_them_are_those_of_scikit_learn(judged):
    metrics = pytest.importorskip("sklearn.metrics")
    model, y, nodes = judged
    p, predicted, truth = model.predict_proba(nodes), model.predict(nodes), y[nodes]
    two = p.shape[1] == 2
    each = [(truth == label, p[:, place]) for place, label in enumerate(model.classes_)]
    rarer = model.classes_[np.argmin([(y[:45] == label).sum() for label in model.classes_])]
    expected = {
        "accuracy": metrics.accuracy_score(truth, predicted),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro", zero_division=0),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "mcc": metrics.matthews_corrcoef(truth, predicted),
        "roc_auc": metrics.roc_auc_score(*each[1]) if two else np.mean([metrics.roc_auc_score(*one) for one in each]),
        "average_precision": metrics.average_precision_score(*each[list(model.classes_).index(rarer)]) if two
        else np.mean([metrics.average_precision_score(*one) for one in each]),
    }
    for name in NAMES:
        assert model.score(y, nodes, scoring=name) == pytest.approx(expected[name], abs=1e-6), name


def test_the_default_is_accuracy_and_unlabelled_nodes_do_not_count(judged):
    model, y, nodes = judged
    assert model.score(y, nodes) == model.score(y, nodes, scoring="accuracy") == (model.predict(nodes) == y[nodes]).mean()
    some = y.copy()
    some[50:60] = -1
    left = np.setdiff1d(nodes, np.arange(50, 60))
    for name in NAMES:
        assert model.score(some, nodes, scoring=name) == model.score(y, left, scoring=name)


def test_metrics_of_a_fit_have_them_in_percent_or_not_at_all(judged):
    model = judged[0]
    assert set(NAMES) <= set(model.metrics_["train"])
    assert 0 < model.metrics_["train"]["roc_auc"] <= 100
    assert model.metrics_["test"]["roc_auc"] is None or model.metrics_["test"]["nodes"] > 0


def test_they_outlive_saving(judged, tmp_path):
    model, y, nodes = judged
    model.save(tmp_path / "run")
    loaded = HWGCNClassifier.load(tmp_path / "run")
    for name in NAMES:
        assert loaded.score(y, nodes, scoring=name) == model.score(y, nodes, scoring=name)


def test_what_cannot_be_judged_is_refused(judged):
    model, y, nodes = judged
    with pytest.raises(InputError, match="scoring: expected one of accuracy, .*got 'roc_auk'; did you mean 'roc_auc'"):
        model.score(y, nodes, scoring="roc_auk")
    with pytest.raises(TypeError, match="scoring: expected a text, got None"):
        model.score(y, nodes, scoring=None)
    with pytest.raises(InputError, match="sample_weight: only accuracy counts"):
        model.score(y, nodes, np.ones(45), scoring="mcc")
    with pytest.raises(InputError, match="all labels are of one class, and roc_auc needs two"):
        model.score(np.zeros(45, dtype=int), nodes, scoring="roc_auc")
    with pytest.raises(InputError, match="9 is no class of the fit"):
        model.score(np.full(45, 9), nodes, scoring="balanced_accuracy")
    with pytest.raises(InputError, match="holds texts, but the classes are numbers"):
        model.score(y.astype(str), scoring="roc_auc")


def test_rows_of_scikit_learn_are_judged_alike():
    X, y = rare()
    model = HWGCNClassifier(method="mlp", epochs=20, graph=np.array(RING), features=X).fit(np.arange(45), y[:45])
    assert 0.5 < model.score(np.arange(45, 90), y[45:], scoring="roc_auc") <= 1
