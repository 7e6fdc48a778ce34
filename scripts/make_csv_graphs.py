#!/usr/bin/env python3
"""Writes small graphs as a user's CSV files: FOLDER/NAME/edges.csv and nodes.csv.

  scripts/make_csv_graphs.py /tmp/graphs
  dsnn train --edges /tmp/graphs/accounts/edges.csv --nodes /tmp/graphs/accounts/nodes.csv \\
      --label-column segment --split 48/32/20

Classes depend mainly on the graph, its directions, weights or signs, and less on the columns of
nodes. Tests and scripts/choose-defaults.py use the graphs; the same seed writes the same files.
"""

import argparse
import csv
import math
import pathlib
import random


class Graph:
    """Rows of the two files. Columns of nodes after id: features, then the class."""

    def __init__(self, label_column, node_columns, edge_columns=()):
        self.node_heading = ["id", *node_columns, label_column]
        self.edge_heading = ["source", "target", *edge_columns]
        self.nodes, self.edges = [], []

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, heading, rows in (("nodes", self.node_heading, self.nodes),
                                    ("edges", self.edge_heading, self.edges)):
            with open(folder / f"{name}.csv", "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(heading)
                writer.writerows(rows)


def arcs_by_class(rng, classes, num_arcs, weight):
    """Pairs of distinct nodes, each kept with probability weight(class, class)."""
    arcs = set()
    while len(arcs) < num_arcs:
        u, v = rng.randrange(len(classes)), rng.randrange(len(classes))
        if u != v and rng.random() < weight(classes[u], classes[v]):
            arcs.add((u, v))
    return sorted(arcs)


def pick(rng, names, favourite, share):
    """The favourite with probability `share`, otherwise a random choice."""
    return names[favourite] if rng.random() < share else rng.choice(names)


def accounts(rng):
    """Transfers lead from segment to segment along a cycle; columns of very different scale."""
    names, countries = ["retail", "business", "broker"], ["DE", "FR", "IT", "ES", "PL"]
    classes = [rng.randrange(3) for _ in range(600)]
    graph = Graph("segment", ["country", "age_days", "balance"])
    for i, c in enumerate(classes):
        age = "" if rng.random() < 0.03 else rng.randrange(30, 4000) + 300 * c
        balance = round(math.exp(rng.gauss(8 + 0.4 * c, 2)), 2)
        graph.nodes.append([f"acc{i:04}", pick(rng, countries, c, 0.15), age, balance, names[c]])
    weight = lambda a, b: {0: 0.5, 1: 0.8, 2: 0.2}[(b - a) % 3]
    for u, v in arcs_by_class(rng, classes, 9000, weight):
        graph.edges.append([f"acc{u:04}", f"acc{v:04}"])
    return graph


def sensors(rng):
    """Numeric columns only; neighbours are alike, and the signal flows one way."""
    classes = [rng.randrange(4) for _ in range(500)]
    graph = Graph("kind", ["temperature", "humidity", "pressure", "uptime"])
    for i, c in enumerate(classes):
        graph.nodes.append([i, round(rng.gauss(15 + 2 * c, 6), 2), round(rng.gauss(60, 15), 1),
                            round(rng.gauss(101300 + 150 * (c % 2), 300)),
                            round(rng.expovariate(1 / (1000 + 400 * c)))])
        graph.nodes[-1].append(f"k{c}")
    weight = lambda a, b: {0: 0.7, 1: 0.3}.get((b - a) % 4, 0.1)
    graph.edges = arcs_by_class(rng, classes, 2500, weight)
    return graph


def products(rng):
    """Categorical columns only; which product is bought after which."""
    brands, colours = [f"brand{i}" for i in range(12)], ["red", "green", "blue", "black"]
    classes = [rng.randrange(5) for _ in range(700)]
    graph = Graph("category", ["brand", "colour"])
    for i, c in enumerate(classes):
        graph.nodes.append([f"p{i}", pick(rng, brands, 2 * c, 0.2), pick(rng, colours, c % 4, 0.1),
                            f"c{c}"])
    weight = lambda a, b: 0.6 if (b - a) % 5 == 1 else 0.3 if a == b else 0.08
    graph.edges = [(f"p{u}", f"p{v}") for u, v in arcs_by_class(rng, classes, 4000, weight)]
    return graph


def trade(rng):
    """Weights determine the classes: heavy edges lead to the next class."""
    classes = [rng.randrange(3) for _ in range(400)]
    graph = Graph("role", ["population", "area"], ["weight"])
    for i, c in enumerate(classes):
        graph.nodes.append([f"n{i}", round(math.exp(rng.gauss(14, 1.5))),
                            round(math.exp(rng.gauss(10 + 0.3 * c, 1))), f"role{c}"])
    for u, v in arcs_by_class(rng, classes, 5000, lambda a, b: 0.5):
        heavy = (classes[v] - classes[u]) % 3 == 1
        weight = round(math.exp(rng.gauss(2 if heavy else 0.5, 0.8)), 3)
        graph.edges.append([f"n{u}", f"n{v}", weight])
    return graph


def trust(rng):
    """Signed edges: trust within a camp, distrust between camps."""
    classes = [rng.randrange(2) for _ in range(500)]
    graph = Graph("camp", ["posts", "member_days"], ["weight"])
    for i, c in enumerate(classes):
        graph.nodes.append([f"m{i}", int(rng.paretovariate(1.2)), rng.randrange(1, 3000), f"camp{c}"])
    for u, v in arcs_by_class(rng, classes, 3500, lambda a, b: 0.6 if a == b else 0.4):
        agree = classes[u] == classes[v]
        graph.edges.append([f"m{u}", f"m{v}", 1 if (rng.random() < 0.75) == agree else -1])
    return graph


def fraud(rng):
    """Unbalanced classes, some with few members; money goes from mules to collectors."""
    classes = [rng.choices(range(4), weights=[85, 8, 5, 2])[0] for _ in range(1000)]
    names = ["normal", "mule", "collector", "shop"]
    graph = Graph("role", ["opened_days", "limit", "channel"])
    for i, c in enumerate(classes):
        graph.nodes.append([f"a{i}", rng.randrange(10, 3000) // (2 if c in (1, 2) else 1),
                            rng.choice([500, 1000, 5000, 20000]),
                            pick(rng, ["app", "web", "branch"], c % 3, 0.2), names[c]])
    table = [[0.2, 0.1, 0.05, 0.8], [0.05, 0.1, 0.9, 0.1], [0.02, 0.05, 0.2, 0.3],
             [0.3, 0.05, 0.02, 0.1]]
    graph.edges = [(f"a{u}", f"a{v}")
                   for u, v in arcs_by_class(rng, classes, 6000, lambda a, b: table[a][b])]
    return graph


def transfers(rng):
    """The class follows from the direction of transfers alone; columns of noise."""
    classes = [rng.randrange(3) for _ in range(600)]
    graph = Graph("segment", ["noise1", "noise2", "noise3"])
    for i, c in enumerate(classes):
        noise = [round(rng.gauss(0, 1), 4) for _ in range(3)]
        graph.nodes.append([f"acc{i:04}", *noise, f"segment{c}"])
    weight = lambda a, b: {0: 0.5, 1: 0.8, 2: 0.2}[(b - a) % 3]
    graph.edges = [(f"acc{u:04}", f"acc{v:04}") for u, v in arcs_by_class(rng, classes, 9000, weight)]
    return graph


DEVELOPMENT = {graph.__name__: graph for graph in (accounts, sensors, products, trade, trust, fraud)}
GRAPHS = DEVELOPMENT | {"transfers": transfers}


def write_graphs(folder, names=tuple(DEVELOPMENT), seed=0):
    """Returns the label column of each graph."""
    labels = {}
    for name in names:
        graph = GRAPHS[name](random.Random(f"{name} {seed}"))
        graph.write(pathlib.Path(folder) / name)
        labels[name] = graph.node_heading[-1]
    return labels


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", default=list(GRAPHS), metavar="name",
                        help=f"default: all of {', '.join(GRAPHS)}")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(GRAPHS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(GRAPHS)}")
    for name, label in write_graphs(arguments.folder, arguments.names, arguments.seed).items():
        print(f"{name}: --label-column {label}  ({GRAPHS[name].__doc__})")


if __name__ == "__main__":
    main()
