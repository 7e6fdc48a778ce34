#!/usr/bin/env python3
"""Searches the parameters of the cells of a table and writes the best by validation to configs/TABLE:
scripts/sweep-cells.py table1|figure2|maps|dirlink|links --out DIR [--columns a,b] [--models x,y] [--trials N] [--jobs J].
Columns are datasets, values of alpha_out, or DATASET.QUESTION; models of maps are its rows, such as dsnn-identity. Resumable: sweeps in
DIR are continued, and cells that have a configuration are skipped.
--again starts all cells from scratch: it removes their configurations and renames their folders in DIR to MODEL.old-1. After an
interruption, the same command without --again continues. 'sweep-cells.py check' lists cells whose space or number of trials is out of
date; 'sweep-cells.py check --runs DIR' lists cells that 'dsnn reproduce --out DIR' trained to a different validation score than the
search. All but figure2 need the graphs in $DSNN_DATA; all need a built program (scripts/build.sh)."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("DSNN_PROGRAM", ROOT / "build" / "release" / "dsnn")
SHEAF_MODELS = [f"{maps}-{field}" for field in ("dsnn", "nsd", "nsd-compl") for maps in ("diag", "orth", "gen")]
BASELINES = ["mlp", "gcn", "gat", "sage", "gcnii", "mixhop", "geomgcn", "h2gcn", "fagcn", "gprgnn", "ggcn", "magnet", "sigmanet",
             "dirgnn"]
# Rows of 'dsnn reproduce maps': the model and the settings that all trials share. Without a learner all families are one network.
MAPS = {f"{family}-{field}-{maps}": (f"{family}-{field}", [f"maps={maps}"])
        for field in ("dsnn", "nsd") for family in ("diag", "orth", "gen") for maps in ("learned", "random")}
MAPS |= {f"{field}-identity": (f"diag-{field}", ["maps=identity"]) for field in ("dsnn", "nsd")}
MODELS = {"table1": SHEAF_MODELS + BASELINES, "figure2": SHEAF_MODELS, "maps": list(MAPS),
          "dirlink": ["diag-dsnn", "orth-dsnn", "gen-dsnn", "magnet", "dirgnn", "gat", "gcn", "mlp"],
          "links": ["diag-dsnn", "diag-nsd", "magnet", "sigmanet", "dirgnn", "mlp"]}
# For graphs of each size: ending of the space's name, and default number of trials of sheaf networks and of other models.
SMALL, MEDIUM, LARGE, LARGEST = ("", 60, 60), ("-large", 60, 60), ("-large", 25, 30), ("-largest", 25, 30)
DSBM = ("block-model", 25)
EQUAL = ("maps", 30)
LINKS = ("links", 30, 30)  # the same effort for all models
SEARCHES = {
    "table1": {"texas": SMALL, "wisconsin": SMALL, "cornell": SMALL, "chameleon_filtered": MEDIUM, "cora": LARGE,
               "citeseer": LARGE, "squirrel_filtered": LARGE, "film": LARGE, "pubmed": LARGEST},
    "figure2": {"0.05": DSBM, "0.08": DSBM, "0.1": DSBM},
    "maps": {name: EQUAL for name in ("texas", "wisconsin", "cornell_corrected", "chameleon_filtered_directed", "cora", "telegram",
                                      "blocks-0.2", "blocks-0.4")},
    "dirlink": {"cora_ml": LINKS, "citeseer": LINKS},
    "links": {f"{graph}.{question}": LINKS for question in ("existence", "direction", "three-class")
              for graph in ("texas", "wisconsin", "cornell_corrected", "cora_ml", "citeseer_full", "telegram")},
}
# Other versions of these datasets use the same parameters and are searched only if --columns names them.
VERSIONS = {"cornell_corrected": SMALL, "chameleon_filtered_directed": MEDIUM}


def make_graph(path, nodes, alpha_out, beta):
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([str(PROGRAM), "generate", "dsbm", "-n", str(nodes), "-C", "5", "--alpha-in", "0.1", "--alpha-out",
                        alpha_out, "--beta", beta, "--seed", "1", "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return str(path)


def checksum(space):
    """Checksum of a space's settings without comments: a cell that was searched in another space is out of date."""
    lines = [line.split("#")[0].strip() for line in space.read_text().splitlines()]
    return f"{zlib.crc32(' '.join(filter(None, lines)).encode()):08x}"


