"""Weights and directions of edges reach the engine."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from hwgcn import HWGCNClassifier, InputError


def two_groups(seed=3):
    """Heavy edges within two groups, and twice as many light ones between any nodes."""
    random = np.random.default_rng(seed)
    classes = np.repeat([0, 1], 60)
    near = random.integers(60, size=(2, 240)) + np.repeat([0, 60], 120)
    far = random.integers(120, size=(2, 480))
    ends = np.hstack([near, far])
    weight = np.concatenate([np.full(240, 10.0), np.full(480, 0.1)])
    half = sp.coo_matrix((weight, ends), shape=(120, 120)).tocsr()
    y = np.full(120, -1)
    y[[0, 1, 2, 60, 61, 62]] = classes[[0, 1, 2, 60, 61, 62]]
    return half.maximum(half.T), classes, y


def fitted(graph, features, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HWGCNClassifier(**settings).fit(graph, features, y)


def test_weights_of_a_matrix_are_used():
    graph, classes, y = two_groups()
    features = np.random.default_rng(1).normal(size=(120, 4))
    right = lambda a: np.mean(fitted(a, features, y, method="lp").predict() == classes)
    assert right(graph) > 0.95
    assert right(graph) > right((graph > 0).astype(float)) + 0.1


def test_a_constant_factor_of_weights_changes_nothing():
    graph, _, y = two_groups()
    features = np.random.default_rng(1).normal(size=(120, 4))
    one = fitted(graph, features, y, method="hwgcn", epochs=10).predict_proba()
    other = fitted(4 * graph, features, y, method="hwgcn", epochs=10).predict_proba()
    assert np.array_equal(one, other)


def test_directions_of_a_matrix_are_kept():
    graph, _, y = two_groups()
    features = np.random.default_rng(1).normal(size=(120, 4))
    one_way = sp.triu(graph).tocsr()
    incoming = fitted(one_way, features, y, method="sgc", operator="in", epochs=10).predict_proba()
    outgoing = fitted(one_way, features, y, method="sgc", operator="out", epochs=10).predict_proba()
    assert not np.allclose(incoming, outgoing)
    assert np.allclose(incoming, fitted(one_way.T, features, y, method="sgc", operator="out", epochs=10).predict_proba())
    with pytest.raises(InputError, match="direction"):
        fitted(graph, features, y, method="sgc", operator="in")
    with pytest.warns(UserWarning, match="direction"):
        HWGCNClassifier(method="gcn", epochs=5).fit(one_way, features, y)


def test_a_table_in_another_order_is_refused():
    pandas = pytest.importorskip("pandas")
    graph, _, y = two_groups()
    table = pandas.DataFrame({"x": np.arange(120.0)})
    with pytest.raises(InputError, match="another order"):
        fitted(graph, table.sample(frac=1, random_state=1), y, method="gcn")
    fitted(graph, table.sample(frac=1, random_state=1).sort_index(), y, method="gcn", epochs=2)


def test_signed_and_missing_features_are_standardised_with_a_word():
    graph, classes, y = two_groups()
    features = np.column_stack([100 * classes - 50.0, np.full(120, np.nan)])
    features[::2, 1] = 7
    with pytest.warns(UserWarning, match="numbers standardised, 1 mark of missing values"):
        model = HWGCNClassifier(method="gcn", epochs=100).fit(graph, features, y)
    assert np.mean(model.predict() == classes) > 0.95
