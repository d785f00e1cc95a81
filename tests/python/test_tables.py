"""Tables of pandas as features."""

import pickle
import subprocess
import warnings

import hwgcn
import numpy as np
import pandas as pd
import pytest
from hwgcn import HWGCNClassifier
from hwgcn._inputs import graph_data

RING = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])


def read(table):
    data = graph_data(RING, table)
    return data.features.toarray(), data.encoder.feature_names(), data.kinds.tolist()


def test_numbers_stay_and_texts_become_categories():
    table = pd.DataFrame({"age": [20, 45, 31, 7], "job": ["nurse", "cook", None, "cook"], "member": [True, False, True, True]})
    features, names, kinds = read(table)
    assert names == ["age", "job=cook", "job=nurse", "member=False", "member=True"]
    assert features.tolist() == [[20, 0, 1, 0, 1], [45, 1, 0, 1, 0], [31, 0, 0, 0, 1], [7, 1, 0, 0, 1]]
    assert kinds == [4, 2, 2, 2, 2]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 3, 4], dtype="Int64"),
        pd.Series([1, None, 3, 4], dtype="Float32"),
        pd.Series([1, np.nan, 3, 4]),
        pd.Series([1, None, 3, 4], dtype=object),
        pd.Series(pd.arrays.SparseArray([1, np.nan, 3, 4])),
    ],
)
def test_missing_numbers_are_nan(column):
    features, names, kinds = read(pd.DataFrame({"x": column}))
    np.testing.assert_array_equal(features, [[1], [np.nan], [3], [4]])
    assert names == ["x"] and kinds == [4], "the engine decides what numbers are, and whether logarithms stand for them"


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["b", "a", pd.NA, "b"], dtype="string"),
        pd.Series(["b", "a", None, "b"], dtype="category"),
        pd.Series(["b", "a", np.nan, "b"]),
    ],
)
def test_texts_of_any_type_are_categories(column):
    features, names, kinds = read(pd.DataFrame({"x": column}))
    assert names == ["x=a", "x=b"] and kinds == [2, 2]
    assert features.tolist() == [[0, 1], [1, 0], [0, 0], [0, 1]]


def test_numbers_that_are_declared_categories_are_categories():
    assert read(pd.DataFrame({"zip": pd.Series([8001, 8002, 8001, 8001], dtype="category")}))[1:] == (["zip=8001", "zip=8002"], [2, 2])
    assert read(pd.DataFrame({"x": pd.Series([True, None, False, True], dtype="boolean")}))[1] == ["x=False", "x=True"]


