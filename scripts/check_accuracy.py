#!/usr/bin/env python3
"""Test accuracies of the DSNN families with the configurations of configs/check, next to what is expected:
check_accuracy.py [--quick] [DATASET...]. Called by check-accuracy.sh, which builds first. Exits with 1 if the best
family of a dataset is below what is expected."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "dsnn"
FAMILIES = ["diag-dsnn", "orth-dsnn", "gen-dsnn"]
# Mean over ten splits that the best of the three families reaches at least, and over two (--quick).
EXPECTED = {
    "texas": (80, 70),
    "wisconsin": (84, 75),
    "cornell": (80, 65),
    "chameleon_filtered": (41, None),
    "cora": (85, None),
}


def train(dataset, model, splits):
    config = ROOT / "configs" / "check" / dataset / f"{model}.toml"
    command = [PROGRAM, "train", dataset, "--config", config, "--splits", splits, "--jobs", "2", "--json"]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"check_accuracy: training {model} on {dataset} failed")
    return json.loads(done.stdout)


def main():
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    quick = "--quick" in sys.argv[1:]
    unknown = [name for name in names if name not in EXPECTED]
    if unknown:
        sys.exit(f"check_accuracy: no configurations for {unknown[0]}, expected {', '.join(EXPECTED)}")
    failed = False
    print("| dataset | " + " | ".join(FAMILIES) + " | expected of the best |")
    print("|---" * (len(FAMILIES) + 2) + "|")
    for dataset, bounds in EXPECTED.items():
        least = bounds[1] if quick else bounds[0]
        if least is None or (names and dataset not in names):
            continue
        results = [train(dataset, model, "0-1" if quick else "0-9") for model in FAMILIES]
        cells = [f"{r['test_accuracy_mean']:.1f} +- {r['test_accuracy_std']:.1f}" for r in results]
        best = max(r["test_accuracy_mean"] for r in results)
        failed |= best < least
        mark = "" if best >= least else " (missed)"
        print(f"| {dataset} | " + " | ".join(cells) + f" | {least}{mark} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
