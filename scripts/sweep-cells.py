#!/usr/bin/env python3
"""Searches the parameters of the cells of Table 1 or Figure 2 and writes what validation chose to configs/table1 or
configs/figure2: scripts/sweep-cells.py table1|figure2 --out DIR [--columns a,b] [--models x,y] [--trials N] [--jobs J].
Columns are datasets, or values of alpha_out. Resumable: a sweep in DIR goes on, a cell whose configuration is there
already is left alone (--again searches it anew). Table 1 needs the graphs in $DSNN_DATA, both a built program
(scripts/build.sh)."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("DSNN_PROGRAM", ROOT / "build" / "release" / "dsnn")
MODELS = [f"{maps}-{field}" for field in ("dsnn", "nsd", "nsd-compl") for maps in ("diag", "orth", "gen")]
SMALL, LARGE, DSBM = ("sheaf", 60), ("sheaf-large", 25), ("dsbm", 12)  # space and trials, unless --trials says otherwise
SEARCHES = {
    "table1": {"texas": SMALL, "wisconsin": SMALL, "cornell": SMALL, "chameleon_filtered": SMALL, "cora": LARGE,
               "citeseer": LARGE, "squirrel_filtered": LARGE, "film": LARGE, "pubmed": LARGE},
    "figure2": {"0.05": DSBM, "0.08": DSBM, "0.1": DSBM},
}


def make_graph(alpha_out, folder):
    """The graph that 'dsnn reproduce figure2' makes for this alpha_out, as a file."""
    path = pathlib.Path(folder) / f"dsbm-{alpha_out}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([str(PROGRAM), "generate", "dsbm", "-n", "2500", "-C", "5", "--alpha-in", "0.1", "--alpha-out",
                        alpha_out, "--beta", "0.2", "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return str(path)


def config_path(arguments, column, model):
    return ROOT / "configs" / arguments.what / column / f"{model}.toml"


def sweep(column, model, arguments):
    space, trials = SEARCHES[arguments.what].get(column, DSBM if arguments.what == "figure2" else LARGE)
    trials = arguments.trials or trials
    folder = pathlib.Path(arguments.out) / column / model
    folder.mkdir(parents=True, exist_ok=True)
    dataset = column if arguments.what == "table1" else make_graph(column, arguments.out)
    command = ["dsnn", "sweep", f"configs/spaces/{space}.toml", "--dataset", dataset, "--model", model, "--trials", str(trials)]
    words = [str(PROGRAM), *command[1:], "--out", str(folder), "--resume", "--json"]
    if arguments.jobs:
        words += ["--jobs", str(arguments.jobs)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"sweep-cells: the sweep of {model} on {column} failed")
    best = json.loads(done.stdout)["trials"][0]
    if "val_accuracy_mean" not in best:
        sys.exit(f"sweep-cells: no trial of {model} on {column} has a score")
    text = (folder / "best.toml").read_text().split("\n", 1)[1]  # without its own comment
    command[4] = pathlib.Path(dataset).name  # no one else's folder
    header = (f"# {' '.join(command)} --out DIR\n"
              f"# Trial {best['trial']} of {trials}, validation accuracy {best['val_accuracy_mean']:.2f} % over "
              f"{best['splits']} splits.\n")
    path = config_path(arguments, column, model)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + text)
    print(f"{column} {model}: validation {best['val_accuracy_mean']:.2f} %, {path.relative_to(ROOT)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=sorted(SEARCHES))
    parser.add_argument("--out", required=True, help="folder of the sweeps")
    parser.add_argument("--columns", help="datasets, or values of alpha_out (default: all)")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--trials", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--again", action="store_true", help="search cells that have a configuration, too")
    arguments = parser.parse_args()
    for column in (arguments.columns or ",".join(SEARCHES[arguments.what])).split(","):
        for model in arguments.models.split(","):
            path = config_path(arguments, column, model)
            if path.exists() and not arguments.again:
                print(f"{column} {model}: {path.relative_to(ROOT)} is there", flush=True)
                continue
            sweep(column, model, arguments)


if __name__ == "__main__":
    main()
