"""Permutation importances from Python."""

import json
import subprocess

import numpy as np
import pytest
from hwgcn import HWGCNClassifier, InputError

pd = pytest.importorskip("pandas")

NODES = 120
RING = np.array([np.arange(NODES), (np.arange(NODES) + 1) % NODES])
Y = np.arange(NODES) % 2
SETTINGS = {"epochs": 60, "input_dropout": 0, "hidden_dropout": 0}


def table():
    """Age tells the classes apart; the city of a node says nothing."""
    rng = np.random.default_rng(1)
    age = 40.0 + 10 * Y + rng.normal(size=NODES)
    age[5] = np.nan
    return pd.DataFrame({"city": rng.choice(["Rome", "Oslo", "Bonn"], NODES), "age": age})


@pytest.fixture(scope="module")
def model():
    held_out = np.arange(0, NODES, 3)
    return HWGCNClassifier(method="mlp", settings=SETTINGS, random_state=1).fit(RING, table(), Y, validation=held_out)


def test_columns_of_a_table_are_permuted_as_a_whole(model):
    found = model.feature_importances()
    assert list(found["feature_names"]) == ["age", "city"]  # neither the categories nor the mark of a gap
    assert found["importances"].shape == (2, 5)
    np.testing.assert_allclose(found["importances_mean"], found["importances"].mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(found["importances_std"], found["importances"].std(axis=1, ddof=1), atol=1e-12)
    assert found["importances_mean"][0] > .25 > .1 > abs(found["importances_mean"][1])
    assert (found["on"], found["nodes"], found["metric"]) == ("validation", 40, "accuracy")
    assert found["score"] == pytest.approx(model.score(Y, np.arange(0, NODES, 3)))


def test_columns_are_told_apart_whatever_their_names(tmp_path):
    named = table().assign(other=table()["city"]).rename(columns={"city": "a=b", "other": "a=c"})
    held_out = np.arange(0, NODES, 3)
    model = HWGCNClassifier(method="mlp", settings=SETTINGS, random_state=1).fit(RING, named, Y, validation=held_out)
    assert sorted(model.feature_importances()["feature_names"]) == ["a=b", "a=c", "age"]
    model.save(tmp_path / "run")
    twin = HWGCNClassifier.load(tmp_path / "run")
    assert sorted(twin.feature_importances()["feature_names"]) == ["a=b", "a=c", "age"]


def test_a_seed_decides_and_threads_do_not(model):
    first = model.feature_importances(random_state=3)["importances"]
    assert (first == model.feature_importances(random_state=3)["importances"]).all()
    assert (first != model.feature_importances(random_state=4)["importances"]).any()
    model.n_jobs = 2
    assert (first == model.feature_importances(random_state=3)["importances"]).all()


def test_they_are_those_of_the_command_line(graph, program, tmp_path):
    model = HWGCNClassifier(method="gcn", epochs=10, random_state=0).fit(graph.A, graph.X, graph.y)
    model.save(tmp_path / "run")
    command = [program, "explain", str(tmp_path / "run"), "--importances", "--columns", "7", "--repeats", "3"]
    told = subprocess.run([*command, "--seed", "5", "--json", "-"], check=True, capture_output=True).stdout
    columns = json.loads(told)["feature_importances"]["columns"]
    with pytest.warns(UserWarning, match="Of 60 columns the 7 that the model weighs most were permuted"):
        found = model.feature_importances(n_repeats=3, columns=7, random_state=5)
    assert found["on"] == "test"
    assert list(found["feature_names"]) == [column["name"] for column in columns]
    np.testing.assert_allclose(found["importances"], [np.array(column["drops"]) / 100 for column in columns])


def test_what_cannot_be_measured_says_why(graph):
    with pytest.raises(InputError, match="LP does not look at features"):
        HWGCNClassifier(method="lp").fit(graph.A, graph.X, graph.y).feature_importances()
    with pytest.raises(InputError, match="All labels were trained on"):
        HWGCNClassifier(method="gcn", epochs=2).fit(graph.A, graph.X, graph.y, validation=[]).feature_importances()
    with pytest.raises(InputError, match="n_repeats: expected a whole number in 1..1000, got 0"):
        HWGCNClassifier(method="gcn", epochs=2).fit(graph.A, graph.X, graph.y).feature_importances(0)
