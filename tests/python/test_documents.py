"""Runs the Python of the documents and the example."""

import pathlib
import re
import runpy
from types import SimpleNamespace

import networkx
import numpy as np
import pytest

import hwgcn

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["docs/python.md"])
def test_every_block_runs_and_its_assertions_hold(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / document).read_text())
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)  # each goes on where the last one ended


def test_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = networkx.karate_club_graph()
    A, X, y = networkx.to_scipy_sparse_array(graph), networkx.to_numpy_array(graph) + np.eye(34), np.array([0, 0] + [-1] * 30 + [1, 1])
    data = SimpleNamespace(edge_index=np.array(list(graph.to_directed().edges)).T, x=X)
    (block,) = BLOCK.findall((ROOT / "README.md").read_text())
    names = {"hwgcn": hwgcn, "A": A, "X": X, "y": y, "data": data}
    exec(compile(block, "README.md", "exec"), names)
    assert names["W"].shape == (34, 34)
    assert names["data"].edge_weight.shape[0] > 2 * 78


def test_the_example_runs(capsys):
    runpy.run_path(str(ROOT / "examples" / "karate_club.py"), run_name="__main__")
    assert "members right" in capsys.readouterr().out