def stale_cells():
    """Configurations that were searched in a space or with a number of trials that is out of date."""
    stale = []
    for path in (path for what in SEARCHES for path in sorted((ROOT / "configs").glob(f"{what}/*/*.toml"))):
        words = path.read_text().split("\n[parameters]")[0].split()
        name, trials = search_of(path.parent.parent.name, path.parent.name, path.stem)
        space = f"configs/spaces/{name}.toml"
        had = int(words[words.index("--trials") + 1]) if "--trials" in words[:-1] else 0
        if space not in words or checksum(ROOT / space) + "." not in words or had < trials:
            stale.append(str(path.relative_to(ROOT)))
    return stale


def search_of(what, column, model):
    """Space and number of trials for a cell."""
    if what == "figure2":
        return SEARCHES[what].get(column, DSBM)
    if what == "maps":
        return SEARCHES[what].get(column, EQUAL)
    if what in ("dirlink", "links"):
        return f"links-{'sheaf' if model in SHEAF_MODELS else 'baselines'}", LINKS[1]
    ending, of_sheaf, of_others = (SEARCHES[what] | VERSIONS).get(column, LARGE)
    return (f"baselines{ending}", of_others) if model in BASELINES else (f"sheaf{ending}", of_sheaf)


def moved_cells(runs):
    """Cells whose validation score after training differs from that of the search on the same splits."""
    moved = []
    for path in sorted((ROOT / "configs").glob("*/*/*.toml")):
        head = re.search(r"validation \S+ ([\d.]+) % over (\d+) split", path.read_text())
        result = runs / path.parent.name / path.stem / "result.json"
        if head is None or not result.exists():
            continue
        scores = [split.get("val_score", split.get("val_accuracy", 0)) for split in json.loads(result.read_text())["splits"]][:int(head[2])]
        trained = sum(scores) / len(scores)
        if abs(trained - float(head[1])) > 0.006:
            moved.append(f"{path.relative_to(ROOT)}: {head[1]} % in the search, {trained:.2f} % in {runs}")
    return moved


def config_path(arguments, column, model):
    return ROOT / "configs" / arguments.what / column / f"{model}.toml"


def begin_anew(column, model, arguments):
    """Renames the existing folder of a cell."""
    config_path(arguments, column, model).unlink(missing_ok=True)
    folder = arguments.out / column / model
    if folder.exists():
        number = 1
        while (aside := folder.with_name(f"{model}.old-{number}")).exists():
            number += 1
        folder.rename(aside)


def data_of(what, column, folder):
    """The dataset of a column (a random graph of 'dsnn reproduce' as a file), the options that define its task, and the name of the
    score."""
    if what == "figure2":
        return make_graph(folder / f"dsbm-{column}.npz", 2500, column, "0.2"), [], "accuracy"
    if column.startswith("blocks-"):
        return make_graph(folder / f"{column}.npz", 500, "0.1", column.removeprefix("blocks-")), [], "accuracy"
    if what == "dirlink":
        data = pathlib.Path(os.environ.get("DSNN_DATA", ".")) / "links" / f"{column}.npz"
        return str(data), ["--task", "links", "--protocol", "dirlink", "--metric", "auc", "--set", "normalise_features=rows",
                           "--set", "degree_features=no"], "auc"
    if what == "links":
        graph, question = column.split(".", 1)
        return graph, ["--task", "links", "--protocol", "magnet", "--link-task", question, "--metric", "accuracy"], "accuracy"
    return column, [], "accuracy"


