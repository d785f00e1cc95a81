"""Runs the Python of the documents and the example."""

import pathlib
import re
import runpy

import pytest

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


def test_the_example_runs(capsys):
    runpy.run_path(str(ROOT / "examples" / "karate_club.py"), run_name="__main__")
    assert "members right" in capsys.readouterr().out
