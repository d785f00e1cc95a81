"""Explanations, folders and pickles of fitted classifiers."""

import json
import os
import pickle
import subprocess

import joblib
import numpy as np
import pandas as pd
import pytest
from hwgcn import HWGCNClassifier, InputError, NotFittedError

QUICK = {"epochs": 30}


@pytest.fixture(scope="module")
def model(graph):
    return HWGCNClassifier(method="hwgcn", order=2, settings=QUICK).fit(graph.A, graph.X, graph.labels(10))


@pytest.fixture()
def folder(model, tmp_path):
    model.save(tmp_path / "run")
    return tmp_path / "run"


def test_an_explanation_adds_up_to_the_margin(graph, model):
    for node in (0, 17, np.int64(299)):
        told = model.explain(node, top=300)
        assert told["node"] == node and told["predicted"] == model.predict([node])[0]
        assert sum(n["contribution"] for n in told["neighbors"]) + told["offset"] == pytest.approx(told["margin"], abs=1e-5)
        assert sum(abs(n["share"]) for n in told["neighbors"]) == pytest.approx(100)
        for label, share in told["probabilities"].items():
            assert share == pytest.approx(model.predict_proba([node])[0, label], abs=1e-5)
        for neighbor in told["neighbors"]:
            assert neighbor["path"][0] == node and neighbor["path"][-1] == neighbor["id"]
            assert len(neighbor["path"]) == neighbor["order"] + 1
            known = graph.labels(10)[neighbor["id"]]
            assert neighbor["label"] == (None if known < 0 else known)
    assert len(model.explain(0)["neighbors"]) == 10 < model.explain(0)["neighbors_in_all"]


def test_an_explanation_has_the_keys_of_the_command_line(graph, model, folder, program):
    command = [program, "explain", str(folder), "--node", "17", "--no-cache", "--json", "-"]
    expected = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["explanations"][0]
    told = model.explain(17)
    assert list(told) == list(expected)
    assert told["margin"] == expected["margin"] and told["by_distance"] == expected["by_distance"]
    assert [str(n["id"]) for n in told["neighbors"]] == [n["id"] for n in expected["neighbors"]]
    assert [n["share"] for n in told["neighbors"]] == [n["share"] for n in expected["neighbors"]]


def test_classes_of_any_kind_are_explained(graph):
    names = np.array(["a", "b", "c", "d", "e"])
    y = np.array(["" if label < 0 else names[label] for label in graph.labels(10)])
    told = HWGCNClassifier(method="gcn", settings=QUICK).fit(graph.A, graph.X, y).explain(5)
    assert told["predicted"] in names and set(told["probabilities"]) == set(names)
    assert told["kind"] == "exact" and told["features"][0]["contribution"] != 0
    told = HWGCNClassifier(method="gat", epochs=2).fit(graph.A, graph.X, y).explain(5, top=300)
    assert told["kind"] == "gradient" and told["neighbors"][0]["weight"] is None
    parts = sum(neighbor["contribution"] for neighbor in told["neighbors"])
    assert parts + told["rest"] == pytest.approx(told["margin"])
    with pytest.raises(InputError, match="LP has no explanation: it is no network"):
        HWGCNClassifier(method="lp").fit(graph.A, graph.X, y).explain(5)
    with pytest.raises(InputError, match="node: expected a node in 0..299, got 300"):
        HWGCNClassifier(method="gcn", epochs=2).fit(graph.A, graph.X, y).explain(300)


@pytest.mark.parametrize("params", [{"method": "hwgcn", "order": 2}, {"method": "auto"}, {"method": "lp", "settings": None}])
@pytest.mark.parametrize("labels", ["numbers", "texts", "objects", "truth values"])
def test_what_is_saved_is_loaded(graph, tmp_path, params, labels):
    y = graph.labels(10)
    kinds = {
        "numbers": y,
        "texts": np.array(["" if label < 0 else f"class {label}" for label in y]),
        "objects": np.array([None if label < 0 else f"class {label}" for label in y], dtype=object),
        "truth values": np.array([None if label < 0 else bool(label % 2) for label in y], dtype=object),
    }
    before = HWGCNClassifier(**{"settings": QUICK, **params}).fit(graph.A, graph.X, kinds[labels])
    before.save(tmp_path / "run")
    after = HWGCNClassifier.load(tmp_path / "run")
    assert (after.predict_proba() == before.predict_proba()).all()
    assert (after.predict([3, 4]) == before.predict([3, 4])).all()
    assert after.classes_.tolist() == before.classes_.tolist() and after.classes_.dtype == before.classes_.dtype
    for name in ("method_", "order_", "choice_", "temperature_", "metrics_", "seed_", "n_features_in_"):
        assert getattr(after, name) == getattr(before, name), name
    assert all((after.split_[part] == before.split_[part]).all() for part in before.split_)
    assert after.method == before.method and after.settings == before.settings
    again = after.fit(graph.A, graph.X, kinds[labels])
    assert (again.predict_proba() == before.predict_proba()).all()


