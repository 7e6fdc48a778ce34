#!/usr/bin/env python3
"""Compares test accuracies with the seed of the search and with new seeds: scripts/seed_table.py DIR, where DIR has stored results
(results/table1, see results/README.md). Prints Markdown."""
import json
import pathlib
import statistics
import sys


def means(path):
    """Seed -> mean test accuracy; the seed of the search is None."""
    runs = json.loads(path.read_text())["runs"]
    return {None if run.get("seed_of_the_search") else run["seed"]: run["test_accuracy_mean"] for run in runs}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    cells = {(path.parent.name, path.stem): means(path) for path in sorted(folder.glob("*/*.json"))}
    cells = {cell: seeds for cell, seeds in cells.items() if None in seeds and len(seeds) > 1}
    if not cells:
        sys.exit(f"seed_table: {folder}: no cell is trained with the seed of the search and with another")
    print("| dataset | model | seed of the search | new seeds | mean of these |")
    print("|---|---|---|---|---|")
    searched = {cell: seeds.pop(None) for cell, seeds in cells.items()}
    others = {cell: statistics.mean(seeds.values()) for cell, seeds in cells.items()}
    for (dataset, model), seeds in cells.items():
        new = ", ".join(f"{seeds[seed]:.2f}" for seed in sorted(seeds))
        print(f"| {dataset} | {model} | {searched[dataset, model]:.2f} | {new} | {others[dataset, model]:.2f} |")
    print()
    kinds = sorted({model.partition("-")[2] or model for _, model in cells})
    for kind in ["", *kinds] if len(kinds) > 1 else [""]:
        these = [cell for cell in cells if not kind or cell[1] == kind or cell[1].partition("-")[2] == kind]
        first, rest = (statistics.mean(scores[cell] for cell in these) for scores in (searched, others))
        line = (f"{'Over' if not kind else 'Of them, over'} {len(these)} cells{kind and ' of ' + kind}: {first:.2f} "
                f"with the seeds of the search, {rest:.2f} with new seeds")
        if len(these) > 1:
            differences = [searched[cell] - others[cell] for cell in these]
            error = statistics.stdev(differences) / len(these) ** 0.5
            line += f"; difference {statistics.mean(differences):+.2f}, its standard error over the cells {error:.2f}"
        print(line + ".")


if __name__ == "__main__":
    main()