def preparation_of(what, column):
    """Settings for random graphs, as 'dsnn reproduce' trains on them: it makes the graphs itself, and a file would be prepared as the
    file of a user is. Degrees of arcs would tell directions to networks that do not see them."""
    if what == "figure2":
        return ["degree_features=no", "normalise_features=none"]
    return ["degree_features=no", "normalise_features=standard"] if column.startswith("blocks-") else []


def sweep(column, model, arguments):
    name, trials = search_of(arguments.what, column, model)
    trials = arguments.trials or trials
    space = f"configs/spaces/{name}.toml"
    folder = arguments.out / column / model
    folder.mkdir(parents=True, exist_ok=True)
    dataset, task, score = data_of(arguments.what, column, arguments.out)
    trained, settings = MAPS[model] if arguments.what == "maps" else (model, [])
    settings = settings + preparation_of(arguments.what, column)
    command = ["dsnn", "sweep", space, "--dataset", dataset, *task, "--model", trained, "--trials", str(trials)]
    command += [word for setting in settings for word in ("--set", setting)]
    words = [str(PROGRAM), *command[1:], "--out", str(folder), "--resume", "--json"]
    if arguments.jobs:
        words += ["--jobs", str(arguments.jobs)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"sweep-cells: the sweep of {model} on {column} failed")
    outcome = json.loads(done.stdout)
    all_trials = outcome["trials"]
    best = all_trials[0]
    if outcome["bracket"] < trials:
        sys.exit(f"sweep-cells: {folder} was started with {outcome['bracket']} trials, but {trials} were requested; "
                 f"--again starts from scratch")
    if "val_accuracy_mean" not in best:
        sys.exit(f"sweep-cells: no trial of {model} on {column} has a score")
    minutes = sum(trial["seconds"] for trial in all_trials) / 60
    text = (folder / "best.toml").read_text().split("\n", 1)[1]  # without its own comment
    command[4] = pathlib.Path(dataset).name  # no one else's folder
    header = (f"# {' '.join(command)} --out DIR\n"
              f"# Trial {best['trial']} of {trials}, validation {score} {best['val_accuracy_mean']:.2f} % over "
              f"{best['splits']} split{'' if best['splits'] == 1 else 's'}; {minutes:.0f} min on one core, commit {', '.join(outcome['commits'])}.\n"
              f"# Space {checksum(ROOT / space)}.\n")
    path = config_path(arguments, column, model)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + text)
    print(f"{column} {model}: validation {best['val_accuracy_mean']:.2f} %, {path.relative_to(ROOT)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*sorted(SEARCHES), "check"])
    parser.add_argument("--out", type=lambda text: pathlib.Path(text).resolve(), help="folder of the sweeps")
    parser.add_argument("--runs", type=pathlib.Path, help="check: folder of 'dsnn reproduce'")
    parser.add_argument("--columns", help="datasets, or values of alpha_out (default: all)")
    parser.add_argument("--models", help="default: all")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--again", action="store_true", help="also search cells that have a configuration")
    arguments = parser.parse_args()
    if arguments.what == "check":
        problems = [f"{path}: searched in another space or with fewer trials; search it again" for path in stale_cells()]
        if arguments.runs is not None:
            if not arguments.runs.is_dir():
                parser.error(f"{arguments.runs}: no such folder")
            problems += moved_cells(arguments.runs)
        for problem in problems:
            print(problem)
        sys.exit(1 if problems else 0)
    if arguments.out is None:
        parser.error("--out is missing")
    cells = [(column, model) for column in (arguments.columns or ",".join(SEARCHES[arguments.what])).split(",")
             for model in (arguments.models or ",".join(MODELS[arguments.what])).split(",")]
    if arguments.again:
        for column, model in cells:
            begin_anew(column, model, arguments)
    for column, model in cells:
        path = config_path(arguments, column, model)
        if path.exists():
            print(f"{column} {model}: {path.relative_to(ROOT)} exists", flush=True)
        else:
            sweep(column, model, arguments)


if __name__ == "__main__":
    main()
