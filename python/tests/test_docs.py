"""The blocks of docs/python.md, run one after the other."""

import pathlib
import re

import pytest

TOUR = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


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
