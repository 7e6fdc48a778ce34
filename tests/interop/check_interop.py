#!/usr/bin/env python3
"""The program dsnn against NumPy and SciPy: check_interop.py PROGRAM [unittest options].

What NumPy writes, dsnn reads; what dsnn writes, NumPy and SciPy read; and the numbers are those of
an independent computation. Exits with 77, which means 'skipped', where NumPy or SciPy is missing.
"""
import sys
import unittest

SKIPPED = 77
MODULES = ["check_data", "check_generate", "check_laplacian", "check_npz", "check_spectrum"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        import numpy  # noqa: F401
        import scipy.io  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIPPED
    import program

    program.PATH = sys.argv[1]
    suite = unittest.defaultTestLoader.loadTestsFromNames(MODULES)
    verbosity = 2 if "-v" in sys.argv[2:] else 1
    result = unittest.TextTestRunner(verbosity=verbosity).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
