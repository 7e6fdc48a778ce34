#!/usr/bin/env python3
"""Chooses the default parameters of each model on a development set of graphs, by validation scores only.

  scripts/choose-defaults.py search DIR      runs sweeps of 60 random trials for each model and graph, and one training
                                             with the parameters of the model's paper; resumable
  scripts/choose-defaults.py choose          prints for each model the parameters that are good on all graphs; --write
                                             writes them to src/nn/defaults.cpp
  scripts/choose-defaults.py table           compares the defaults with the best of the trials (Markdown, for
                                             docs/training.md)
  scripts/choose-defaults.py fit DIR         compares 'dsnn fit' with the best single model (Markdown, for docs/fit.md);
                                             --trials instead of two minutes for each graph

The graphs are published ones, block models, and CSV files as users have them (scripts/make_csv_graphs.py): numeric,
categorical, weighted, signed, unbalanced. Published ones have other names, so that the program treats them like a
user's. A sweep draws the same trials for all graphs, so each trial has a rank on each graph by its validation accuracy.
Among the ten trials with the best mean rank, the script chooses the one whose validation accuracy is on average closest
to the best of the graph, as ranks do not show differences. Test scores are used only by 'table' and 'fit', for
comparison. results/defaults has the scores. Needs the published graphs in $DSNN_DATA, and a built program
(scripts/build.sh, or $DSNN_PROGRAM)."""
import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import make_csv_graphs  # noqa: E402

PROGRAM = os.environ.get("DSNN_PROGRAM", str(ROOT / "build" / "release" / "dsnn"))
RESULTS = ROOT / "results" / "defaults"
DEFAULTS = ROOT / "src" / "nn" / "defaults.cpp"
TRIALS = 60
# A search trains shorter than users do, and compares what was trained alike.
BUDGET = {"epochs": 200, "patience": 100}
PUBLISHED = ["texas", "wisconsin", "telegram", "cora"]
BLOCKS = {"blocks-direction": (400, 4, 0.05, 0.05, 0.1), "blocks-density": (400, 4, 0.08, 0.02, 0.5)}
SHEAF_MODELS = [f"{maps}-{field}" for field in ("dsnn", "nsd", "nsd-compl") for maps in ("diag", "orth", "gen")]


def models():
    """All models; those that train fast come first."""
    names = [model["name"] for model in json.loads(run("models", "--json"))]
    return sorted(names, key=lambda name: name in SHEAF_MODELS)


def space(model):
    name = "sheaf" if model in SHEAF_MODELS else "gcnii" if model == "gcnii" else "baselines"
    return ROOT / "configs" / "defaults" / f"{name}.toml"


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"choose-defaults: 'dsnn {' '.join(map(str, words))}' failed")
    return done.stdout


def make_graphs(folder):
    """Writes the graphs of the development set as files; returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {}

    def make(name, *words):
        made[name] = folder / f"{name}.npz"
        if not made[name].exists():
            run(*words, "-o", made[name])

    for name in PUBLISHED:
        make(f"dev-{name}", "convert", name, "--split", "48/32/20", "--num-splits", 1)
    for name, (nodes, communities, inside, across, beta) in BLOCKS.items():
        make(f"{name}-all", "generate", "dsbm", "-n", nodes, "-C", communities, "--alpha-in", inside,
             "--alpha-out", across, "--beta", beta, "--seed", 1)
        make(name, "convert", made.pop(f"{name}-all"), "--split", "48/32/20", "--num-splits", 1)
    for name, label in make_csv_graphs.write_graphs(folder / "csv", seed=1).items():
        make(name, "convert", "--edges", folder / "csv" / name / "edges.csv", "--nodes",
             folder / "csv" / name / "nodes.csv", "--label-column", label, "--num-splits", 1)
    return made


def graphs_for(model, graphs):
    """All graphs, without cora for slow models: it would take as long as the other graphs together."""
    is_slow = model in ("gat", "ggcn", "mixhop") or model in SHEAF_MODELS and not model.startswith("diag-")
    return {name: graph for name, graph in graphs.items() if not (is_slow and name == "dev-cora")}


def paper_settings(model):
    """The parameters of the model's paper, or our choice if the paper has none."""
    lines = (ROOT / "configs" / "defaults" / "paper.txt").read_text().splitlines()
    return next(line.split()[1:] for line in lines if line.split()[0] == model)


