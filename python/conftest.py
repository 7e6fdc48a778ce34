"""Names that doctests use without importing them."""

import importlib.util

import pytest

import dsnn

_HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore = [] if _HAS_TORCH else ["dsnn/torch", "tests/torch_cases.py"]


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["dsnn"] = dsnn
    if _HAS_TORCH:
        import torch

        doctest_namespace["torch"] = torch
