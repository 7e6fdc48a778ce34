"""Import of the package: its time, and the message if it fails."""

import os
import subprocess
import sys

import dsnn


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_importing_takes_little_time():
    code = "import time; t = time.perf_counter(); import dsnn; print(time.perf_counter() - t)"
    best = min(float(run(code).stdout) for _ in range(5))
    assert best < 0.1


def test_the_library_takes_little_time():
    """Without the time to import NumPy."""
    code = (
        "import time, numpy; t = time.perf_counter(); import dsnn; dsnn.Graph([(0, 1)]);"
        "print(time.perf_counter() - t)"
    )
    best = min(float(run(code).stdout) for _ in range(5))
    assert best < 0.1


def test_names():
    assert set(dsnn.__all__) <= set(dir(dsnn))
    for name in dsnn.__all__:
        if name != "sklearn":
            getattr(dsnn, name)


def test_a_library_that_is_not_there():
    result = run("import dsnn; dsnn.Graph([(0, 1)])", DSNN_C_LIBRARY="/no/such/library.so")
    assert result.returncode == 1 and "cannot load /no/such/library.so" in result.stderr