def sweep(folder, path, model, graph, trials, settings=()):
    settings = [*settings, *(f"{key}={value}" for key, value in BUDGET.items())]
    settings = [word for setting in settings for word in ("--set", setting)]
    return json.loads(run("sweep", path, "--dataset", graph, "--model", model, "--trials", trials, "--out", folder,
                          "--resume", "--json", *settings))["trials"]


def search(folder, names):
    graphs = make_graphs(folder / "graphs")
    grid = folder / "paper.toml"  # one trial
    grid.write_text('method = "grid"\n[parameters]\nselect_by = ["accuracy"]\n')
    RESULTS.mkdir(parents=True, exist_ok=True)
    for model in names:
        rows = {}
        for name, graph in graphs_for(model, graphs).items():
            trials = sweep(folder / model / name, space(model), model, graph, TRIALS)
            paper = sweep(folder / model / f"{name}-paper", grid, model, graph, 1, paper_settings(model))
            trials += [{**paper[0], "trial": "paper", "parameters": {}}]
            for trial in trials:
                row = rows.setdefault(trial["trial"], {"trial": trial["trial"], "parameters": words_of(trial)})
                for what in ("val", "test"):
                    score = trial.get(f"{what}_accuracy_mean")
                    row[f"{name} {what}"] = "" if score is None else f"{score:.2f}"
        with open(RESULTS / f"{model}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(next(iter(rows.values()))), lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(rows.values(), key=lambda row: (row["trial"] == "paper", row["trial"])))
        print(f"{model}: done", file=sys.stderr)


def words_of(trial):
    return " ".join(f"{key}={str(value).lower()}" for key, value in trial["parameters"].items())


def read(model):
    """Rows of results/defaults/MODEL.csv: (trial, parameters, {graph: (validation, test)})."""
    with open(RESULTS / f"{model}.csv", newline="") as file:
        rows = []
        for row in csv.DictReader(file):
            names = [key.removesuffix(" val") for key in row if key.endswith(" val")]
            scores = {name: tuple(float(row[f"{name} {what}"] or 0) for what in ("val", "test")) for name in names}
            rows.append((row["trial"], row["parameters"], scores))
    return rows


def mean_ranks(rows):
    """The mean rank of each row over the graphs, by validation accuracy; ties share their mean rank."""
    total = [0.0] * len(rows)
    graphs = list(rows[0][2])
    for graph in graphs:
        values = [scores[graph][0] for _, _, scores in rows]
        for i, value in enumerate(values):
            better, equal = sum(v > value for v in values), sum(v == value for v in values)
            total[i] += better + (equal + 1) / 2
    return [ranks / len(graphs) for ranks in total]


def shortfalls(rows):
    """How far the validation accuracy of each row is below the best row, the mean over the graphs."""
    graphs = list(rows[0][2])
    best = {graph: max(scores[graph][0] for _, _, scores in rows) for graph in graphs}
    return [statistics.mean(best[graph] - scores[graph][0] for graph in graphs) for _, _, scores in rows]


def choose(names, writes):
    chosen = {}
    for model in names:
        if not (RESULTS / f"{model}.csv").exists():  # not searched: it stays as it is
            chosen[model] = settings_of(model)
            continue
        rows = read(model)
        ranks, below = mean_ranks(rows), shortfalls(rows)
        candidates = sorted(range(len(rows)), key=ranks.__getitem__)[:10]
        candidates.sort(key=below.__getitem__)
        print(model)
        for i in [*candidates[:3], len(rows) - 1]:
            trial, parameters, _ = rows[i]
            print(f"  mean rank {ranks[i]:.1f}, {below[i]:.1f} points below the best: {parameters or trial}")
        chosen[model] = rows[candidates[0]][1]  # none: those of the paper stay
    if writes:
        write_defaults(chosen)


def settings_of(model):
    """The parameters of a model in src/nn/defaults.cpp; empty if it has none."""
    found = re.search(rf'\{{"{model}",\s*((?:"[^"]*"\s*)+)\}}', DEFAULTS.read_text())
    return "".join(re.findall('"([^"]*)"', found[1])) if found else ""


def write_defaults(chosen):
    lines = [f'      {{"{model}", "{settings}"}},' for model, settings in chosen.items() if settings]
    head, rest = DEFAULTS.read_text().split("= {\n", 1)
    DEFAULTS.write_text(head + "= {\n" + "\n".join(lines) + "\n" + rest[rest.index("  };"):])
    subprocess.run(["clang-format", "-i", str(DEFAULTS)], check=True)


def table(names):
    """Mean test accuracies: the paper's parameters, the defaults, and for each graph the best trial by validation."""
    print("| model | of its paper | defaults | best of 60 trials | difference | largest |\n|---|---|---|---|---|---|")
    for model in names:
        if not (RESULTS / f"{model}.csv").exists():
            continue
        *trials, paper = read(model)
        default = next((row for row in trials if row[1] == settings_of(model)), paper)
        best = {graph: max(trials, key=lambda row: row[2][graph][0])[2][graph][1] for graph in paper[2]}
        below = {graph: best[graph] - default[2][graph][1] for graph in best}
        worst = max(below, key=below.get)
        of_paper, of_default = (statistics.mean(test for _, test in row[2].values()) for row in (paper, default))
        searched = statistics.mean(best.values())
        print(f"| {model} | {of_paper:.1f} | {of_default:.1f} | {searched:.1f} | {searched - of_default:.1f} | "
              f"{below[worst]:.1f} ({worst}) |")


def fit(folder, names, trials):
    """Test accuracies of 'dsnn fit' and of each model's best trial by validation; the best model is that with the best mean."""
    budget = ("--trials", trials) if trials else ("--time", "2m")
    graphs = make_graphs(folder / "graphs")
    searched = {}
    for model in names:
        if not (RESULTS / f"{model}.csv").exists():
            continue
        rows = [row for row in read(model) if row[0] != "paper"]
        searched[model] = {graph: max(rows, key=lambda row: row[2][graph][0])[2][graph][1] for graph in rows[0][2]}
    complete = {model: scores for model, scores in searched.items() if set(scores) == set(graphs)}
    best = max(complete, key=lambda model: statistics.mean(complete[model].values()))
    print(f"| graph | fit | {best}, 60 trials |\n|---|---|---|")
    fitted = {}
    for name, graph in graphs.items():
        words = ["fit", graph, *budget, "--json", "--out", folder / "fit" / name]
        fitted[name] = json.loads(run(*words))["test_accuracy"]
        print(f"| {name} | {fitted[name]:.1f} | {complete[best][name]:.1f} |", flush=True)
    mean = statistics.mean
    print(f"| mean | {mean(fitted.values()):.1f} | {mean(complete[best].values()):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["search", "choose", "table", "fit"])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="folder of the sweeps and runs, for search and fit")
    parser.add_argument("--models", help="only these, such as a,b; not with --write")
    parser.add_argument("--trials", type=int, help="fit: number of trials")
    parser.add_argument("--write", action="store_true", help="choose: write to src/nn/defaults.cpp")
    arguments = parser.parse_args()
    names = arguments.models.split(",") if arguments.models else models()
    if arguments.what in ("search", "fit") and arguments.folder is None:
        parser.error(f"{arguments.what} needs a folder")
    if arguments.what == "search":
        search(arguments.folder, names)
    elif arguments.what == "choose":
        choose(names, arguments.write)
    elif arguments.what == "table":
        table(names)
    else:
        fit(arguments.folder, names, arguments.trials)


if __name__ == "__main__":
    main()
