"""Fixtures for several test files."""

import os
import pathlib

import numpy as np
import pytest

import dsnn


@pytest.fixture
def program():
    """The program of the same build. Tests that need it are skipped if it is missing."""
    path = os.environ.get("DSNN_PROGRAM")
    if not path or not pathlib.Path(path).exists():
        pytest.skip("DSNN_PROGRAM does not name the program dsnn")
    return path


@pytest.fixture
def communities():
    """A small graph whose labels can be learned."""
    return dsnn.datasets.dsbm(120, 3, alpha_in=0.1, alpha_out=0.1, beta=0.9, seed=2)


@pytest.fixture
def random():
    return np.random.default_rng(7)
