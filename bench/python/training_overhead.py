"""What calling through Python costs: `dsnn.train` against the program `dsnn train`, per epoch.

    PYTHONPATH=python DSNN_C_LIBRARY=build/release/src/c/libdsnn_c.so DSNN_PROGRAM=build/release/dsnn \\
        python3 bench/python/training_overhead.py

Both train the same split with the same seed, in turn. An epoch is the wall-clock time of a long
training less that of a short one, over the difference in epochs: start, loading and writing cancel.
The progress bar is on in both. The least of several times counts. The files metrics.csv of both
must be the same bytes.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import dsnn


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--model", default="diag-dsnn")
    parser.add_argument("--epochs", type=int, default=220, help="of the long training")
    parser.add_argument("--few", type=int, default=20, help="epochs of the short one")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    program = os.environ.get("DSNN_PROGRAM", "dsnn")
    data = dsnn.datasets.load(options.dataset)

    def by_program(folder, epochs):
        words = [program, "train", options.dataset, "--model", options.model, "--splits", "0"]
        words += ["--seed", "1", "--out", str(folder)]
        for setting in (f"epochs={epochs}", f"patience={epochs}"):
            words += ["--set", setting]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def by_python(folder, epochs):
        dsnn.train(data, options.model, splits=[0], seed=1, folder=folder, epochs=epochs,
                   patience=epochs, progress=lambda state: None)  # fmt: skip

    times = {}
    with tempfile.TemporaryDirectory() as place:
        for repeat in range(options.repeats):
            for name, train in (("dsnn train", by_program), ("dsnn.train", by_python)):
                for epochs in (options.few, options.epochs):
                    folder = pathlib.Path(place, f"{name.replace(' ', '-')}-{epochs}-{repeat}")
                    begin = time.perf_counter()
                    train(folder, epochs)
                    times.setdefault((name, epochs), []).append(time.perf_counter() - begin)
            found = [next(pathlib.Path(place).glob(f"{name}-{options.epochs}-{repeat}/**/metrics.csv"))
                     for name in ("dsnn-train", "dsnn.train")]  # fmt: skip
            if found[0].read_bytes() != found[1].read_bytes():
                raise SystemExit("the program and Python differ")

    epoch = {
        name: (min(times[name, options.epochs]) - min(times[name, options.few]))
        / (options.epochs - options.few)
        for name in ("dsnn train", "dsnn.train")
    }
    print(f"{options.model} on {options.dataset}, the same metrics.csv, milliseconds an epoch:")
    for name, seconds in epoch.items():
        print(f"{name:12} {1e3 * seconds:8.3f}")
    print(f"ratio        {epoch['dsnn.train'] / epoch['dsnn train']:8.3f}")


if __name__ == "__main__":
    main()
