"""The method `linear` against scikit-learn's logistic regression, and the note on columns that tell the label."""

import warnings

import numpy as np
import pytest
from hwgcn import HWGCNClassifier

pytestmark = pytest.mark.filterwarnings("ignore:.*neighbors may mislead", "ignore:.*numbers standardised")
sklearn_linear = pytest.importorskip("sklearn.linear_model")
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


def table(seed, nodes=1500, classes=2, noise=1.5):
    """Four dense columns of different units, and a label that a linear score of three of them decides with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(nodes, 4))
    scores = X[:, :3] @ rng.normal(size=(3, classes)) + noise * rng.normal(size=(nodes, classes))
    return X * [1, 100, .01, 5] + [0, 30, 1, -7], scores.argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 4])
def test_is_as_good_as_cross_validated_logistic_regression(classes):
    ours, theirs = [], []
    for seed in range(4):
        X, y = table(seed, classes=classes)
        train = np.arange(300)
        ring = np.array([np.arange(len(y)), np.roll(np.arange(len(y)), 1)])
        known = np.where(np.arange(len(y)) < 300, y, -1)
        model = HWGCNClassifier(method="linear").fit(ring, X, known, validation=[])
        scaled = StandardScaler().fit_transform(X)
        reference = sklearn_linear.LogisticRegressionCV(Cs=12, scoring="neg_log_loss", max_iter=2000)
        reference.fit(scaled[train], y[train])
        rest = np.arange(300, len(y))
        for scores, p in ((ours, model.predict_proba()[rest]), (theirs, reference.predict_proba(scaled[rest]))):
            scores.append(((p.argmax(axis=1) == y[rest]).mean(), log_loss(y[rest], p.astype(float))))
    print("accuracy, log loss: linear", np.mean(ours, axis=0), "scikit-learn", np.mean(theirs, axis=0))
    ours, theirs = np.mean(ours, axis=0), np.mean(theirs, axis=0)
    assert ours[0] > theirs[0] - .005
    assert ours[1] < theirs[1] + .005


def test_explanations_add_up_and_new_nodes_are_predicted(graph):
    model = HWGCNClassifier(method="linear").fit(graph.A, graph.X, graph.labels(15), validation=[])
    told = model.explain(4, top=100)
    features = sum(feature["contribution"] for feature in told["features"])
    assert told["kind"] == "exact"
    assert features + told["offset"] == pytest.approx(told["margin"], abs=1e-5)
    new = model.predict_new(graph.X[:5], np.empty((2, 0), int), proba=True)
    np.testing.assert_allclose(new, model.predict_proba()[:5], atol=1e-5)


def test_class_weights_count():
    X, y = table(1)
    ring = np.array([np.arange(len(y)), np.roll(np.arange(len(y)), 1)])
    known = np.where(np.arange(len(y)) < 200, y, -1)
    plain = HWGCNClassifier(method="linear").fit(ring, X, known, validation=[])
    heavy = HWGCNClassifier(method="linear", class_weight={0: 1, 1: 20}).fit(ring, X, known, validation=[])
    assert (heavy.predict() == 1).mean() > (plain.predict() == 1).mean() + .1


def test_a_column_that_tells_the_label_is_named():
    X, y = table(2, nodes=400)
    ring = np.array([np.arange(len(y)), np.roll(np.arange(len(y)), 1)])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*known before the label is")
        HWGCNClassifier(method="linear").fit(ring, X, y)
    X[:, 2] = y
    with pytest.warns(UserWarning, match="column 'feature 2' alone tells the classes apart"):
        model = HWGCNClassifier(method="linear").fit(ring, X, y)
    with pytest.warns(UserWarning, match="is it known before the label is"):
        model.feature_importances()
