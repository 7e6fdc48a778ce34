#!/usr/bin/env python3
"""Measures what an epoch of each model costs relative to gcn, and writes src/nn/costs.cpp, which 'dsnn models' shows:
scripts/model-costs.py [BENCH]. BENCH is epoch_bench of a build (default: build/release/bench/epoch_bench). It trains with the
defaults on cora, from $DSNN_DATA, on one thread, and takes the processor time of the shortest epoch. Two significant digits are
kept, because more are not the same on two machines."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "build" / "release" / "bench" / "epoch_bench"


def main():
    bench = sys.argv[1] if len(sys.argv) > 1 else BENCH
    done = subprocess.run([str(bench), "--costs", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    rows = json.loads(done.stdout)
    unit = next(row["epoch_ms"] for row in rows if row["model"] == "gcn")
    costs = {row["model"]: float(format(row["epoch_ms"] / unit, ".2g")) for row in rows}
    lines = [f'      {{"{model}", {cost:g}}},\n' for model, cost in costs.items()]
    path = ROOT / "src" / "nn" / "costs.cpp"
    text = path.read_text()
    begin = text.index(" all = {\n") + len(" all = {\n")
    end = text.index("  };\n  return all;")
    path.write_text(text[:begin] + "".join(lines) + text[end:])
    subprocess.run(["clang-format", "-i", str(path)], check=True)


if __name__ == "__main__":
    main()
