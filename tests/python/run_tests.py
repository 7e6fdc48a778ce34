"""Runs the tests of python/ with pytest, in the folder of pyproject.toml; 77 where something lacks that they need."""

import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error}; Debian's packages are python3-numpy and python3-pytest")
    sys.exit(77)

sys.exit(pytest.main(["-q", *sys.argv[1:]]))