def test_a_table_of_numbers_is_its_array():
    X = np.random.default_rng(0).integers(0, 5, (4, 3)) + np.eye(4, 3)
    table = pd.DataFrame(X, columns=["a", 2, "c"])
    y = np.array([0, 1, -1, -1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [HWGCNClassifier(method="gcn", epochs=3).fit(RING, one, y) for one in (X, table)]
    assert (models[0].predict_proba() == models[1].predict_proba()).all()
    assert models[1].feature_names_in_.tolist() == ["a", 2, "c"] and not hasattr(models[0], "feature_names_in_")
    same = hwgcn.learn_weights(RING, table).sum() != hwgcn.learn_weights(RING, X).sum()
    assert same.nnz == 0


@pytest.mark.parametrize(
    "table, message",
    [
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"] * 4)}), "X: column 'when' holds datetime64"),
        (pd.DataFrame({"z": [1j] * 4}), "X: column 'z' holds complex"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "X: expected distinct columns, got several called 'a'"),
        (pd.DataFrame({"a": []}), "X: expected at least one row"),
        (pd.DataFrame({"a": [1, 2, 3]}), "the graph has 4 nodes|leads to node 3"),
        (pd.DataFrame({"a": [1, 2, 3, np.inf]}), "X: node 3: feature 0 is inf"),
    ],
)
def test_wrong_tables_are_named(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        hwgcn.learn_weights(RING, table)


def test_a_column_of_names_is_no_category():
    table = pd.DataFrame({"name": [f"person {k}" for k in range(30)], "age": range(30)})
    with pytest.raises(hwgcn.InputError, match="X: column 'name' has a text of its own in each of 30 rows"):
        hwgcn.learn_weights(np.zeros((2, 0)), table)
    hwgcn.learn_weights(np.zeros((2, 0)), table.set_index("name"))


def wide_table(users=300):
    """Views of 6 to 10^8, of which those with more are partners; edges join users with about as many views."""
    k = np.arange(users)
    exponent = 7.2 * (k * 37 % users) / users
    partner = exponent + 0.35 * (k * 11 % 7 - 3) > 3.6
    edges = np.array([np.concatenate([k, k]), np.concatenate([(k + 73) % users, (k + 146) % users])])
    return edges, pd.DataFrame({"views": np.round(6 * 10**exponent), "days": 20.0 + k * 13 % 57}), np.where(partner, "yes", "no")


def scores(X, **settings):
    edges, _, y = wide_table()
    known = np.full(y.size, None, dtype=object)
    known[:150] = y[:150]
    model = HWGCNClassifier(method="mlp", random_state=0, **settings)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(edges, X, known)
    return (model.predict()[150:] == y[150:]).mean(), [str(one.message) for one in told], model


def test_logarithms_stand_for_numbers_over_powers_of_ten(tmp_path):
    table = wide_table()[1]
    accuracy, told, model = scores(table)
    assert any("'views' goes over three powers of ten" in message for message in told)
    plain, told, _ = scores(table, scale="standard")
    assert not any("powers of ten" in message for message in told)
    assert accuracy > plain + 0.05
    matrix, told, _ = scores(table.to_numpy())
    assert matrix == plain and not any("powers of ten" in message for message in told), "a matrix stays as it is"
    model.save(tmp_path / "model")
    loaded = HWGCNClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(), model.predict_proba())
    new, links = table.iloc[:3], np.empty((2, 0), dtype=int)
    np.testing.assert_array_equal(loaded.predict_new(new, links), model.predict_new(new, links))


def test_the_program_reads_logarithms_of_a_saved_model(tmp_path, program):
    _, _, model = scores(wide_table()[1])
    model.save(tmp_path / "model")
    command = [program, "predict", str(tmp_path / "model")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    shares = np.array([[float(share) for share in line.split(",")[2:4]] for line in lines])
    np.testing.assert_allclose(shares, model.predict_proba(), rtol=1e-6)


def test_columns_that_look_like_ids_are_pointed_out():
    edges, table, _ = wide_table()
    k = np.arange(len(table))
    for name, numbers in (("user_id", k * 7919 % 100003), ("line", k + 5)):
        with pytest.warns(UserWarning, match=f"column '{name}' is a feature, with a whole number of its own in each of 300 rows"):
            graph_data(edges, table.assign(**{name: numbers}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph_data(edges, table.assign(people=k * 7919 % 100003, city_id=k % 7, id=k + 0.5))


NAMED = pd.DataFrame({"size": [1.0, 5.0, 2.0, 7.0] * 5, "kind": ["a", "b"] * 10, "new": [True, False, False, True] * 5})
CIRCLE = np.array([np.arange(20), (np.arange(20) + 1) % 20])


def fitted(table, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HWGCNClassifier(method="gcn", epochs=3, **more).fit(CIRCLE, table, y)


def test_labels_with_another_index_than_the_table_are_refused():
    names = [f"n{k}" for k in range(20)]
    table, y = NAMED.set_index(pd.Index(names)), pd.Series([0, 1] * 10, index=names)
    of_numbers = fitted(table, y.to_numpy())
    assert (fitted(table, y).predict_proba() == of_numbers.predict_proba()).all()
    assert (fitted(table, y.reset_index(drop=True)).predict_proba() == of_numbers.predict_proba()).all(), "no index of its own"
    for wrong in (y[::-1], y.sample(frac=1, random_state=1)):
        with pytest.raises(hwgcn.InputError, match=r"y: row k belongs to row k of X, but its index has another order.*y.loc\[X.index\]"):
            fitted(table, wrong)
        assert (fitted(table, wrong.loc[table.index]).predict_proba() == of_numbers.predict_proba()).all()
    with pytest.raises(hwgcn.InputError, match="y: row k .* its index differs from that of X: pass y.to_numpy"):
        fitted(table, y.set_axis([f"m{k}" for k in range(20)]))
    with pytest.raises(hwgcn.InputError, match="y: row k .* its index differs"):
        fitted(NAMED, y)
    mask = pd.Series([True, True] + [False] * 18, index=names)
    with pytest.raises(hwgcn.InputError, match=r"validation: row k belongs to row k of X.*pass validation.loc\[X.index\]"):
        HWGCNClassifier().fit(CIRCLE, table, y, validation=mask[::-1])


def test_labels_in_another_order_than_the_nodes_are_refused():
    y = pd.Series([0, 1] * 10)
    for X in (NAMED[["size"]].to_numpy(), None, NAMED):
        with pytest.raises(hwgcn.InputError, match="y: row k"):
            fitted(X, y.sample(frac=1, random_state=1))
        fitted(X, y)
    model = fitted(NAMED, y)
    assert model.score(y) == model.score(y.to_numpy())
    with pytest.raises(hwgcn.InputError, match=r"y: row k is taken for node k.*y.sort_index\(\)"):
        model.score(y[::-1])
    with pytest.raises(hwgcn.InputError, match="y: row k belongs to the node k of X"):
        model.score(y.loc[[5, 7, 3]], nodes=[3, 5, 7])
    with pytest.raises(hwgcn.InputError, match="validation: row k"):
        HWGCNClassifier().fit(CIRCLE, NAMED, y, validation=pd.Series([True] + [False] * 19)[::-1])
    weights = pd.Series(np.arange(1.0, 21))
    with pytest.raises(hwgcn.InputError, match="sample_weight: row k"):
        HWGCNClassifier().fit(CIRCLE, NAMED, y, sample_weight=weights[::-1])


def test_the_nodes_of_networkx_are_known_by_their_names():
    nx = pytest.importorskip("networkx")
    graph = nx.relabel_nodes(nx.cycle_graph(20), lambda node: f"n{(7 * node) % 20}")
    y, table = pd.Series([0, 1] * 10, index=list(graph)), NAMED.set_index(pd.Index(list(graph)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HWGCNClassifier(method="gcn", epochs=3).fit(graph, table, y)
        assert model.score(y) == model.score(y.to_numpy())
        for X, labels, message in [
            (table.sort_index(), y.sort_index(), r"X: row k is taken for node k.*X.loc\[list\(A\)\]"),
            (table, y.sort_index(), r"y: row k belongs to row k of X.*y.loc\[X.index\]"),
            (None, y.sort_index(), r"y: row k is taken for node k.*y.loc\[list\(A\)\]"),
        ]:
            with pytest.raises(hwgcn.InputError, match=message):
                HWGCNClassifier(method="gcn", epochs=3).fit(graph, X, labels)
    with pytest.raises(hwgcn.InputError, match=r"y.loc\[list\(A\)\]"):
        model.score(y.sort_index())


def test_a_column_that_gives_the_label_away_is_left_out_as_in_python():
    y = np.array([0, 1] * 60)
    table = pd.DataFrame({"refund": y * 5.0 + np.arange(120) / 100, "size": np.random.default_rng(0).normal(size=120)})
    circle = np.array([np.arange(120), (np.arange(120) + 1) % 120])
    with pytest.warns(UserWarning, match=r"column 'refund' alone tells.*X.drop\(columns=..\) leaves it out"):
        HWGCNClassifier(method="gcn", epochs=3).fit(circle, table, y)


def test_new_nodes_come_in_the_table_that_the_fit_took(tmp_path):
    model = fitted(NAMED, np.array([0, 1] * 10), scale="none")
    assert list(model.feature_names_in_) == ["size", "kind", "new"] and model.n_features_in_ == 3
    assert list(model.encoded_feature_names_) == ["size", "kind=a", "kind=b", "new=False", "new=True"]
    table, edges = pd.DataFrame({"new": [True, False], "kind": ["b", None], "size": [3, 4.5]}), np.array([[20, 21], [3, 20]])
    encoded = np.array([[3, 0, 1, 0, 1], [4.5, 0, 0, 1, 0]])
    expected = model.predict_new(encoded, edges, proba=True)
    model.save(tmp_path / "run")
    for one in (model, HWGCNClassifier.load(tmp_path / "run"), pickle.loads(pickle.dumps(model))):
        assert (one.predict_new(table, edges, proba=True) == expected).all()
        features = pd.DataFrame(encoded, columns=one.encoded_feature_names_)
        assert (one.predict_new(features, edges, proba=True) == expected).all()
        assert list(one.feature_names_in_) == ["size", "kind", "new"] and one.n_features_in_ == 3
    with pytest.raises(hwgcn.InputError, match="X: expected the columns of the fit, got none called 'new'"):
        model.predict_new(table.drop(columns="new"), edges)
    with pytest.raises(hwgcn.InputError, match="X: row k is taken for node k"):
        model.predict_new(table.set_index(pd.Index([21, 20])), edges)
    with pytest.warns(UserWarning, match="column 'kind': 1 rows have categories that the fit did not have, such as 'c'"):
        model.predict_new(table.assign(kind=["c", "a"]), edges)
    with pytest.raises(hwgcn.InputError, match="X: expected an array, as in the fit"):
        fitted(encoded[[0, 1] * 10], np.array([0, 1] * 10)).predict_new(table, edges)