def test_a_loaded_model_explains_and_is_saved_again(model, folder, tmp_path):
    loaded = HWGCNClassifier.load(folder)
    assert loaded.explain(17) == model.explain(17)
    loaded.save(tmp_path / "twin")
    for name in sorted(os.listdir(folder)):
        first, second = (folder / name).read_bytes(), (tmp_path / "twin" / name).read_bytes()
        if name == "run.json":  # which names its own data
            second = second.replace(b"twin", b"run")
            first, second = (b"\n".join(text.split(b"\n")[2:]) for text in (first, second))
        if name != "python.npz":
            assert first == second, name


def test_the_command_line_reads_what_python_saved(graph, model, folder, program, tmp_path):
    out = tmp_path / "again.csv"
    subprocess.run([program, "predict", str(folder), "--out", str(out), "--no-cache"], check=True, capture_output=True)
    assert out.read_bytes() == (folder / "predictions.csv").read_bytes()
    page = tmp_path / "report.html"
    subprocess.run([program, "report", str(folder), "--out", str(page), "--no-cache"], check=True, capture_output=True)
    assert page.stat().st_size > 10000
    moved = folder.rename(tmp_path / "elsewhere")
    command = [program, "predict", str(moved), str(moved / "data.npz"), "--out", str(out), "--no-cache"]
    subprocess.run(command, check=True, capture_output=True)
    assert (HWGCNClassifier.load(moved).predict_proba() == model.predict_proba()).all(), "a folder may be moved"


@pytest.mark.parametrize("name", ["run.json", "model.npz", "split.json", "history.csv", "data.npz", "python.npz"])
def test_a_changed_file_is_refused(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}.*(changed after the run|damaged|JSON)"):
        HWGCNClassifier.load(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=name):
        HWGCNClassifier.load(folder)


def test_folders_are_not_overwritten_unasked(model, folder, tmp_path):
    with pytest.raises(InputError, match="is not empty; overwrite=True replaces the run"):
        model.save(folder)
    model.save(folder, overwrite=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("...")
    with pytest.raises(InputError, match="is not empty, and it holds no run"):
        model.save(tmp_path / "mine", overwrite=True)
    assert os.listdir(tmp_path / "mine") == ["thesis.tex"]
    with pytest.raises(InputError, match="expected a folder, got the file"):
        model.save(str(tmp_path / "mine" / "thesis.tex"))
    for wrong in (None, 3, "", "a\0b"):
        with pytest.raises((ValueError, TypeError), match="path: expected the path of a folder"):
            model.save(wrong)
        with pytest.raises((ValueError, TypeError), match="path: expected the path of a folder"):
            HWGCNClassifier.load(wrong)
    with pytest.raises(InputError, match="no such folder, expected a run"):
        HWGCNClassifier.load(tmp_path / "nowhere")
    with pytest.raises(NotFittedError):
        HWGCNClassifier().save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_run_of_the_command_line_is_no_classifier(graph, program, tmp_path):
    command = [program, "train", graph.path, "--method", "gcn", "--epochs", "5", "--no-cache", "--no-baselines"]
    subprocess.run([*command, "--out", str(tmp_path / "run")], check=True, capture_output=True)
    with pytest.raises(InputError, match="has no python.npz"):
        HWGCNClassifier.load(tmp_path / "run")


@pytest.mark.parametrize("tool", ["pickle", "joblib"])
def test_pickles_hold_the_whole_model(graph, model, tmp_path, tool):
    if tool == "pickle":
        twin = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        twin = joblib.load(tmp_path / "model.joblib")
    assert (twin.predict_proba() == model.predict_proba()).all()
    assert twin.explain(17) == model.explain(17)
    assert twin.get_params() == model.get_params()
    empty = pickle.loads(pickle.dumps(HWGCNClassifier(method="lp")))
    assert empty.method == "lp" and not hasattr(empty, "classes_")
    with pytest.raises(NotFittedError):
        empty.predict()


def test_models_of_tables_are_saved_with_their_columns(graph, tmp_path):
    table = pd.DataFrame({"size": np.arange(300) % 7, "kind": np.where(graph.y == 0, "old", "new")})
    train = np.arange(300) % 2 == 0
    model = HWGCNClassifier(method="gcn", graph=graph.A, epochs=20, scale="rows").fit(table[train], graph.y[train])
    model.save(tmp_path / "run")
    for twin in (HWGCNClassifier.load(tmp_path / "run"), pickle.loads(pickle.dumps(model))):
        assert (twin.predict_proba(table) == model.predict_proba(table)).all()
        assert list(twin.feature_names_in_) == ["size", "kind"]
        assert list(twin.encoded_feature_names_) == ["size", "kind=new", "kind=old"]
    with pytest.warns(UserWarning, match="column 'kind': 1 rows have categories that the fit did not have, such as 'odd'"):
        model.predict(pd.DataFrame({"kind": ["odd"], "size": [3]}, index=[4]))
