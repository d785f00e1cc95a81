"""In the tools of scikit-learn: the graph is given to the constructor, and the rows of X say which node they belong to."""

import copy
import warnings

import hwgcn
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hwgcn import HWGCNClassifier, InputError
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

pytestmark = pytest.mark.filterwarnings("ignore:.*few training nodes have the class", "ignore:.*are too similar")


def classifier(source, /, **params):
    return HWGCNClassifier(**{"method": "gcn", "epochs": 30, "graph": source.A, "features": source.X, **params})


def test_cross_validation_is_training_without_the_fold(graph):
    nodes = np.arange(300)
    folds = [(nodes[nodes % 3 != k], nodes[nodes % 3 == k]) for k in range(3)]
    scores = cross_val_score(classifier(graph), nodes, graph.y, cv=folds)
    for (train, test), score in zip(folds, scores):
        y = np.full(300, -1)
        y[train] = graph.y[train]
        by_hand = classifier(graph).fit(train, graph.y[train])
        assert by_hand.split_["test"].size == 0 and by_hand.split_["train"].size + by_hand.split_["validation"].size == 200
        plain = HWGCNClassifier(method="gcn", epochs=30).fit(graph.A, graph.X, y, validation=by_hand.split_["validation"])
        assert (plain.predict_proba() == by_hand.predict_proba()).all(), "the same training, to the bit"
        assert score == by_hand.score(test, graph.y[test]) == (by_hand.predict(test) == graph.y[test]).mean()
    assert scores.mean() > 0.4


def test_nodes_may_be_given_in_several_ways(graph):
    nodes, y = np.arange(0, 300, 3), graph.y[::3]
    expected = classifier(graph).fit(nodes, y).predict_proba()
    mask = np.zeros(300, bool)
    mask[nodes] = True
    for rows in (nodes.tolist(), nodes[:, None], nodes.astype(float), pd.Series(nodes), pd.DataFrame({"node": nodes}), mask):
        model = classifier(graph).fit(rows, y)
        assert (model.predict_proba() == expected).all()
        assert (model.predict_proba(rows) == expected[nodes]).all()
    assert (classifier(graph).fit(X=nodes, y=y).predict_proba() == expected).all()
    assert (classifier(graph).fit(nodes, y=y).predict_proba() == expected).all()
    shuffled = np.random.default_rng(0).permutation(nodes.size)
    assert (classifier(graph).fit(nodes[shuffled], y[shuffled]).predict_proba() == expected).all()


@pytest.mark.parametrize("kind", ["csr", "dense", "edge_index", "networkx"])
def test_any_graph_survives_cloning(graph, kind):
    half = sp.triu(graph.A).tocoo()
    A = {
        "csr": graph.A,
        "dense": graph.A.toarray(),
        "edge_index": np.stack([half.row, half.col]),
        "networkx": nx.from_scipy_sparse_array(graph.A, edge_attribute="value"),
    }[kind]
    model = classifier(graph, graph=A)
    assert model.get_params()["graph"] is A and model.get_params()["features"] is graph.X
    twin = clone(model)
    assert twin.graph is not A and twin.get_params().keys() == model.get_params().keys()
    nodes = np.arange(0, 300, 3)
    assert (twin.fit(nodes, graph.y[nodes]).predict_proba() == classifier(graph).fit(nodes, graph.y[nodes]).predict_proba()).all()


def test_a_grid_may_search_parameters_and_settings(graph):
    nodes = np.arange(150)
    grid = {"epochs": [1, 60], "hidden": [16], "method": ["gcn", "sgc"]}
    with pytest.raises(ValueError, match="hidden"):
        GridSearchCV(classifier(graph), grid, cv=2, error_score="raise").fit(nodes, graph.y[:150])
    del grid["hidden"]
    search = GridSearchCV(classifier(graph), grid, cv=3, n_jobs=1).fit(nodes, graph.y[:150])
    assert search.best_params_["epochs"] == 60 and search.best_score_ > 0.4
    assert search.best_estimator_.settings == {"epochs": 60}
    assert search.predict(np.arange(150, 300)).shape == (150,)
    assert search.score(np.arange(150, 300), graph.y[150:]) > 0.4
    parallel = GridSearchCV(classifier(graph, n_jobs=1), grid, cv=3, n_jobs=2).fit(nodes, graph.y[:150])
    assert (parallel.cv_results_["mean_test_score"] == search.cv_results_["mean_test_score"]).all()


