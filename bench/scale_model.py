#!/usr/bin/env python3
"""What an epoch on a graph in parts takes by the model of docs/scale.md, as a table in Markdown.

bench/scale_model.py mpi.json [--nodes 111e6] [--edges 1.6e9] [--cut 0.1] [--ghosts 1] [--ranks 16 64 512]

mpi.json is the result of bench/mpi.py, from which the time and memory of an edge come. A share `cut` of the edges is
between parts, and each node is a ghost in `ghosts` parts on average. The network is that of bench/mpi.py: diag-dsnn
with 2 stalk dimensions (and one fixed), 8 channels and 2 layers.
"""

import argparse
import json

# Of the network: layers, stalk dimensions without and with the fixed one, channels; passes with dropout.
LAYERS, LEARNED, DIMS, CHANNELS, PASSES = 2, 2, 3, 8, 3


def bytes_of_rows(cut_edges, ghosts):
    """All ranks together, in an epoch."""
    of_half_edges = LAYERS * DIMS
    of_nodes = (LAYERS - 1) * (2 * LEARNED + 2 * DIMS * CHANNELS)
    return 4 * PASSES * (2 * cut_edges * of_half_edges + ghosts * of_nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured")
    parser.add_argument("--nodes", type=float, default=111e6)
    parser.add_argument("--edges", type=float, default=1.6e9)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--cut", type=float, default=0.1)
    parser.add_argument("--ghosts", type=float, default=1)
    parser.add_argument("--ranks", type=int, nargs="+", default=[16, 64, 512])
    parser.add_argument("--threads", type=int, default=16, help="of each rank")
    parser.add_argument("--bandwidth", type=float, default=10e9, help="bytes a second of each rank")
    arguments = parser.parse_args()
    with open(arguments.measured, encoding="utf-8") as file:
        measured = json.load(file)
    partition, whole = measured["partition"], measured["whole"][0]
    foretold = bytes_of_rows(partition["cut_edges"], partition["ghosts"])
    if foretold != measured["rows_sent"]:
        raise SystemExit(f"{arguments.measured}: {measured['rows_sent']} bytes were sent, the model says {foretold}")
    scale = arguments.edges / partition["edges"]
    rows = bytes_of_rows(arguments.cut * arguments.edges, arguments.ghosts * arguments.nodes)
    features = 4 * arguments.features * arguments.nodes
    print("| ranks | memory of a rank | sent by a rank | computing | sending |\n|---|---|---|---|---|")
    for ranks in arguments.ranks:
        share = (1 + arguments.ghosts) / ranks  # nodes of a part, compared with all
        memory = (whole["memory"] * scale + features) * share
        computing = whole["epoch_seconds"] * scale * share / arguments.threads
        sent = rows / ranks
        print(f"| {ranks} | {memory / 1e9:.0f} GB | {sent / 1e9:.2f} GB | {computing:.1f} s | "
              f"{sent / arguments.bandwidth:.2f} s |")


if __name__ == "__main__":
    main()
