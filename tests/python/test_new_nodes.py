"""Nodes that come after the fit."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from hwgcn import HWGCNClassifier, InputError


@pytest.fixture(scope="module")
def problem():
    random = np.random.default_rng(4)
    classes = np.repeat([0, 1], 50)
    source = random.integers(100, size=300)
    target = np.where(random.random(300) < 0.9, random.integers(50, size=300) + 50 * (source // 50), random.integers(100, size=300))
    graph = sp.coo_matrix((np.ones(300), (source, target)), shape=(100, 100)).tocsr()
    graph = ((graph + graph.T) > 0).astype(float)
    features = random.normal(size=(100, 3)) + 2 * classes[:, None]
    y = np.full(100, -1)
    y[::5] = classes[::5]
    return graph, features, y, classes


def fitted(problem, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HWGCNClassifier(**settings).fit(*problem[:3])


@pytest.mark.parametrize("method", ["gcn", "hwgcn", "hwgpr", "mlp", "sage", "hwsage", "deep-gcn"])
def test_new_nodes_are_predicted_by_their_features_and_neighbors(problem, method):
    model = fitted(problem, method=method, epochs=100)
    new = np.array([[0.0, 0.1, -0.2], [2.1, 1.9, 2.0]])
    edges = np.array([[100, 100, 101, 101], [3, 7, 60, 70]])
    probabilities = model.predict_new(new, edges, proba=True)
    assert probabilities.shape == (2, 2) and np.allclose(probabilities.sum(1), 1, atol=1e-5)
    assert list(model.predict_new(new, edges)) == [0, 1]
    updated = model.predict_new(new, edges, proba=True, update_neighbors=True)
    assert np.allclose(updated.sum(1), 1, atol=1e-5)


def test_a_copy_is_predicted_like_its_original(problem):
    graph, features, _, _ = problem
    model = fitted(problem, method="gcn", epochs=50)
    neighbors = graph[10].indices
    edges = np.stack([np.full(neighbors.size, 100), neighbors])
    copy = model.predict_new(features[10:11], edges, proba=True)[0]
    assert np.allclose(copy, model.predict_proba([10])[0], atol=0.1)


def test_what_does_not_fit_is_refused(problem):
    model = fitted(problem, method="gcn", epochs=2)
    row, edges = np.zeros((1, 3)), np.array([[100], [3]])
    for arguments, message in [
        ((np.zeros((1, 2)), edges), "expected 3 features"),
        ((row, np.array([[101], [3]])), "outside of 0..100"),
        ((row, np.array([100, 3])), "two rows"),
        ((row, edges, [1.0]), "have no weights"),
        ((row, edges, [1.0, 2.0]), "a number per edge"),
    ]:
        with pytest.raises(InputError, match=message):
            model.predict_new(*arguments)
    with pytest.raises(InputError, match="says nothing about new ones"):
        fitted(problem, method="lp").predict_new(row, edges)
    with pytest.raises(ValueError, match="not fitted"):
        HWGCNClassifier().predict_new(row, edges)


def test_without_features_the_edges_say_how_many_come(problem):
    graph, _, y, _ = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HWGCNClassifier(method="gcn", epochs=5).fit(graph, None, y)
    assert model.predict_new(None, np.array([[100, 101], [3, 60]])).shape == (2,)


def test_nodes_unlike_those_of_the_fit_are_warned_of(problem):
    model = fitted(problem, method="gcn", epochs=20)
    graph, features, _, _ = problem
    far = features[:40] + 5
    with pytest.warns(UserWarning, match="unlike those of the training.* deviations above"):
        model.predict_new(far, np.stack([np.arange(100, 140), np.arange(40)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_new(far[:2], np.array([[100, 101], [3, 60]]))


def test_isolated_nodes_change_no_other(problem, tmp_path):
    graph, features, _, _ = problem
    model = fitted(problem, method="mixhop-light", epochs=20)
    new = np.array([[0.5, 0.1, -0.2]])
    alone = model.predict_new(new, np.zeros((2, 0), dtype=int), proba=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        among = model.predict_new(np.concatenate([new, features + 9]), np.zeros((2, 0), dtype=int), proba=True)
    assert (among[0] == alone[0]).all()
    model.save(tmp_path / "model")
    loaded = HWGCNClassifier.load(tmp_path / "model")
    assert (loaded.predict_new(new, np.zeros((2, 0), dtype=int), proba=True) == alone).all()