def test_other_tools_take_it_too(graph):
    nodes, y = np.arange(150), graph.y[:150]
    found = cross_validate(classifier(graph), nodes, y, cv=3, scoring={"f1": make_scorer(f1_score, average="macro")}, return_estimator=True)
    assert found["test_f1"].mean() > 0.3 and len(found["estimator"]) == 3
    probabilities = cross_val_predict(classifier(graph), nodes, y, cv=3, method="predict_proba")
    assert probabilities.shape == (150, 5) and np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    search = RandomizedSearchCV(classifier(graph), {"rate": [0.01, 0.02]}, n_iter=2, cv=2, random_state=0).fit(nodes, y)
    assert search.best_params_["rate"] in (0.01, 0.02)
    assert CalibratedClassifierCV(classifier(graph), cv=2).fit(nodes[:, None], y).predict(nodes[:5, None]).shape == (5,)
    bagging = BaggingClassifier(classifier(graph, epochs=100), n_estimators=2, random_state=0).fit(nodes[:, None], y)
    assert bagging.score(nodes[:, None], y) > 0.4


def table_of(graph):
    return pd.DataFrame(graph.X.toarray(), columns=[f"word {k}" for k in range(60)])


def pipeline(graph, **params):
    model = HWGCNClassifier(method="gcn", graph=graph.A, epochs=60, **params)
    return Pipeline([("scale", MinMaxScaler()), ("model", model)]).set_output(transform="pandas")


def test_a_pipeline_hands_tables_over_whose_index_is_the_node(graph):
    table = table_of(graph)
    pipe = pipeline(graph, scale="rows")
    assert cross_val_score(pipe, table, graph.y, cv=3).mean() > 0.4
    search = GridSearchCV(pipe, {"model__epochs": [1, 60]}, cv=3).fit(table, graph.y)
    assert search.best_params_ == {"model__epochs": 60}
    whole = pipeline(graph, scale="rows").fit(table, graph.y)
    scaled = MinMaxScaler().fit_transform(table)
    nodes = classifier(graph, features=scaled, epochs=60, scale="rows").fit(np.arange(300), graph.y)
    assert (whole.predict_proba(table) == nodes.predict_proba()).all(), "all rows at once are all features"
    shuffled = table.sample(frac=1, random_state=1)
    assert (whole.predict_proba(shuffled) == nodes.predict_proba(shuffled.index)).all()
    assert list(whole["model"].feature_names_in_) == list(table.columns)


def test_rows_that_the_fit_did_not_have_bring_their_features(graph):
    table, train = table_of(graph), np.arange(300) % 3 != 0
    model = HWGCNClassifier(method="mlp", graph=graph.A, epochs=60, scale="rows").fit(table[train], graph.y[train])
    # An MLP looks at a node's own features only.
    later = model.predict_proba(table[~train])
    assert abs(later - model.predict_proba()[~train]).max() > 0.1, "without features all would be alike"
    assert (model.predict_proba(table[~train].iloc[:1]) == later[:1]).all()
    assert (model.predict_proba(table[train]) == model.predict_proba()[train]).all()
    assert model.score(table[~train], graph.y[~train]) > 0.3
    with pytest.raises(InputError, match="expected a pandas table as in the fit"):
        model.predict(np.arange(3))


@pytest.mark.parametrize(
    "rows, message",
    [
        (np.ones((100, 60)), "X: expected node numbers, or a pandas table without features=.*set_output"),
        (np.full(100, 300), "X: node 300 is outside of 0..299"),
        (np.full(100, -1), "X: node -1 is outside of 0..299"),
        (np.full(100, 1.5), "X: expected whole numbers, got 1.5"),
        (pd.DataFrame(np.ones((100, 60))), "X: expected node numbers"),
        (np.arange(99), "y: expected a label per row .99."),
    ],
)
def test_rows_without_a_node_are_refused(graph, rows, message):
    with pytest.raises((ValueError, TypeError), match=message):
        classifier(graph).fit(rows, graph.y[:100])


