"""What doctests take for granted."""

import pytest

import dsnn


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["dsnn"] = dsnn
