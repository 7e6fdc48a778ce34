"""What doctests take for granted."""

import dsnn
import pytest


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["dsnn"] = dsnn