def test_tables_without_a_node_are_refused(graph):
    table, model = table_of(graph), HWGCNClassifier(method="gcn", graph=graph.A, epochs=5)
    for change, message in [
        (table.set_index(pd.Index(["a"] * 300)), "X's index: expected whole numbers"),
        (table.set_index(pd.Index([1] * 300)), "X's index: node 1 has several rows"),
        (table.set_index(pd.Index(range(1, 301))), "X: node 300 is outside of 0..299"),
        (table.set_index(pd.Index(range(-1, 299))), "X's index: expected node numbers, got -1"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(change, graph.y)
    with pytest.raises(InputError, match="expected node numbers, or a pandas table .*set_output"):
        model.fit(table.to_numpy(), graph.y)
    with pytest.raises(InputError, match="scale: 'standard' needs the features of all nodes; scale them in the Pipeline"):
        HWGCNClassifier(graph=graph.A, scale="standard").fit(table, graph.y)
    fitted = model.set_params(scale="rows").fit(table, graph.y)
    with pytest.raises(InputError, match="expected the columns of the fit, got none called 'word 3'"):
        fitted.predict(table.drop(columns="word 3"))
    with pytest.raises(InputError, match="got 'more' in addition"):
        fitted.predict(table.assign(more=1))
    assert (fitted.predict(table[table.columns[::-1]]) == fitted.predict()).all(), "columns may be in another order"


def test_each_form_says_what_it_expects(graph):
    with pytest.raises(InputError, match=r"fit: expected fit\(nodes, y\), because the constructor was given a graph"):
        classifier(graph).fit(graph.A, graph.X, graph.y)
    with pytest.raises(InputError, match=r"fit: expected fit\(A, X, y\); or HWGCNClassifier\(graph=A"):
        HWGCNClassifier().fit(np.arange(3), [0, 1, 0])
    with pytest.raises(InputError, match="features: expected None without graph="):
        HWGCNClassifier(features=graph.X).fit(graph.A, graph.X, graph.y)
    fitted = classifier(graph).fit(np.arange(300), graph.y)
    with pytest.raises(InputError, match=r"score: expected score\(nodes, y\)"):
        fitted.score(graph.y)
    with pytest.raises(InputError, match="y: expected a label per row .2., got 3"):
        fitted.score([1, 2], [0, 1, 2])


def test_a_node_may_have_several_rows_of_one_label(graph):
    nodes, y = np.arange(0, 300, 3), graph.y[::3]
    twice = classifier(graph).fit(np.concatenate([nodes, nodes[:50]]), np.concatenate([y, y[:50]]))
    weighted = classifier(graph).fit(nodes, y, sample_weight=np.where(np.arange(100) < 50, 2.0, 1.0))
    assert (twice.predict_proba() == weighted.predict_proba()).all()
    with pytest.raises(InputError, match="X: node 0 has rows with different labels"):
        classifier(graph).fit(np.append(nodes, 0), np.append(y, (y[0] + 1) % 5))


def test_it_is_a_classifier_that_knows_whether_it_is_fitted(graph):
    model = classifier(graph)
    assert is_classifier(model)
    with pytest.raises(Exception, match="not fitted yet"):
        check_is_fitted(model)
    check_is_fitted(model.fit(np.arange(300), graph.y))
    assert not hasattr(clone(model), "classes_")
    assert "graph=<csr_matrix of shape (300, 300)>" in repr(model) and len(repr(model)) < 400


def test_settings_are_parameters():
    model = HWGCNClassifier(method="gcn", epochs=7, settings={"hidden": 8})
    assert model.settings == {"hidden": 8, "epochs": 7}
    given = {"hidden": 8}
    model = HWGCNClassifier(settings=given)
    assert model.settings is given and clone(model).settings == given
    assert model.set_params(epochs=50).settings == {"hidden": 8, "epochs": 50} and given == {"hidden": 8}
    with pytest.raises(TypeError, match="unknown parameter 'epoch'; did you mean 'epochs'"):
        HWGCNClassifier(epoch=3)
    with pytest.raises(ValueError, match="unknown parameter 'hiden'; did you mean 'hidden'"):
        model.set_params(hiden=3)
    with pytest.raises(ValueError, match="unknown parameter 'zzzzzzzz'; expected one of"):
        model.set_params(zzzzzzzz=3, epochs=9)
    assert model.settings["epochs"] == 50, "nothing is set where one is unknown"


def test_weights_of_samples_and_classes(graph):
    nodes = np.arange(300)
    plain = classifier(graph).fit(nodes, graph.y)
    same = classifier(graph).fit(nodes, graph.y, sample_weight=np.full(300, 2.5))
    assert (same.predict_proba() == plain.predict_proba()).all()
    heavy = classifier(graph, class_weight={2: 50.0}).fit(nodes, graph.y)
    assert (heavy.predict() == 2).sum() > (plain.predict() == 2).sum()
    by_sample = classifier(graph).fit(nodes, graph.y, sample_weight=np.where(graph.y == 2, 50.0, 1.0))
    assert by_sample.predict_proba()[:, 2].mean() > heavy.predict_proba()[:, 2].mean(), "classes are divided out"
    assert (by_sample.predict() == heavy.predict()).mean() > 0.9
    half = np.arange(300) % 2 == 0
    dropped = classifier(graph).fit(nodes, graph.y, sample_weight=half.astype(float))
    alone = classifier(graph).fit(nodes[half], graph.y[half])
    assert (dropped.predict_proba() == alone.predict_proba()).all(), "a weight of 0 is no label"
    weights = np.where(graph.y == 2, 1.5, 1.0)
    scores = cross_val_score(classifier(graph, epochs=60), nodes, graph.y, cv=3, fit_params={"sample_weight": weights})
    assert scores.mean() > 0.3


def test_balanced_weights_are_those_of_scikit_learn(graph):
    from sklearn.utils.class_weight import compute_class_weight

    nodes = np.concatenate([np.flatnonzero(graph.y == 0)[:30], np.flatnonzero(graph.y == 1)[:6]])
    y = graph.y[nodes]
    balanced = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)
    found = classifier(graph, class_weight="balanced").fit(nodes, y).predict_proba()
    by_hand = classifier(graph, class_weight=dict(enumerate(balanced))).fit(nodes, y).predict_proba()
    assert (found == by_hand).all()
    texts = np.array(["a", "b"])[y]
    named = classifier(graph, class_weight={"a": balanced[0], "b": balanced[1]}).fit(nodes, texts)
    assert (named.predict_proba() == found).all()
    assert (found != classifier(graph).fit(nodes, y).predict_proba()).any()
    whole = np.full(300, -1)
    whole[nodes] = y
    A_form = HWGCNClassifier(method="gcn", epochs=30, class_weight="balanced").fit(graph.A, graph.X, whole)
    assert (A_form.predict_proba() == found).all()


@pytest.mark.parametrize(
    "params, weights, message",
    [
        ({"class_weight": {9: 2}}, None, "class_weight: 9 is no class of y"),
        ({"class_weight": {0: -1}}, None, "class_weight: expected a finite number of at least 0 for 0, got -1"),
        ({"class_weight": "balance"}, None, "class_weight: expected None, 'balanced' or a dictionary"),
        ({}, np.full(300, -1.0), "sample_weight: expected finite numbers of at least 0, got -1"),
        ({}, np.full(300, np.nan), "sample_weight: expected finite numbers of at least 0, got nan"),
        ({}, np.ones(299), "sample_weight: expected 300 numbers, one per label"),
        ({}, np.zeros(300), "no node has a label to learn from"),
        ({"method": "lp", "settings": None}, np.arange(300.0), "Label propagation cannot weigh labels|LP cannot weigh labels"),
    ],
)
def test_wrong_weights_are_named(graph, params, weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model = HWGCNClassifier(**{"method": "gcn", "graph": graph.A, "features": graph.X, **params})
        model.fit(np.arange(300), graph.y, sample_weight=weights)


def test_auto_says_that_it_leaves_out_what_cannot_weigh(graph):
    with pytest.warns(UserWarning, match="auto does not try LP, which cannot weigh labels"):
        model = classifier(graph, method="auto").fit(np.arange(300), graph.y, sample_weight=np.arange(1.0, 301))
    assert "lp" not in [candidate["method"] for candidate in model.choice_["candidates"]]


def test_a_score_may_be_weighted(graph):
    model = classifier(graph).fit(np.arange(300), graph.y)
    right = model.predict() == graph.y
    assert 0 < right.mean() < 1
    assert model.score(np.arange(300), graph.y, sample_weight=right.astype(float)) == 1
    assert model.score(np.arange(300), graph.y, 1 + right) == pytest.approx(np.average(right, weights=1 + right))


def test_without_features_there_is_the_graph(graph):
    y = graph.labels(20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_graph = HWGCNClassifier(method="lp").fit(graph.A, None, y)
        assert (by_graph.predict_proba() == HWGCNClassifier(method="lp").fit(graph.A, np.zeros((300, 0)), y).predict_proba()).all()
        edges = np.stack(sp.triu(graph.A).nonzero())
        assert (HWGCNClassifier(method="lp").fit(edges, None, y).predict_proba() == by_graph.predict_proba()).all()
        nodes = np.flatnonzero(y >= 0)
        rows = HWGCNClassifier(method="lp", graph=graph.A).fit(nodes, y[nodes])
        assert (rows.predict_proba() == by_graph.predict_proba()).all() and rows.n_features_in_ == 0
    with pytest.warns(UserWarning, match="no features: degrees"):
        structural = HWGCNClassifier(method="gcn", epochs=5).fit(graph.A, None, y)
    assert structural.predict().shape == (300,)
    with pytest.raises(InputError, match="weights are learned from them; got None"):
        hwgcn.learn_weights(graph.A, None)


def test_newer_versions_of_scikit_learn_get_their_tags(monkeypatch):
    import sklearn.utils
    from types import SimpleNamespace

    for name in ("ClassifierTags", "TargetTags", "Tags"):
        if not hasattr(sklearn.utils, name):
            monkeypatch.setattr(sklearn.utils, name, lambda **given: SimpleNamespace(**given), raising=False)
    tags = HWGCNClassifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier" and tags.target_tags.required and tags.classifier_tags is not None


def test_a_fitted_model_copies_deeply(graph):
    model = classifier(graph).fit(np.arange(300), graph.y)
    twin = copy.deepcopy(model)
    model.fit(np.arange(10), graph.y[:10])
    assert (twin.predict_proba() == classifier(graph).fit(np.arange(300), graph.y).predict_proba()).all()


def test_a_threshold_decides_between_two_classes(graph):
    nodes = np.flatnonzero(graph.y < 2)
    y = np.where(graph.y[nodes] == 1, "yes", "no")
    plain = classifier(graph).fit(nodes, y)
    assert plain.decision_ == {}
    eager = classifier(graph, threshold=0.01).fit(nodes, y)
    assert (eager.predict_proba() == plain.predict_proba()).all(), "only the decision changes"
    rarer = eager.classes_[eager.decision_["positive"]]
    assert (eager.predict() == rarer).sum() > (plain.predict() == rarer).sum()
    assert ((eager.predict() == rarer) == (eager.predict_proba()[:, eager.decision_["positive"]] >= 0.01)).all()


def test_a_decision_is_saved(graph, tmp_path):
    nodes = np.concatenate([np.flatnonzero(graph.y == 0), np.flatnonzero(graph.y == 1)[::3]])
    for given in ({"threshold": 0.2}, {"class_weight": "balanced"}):
        model = classifier(graph, **given).fit(nodes, graph.y[nodes])
        folder = tmp_path / next(iter(given))
        model.save(folder)
        again = HWGCNClassifier.load(folder)
        assert again.decision_ == model.decision_ != {}
        assert (again.predict() == model.predict()).all()
        assert again.get_params()["threshold"] == given.get("threshold")


@pytest.mark.parametrize("threshold", [0, 1, -0.5, float("nan"), "f2", True, [0.5]])
def test_wrong_thresholds_are_named(graph, threshold):
    nodes = np.flatnonzero(graph.y < 2)
    with pytest.raises((ValueError, TypeError), match="threshold: expected None, 'f1', 'balanced' or a number"):
        classifier(graph, threshold=threshold).fit(nodes, graph.y[nodes])


def test_thresholds_name_what_they_lack(graph):
    with pytest.raises(ValueError, match="decides between two classes, and there are"):
        classifier(graph, threshold=0.3).fit(np.arange(300), graph.y)
    nodes = np.flatnonzero(graph.y < 2)
    with pytest.raises(ValueError, match="is fitted to validation nodes, and the split given has none"):
        classifier(graph, threshold="f1").fit(nodes, graph.y[nodes], validation=[])


def test_labels_of_other_rows_are_refused(graph):
    nodes, y = np.arange(0, 300, 2), pd.Series(graph.y, index=range(300)).iloc[::2]
    expected = classifier(graph).fit(nodes, y.to_numpy()).predict_proba()
    assert (classifier(graph).fit(nodes, y).predict_proba() == expected).all()
    assert (classifier(graph).fit(nodes, y.reset_index(drop=True)).predict_proba() == expected).all()
    fitted = classifier(graph).fit(nodes, y)
    for wrong in (lambda: classifier(graph).fit(nodes, y[::-1]), lambda: fitted.score(nodes, y[::-1])):
        with pytest.raises(InputError, match=r"y: row k belongs to the node k of X.*y.loc\[X\]"):
            wrong()
    table = table_of(graph).iloc[::2]
    pipe = HWGCNClassifier(method="gcn", graph=graph.A, epochs=3).fit(table, y)
    for wrong in (lambda: pipe.fit(table, y[::-1]), lambda: pipe.score(table, y[::-1])):
        with pytest.raises(InputError, match=r"y: row k belongs to row k of X.*y.loc\[X.index\]"):
            wrong()
