"""Runs the blocks of docs/python.md and the cells of the notebook in order."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOUR = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "examples" / "notebooks" / "first-steps.ipynb"


def test_the_tour(tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    pytest.importorskip("sklearn")
    if not TOUR.exists():
        pytest.skip("there is no docs/python.md beside the tests")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "tour"}
    blocks = re.findall(r"```python\n(.*?)```", TOUR.read_text(), re.S)
    assert len(blocks) > 5
    for i, block in enumerate(blocks):
        exec(compile(block, f"docs/python.md, block {i + 1}", "exec"), names)
    assert (tmp_path / "run" / "report.html").exists()


def test_the_notebook(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    if not NOTEBOOK.exists():
        pytest.skip("there is no notebook beside the tests")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
    for i, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"first-steps.ipynb, cell {i + 1}", "exec"), names)
    runs = names["runs"]
    assert runs["diag-dsnn"].test_accuracy > runs["diag-nsd"].test_accuracy + 20
