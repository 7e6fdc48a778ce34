#!/usr/bin/env python3
"""Searches the parameters of the cells of Table 1 and writes what validation chose to configs/table1:
scripts/sweep-table1.py --out DIR [--datasets a,b] [--models x,y] [--trials N] [--jobs J]. Resumable: a sweep in DIR goes
on, a cell whose configuration is there already is left alone (--again searches it anew). Needs the graphs in $DSNN_DATA,
and a built program (scripts/build.sh)."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("DSNN_PROGRAM", ROOT / "build" / "release" / "dsnn")
SPACE = pathlib.Path("configs/spaces/sheaf.toml")
MODELS = [f"{maps}-{field}" for field in ("dsnn", "nsd", "nsd-compl") for maps in ("diag", "orth", "gen")]
TRIALS = {  # of a cell, unless --trials says otherwise
    "texas": 60, "wisconsin": 60, "cornell": 60, "chameleon_filtered": 60, "cora": 25, "citeseer": 25,
    "squirrel_filtered": 25, "film": 25, "pubmed": 25,
}


def sweep(dataset, model, trials, arguments):
    folder = pathlib.Path(arguments.out) / dataset / model
    folder.mkdir(parents=True, exist_ok=True)
    command = ["dsnn", "sweep", str(SPACE), "--dataset", dataset, "--model", model, "--trials", str(trials)]
    words = [str(PROGRAM), *command[1:], "--out", str(folder), "--resume", "--json"]
    if arguments.jobs:
        words += ["--jobs", str(arguments.jobs)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"sweep-table1: the sweep of {model} on {dataset} failed")
    best = json.loads(done.stdout)["trials"][0]
    text = (folder / "best.toml").read_text().split("\n", 1)[1]  # without its own comment
    header = (f"# {' '.join(command)} --out DIR\n"
              f"# Trial {best['trial']} of {trials}, validation accuracy {best['val_accuracy_mean']:.2f} % over "
              f"{best['splits']} splits.\n")
    path = ROOT / "configs" / "table1" / dataset / f"{model}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + text)
    print(f"{dataset} {model}: validation {best['val_accuracy_mean']:.2f} %, {path.relative_to(ROOT)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="folder of the sweeps")
    parser.add_argument("--datasets", default=",".join(TRIALS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--trials", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--again", action="store_true", help="search cells that have a configuration, too")
    arguments = parser.parse_args()
    for dataset in arguments.datasets.split(","):
        for model in arguments.models.split(","):
            path = ROOT / "configs" / "table1" / dataset / f"{model}.toml"
            if path.exists() and not arguments.again:
                print(f"{dataset} {model}: {path.relative_to(ROOT)} is there", flush=True)
                continue
            sweep(dataset, model, arguments.trials or TRIALS.get(dataset, 25), arguments)


if __name__ == "__main__":
    main()
