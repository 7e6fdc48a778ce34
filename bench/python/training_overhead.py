"""What calling through Python costs: `dsnn.train` against the program `dsnn train`, per epoch.

    PYTHONPATH=python DSNN_C_LIBRARY=build/release/src/c/libdsnn_c.so DSNN_PROGRAM=build/release/dsnn \\
        python3 bench/python/training_overhead.py

Both train the same split with the same seed, in turn. An epoch is the time of a long training less
that of a short one, over the difference in epochs: start, loading and writing cancel. Progress is
reported in both. The least of several times counts, of the wall clock and of the processor; the
latter is also meaningful on a busy machine. The files metrics.csv of both must be the same bytes.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np

import dsnn


def clocks():
    """Seconds of the wall clock, and of the processor in this process and its children."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(u.ru_utime + u.ru_stime for u in usage)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--model", default="diag-dsnn")
    parser.add_argument("--epochs", type=int, default=220, help="of the long training")
    parser.add_argument("--few", type=int, default=20, help="epochs of the short one")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    program = os.environ.get("DSNN_PROGRAM", "dsnn")
    data = dsnn.datasets.load(options.dataset)

    def by_program(folder, epochs):
        words = [program, "train", options.dataset, "--model", options.model, "--splits", "0"]
        words += ["--seed", "1", "--threads", str(options.threads), "--out", str(folder)]
        for setting in (f"epochs={epochs}", f"patience={epochs}"):
            words += ["--set", setting]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def by_python(folder, epochs):
        dsnn.train(data, options.model, splits=[0], seed=1, threads=options.threads, folder=folder,
                   epochs=epochs, patience=epochs, progress=lambda state: None)  # fmt: skip

    times = {}
    with tempfile.TemporaryDirectory() as place:
        for repeat in range(options.repeats):
            for name, train in (("dsnn train", by_program), ("dsnn.train", by_python)):
                for epochs in (options.few, options.epochs):
                    folder = pathlib.Path(place, f"{name.replace(' ', '-')}-{epochs}-{repeat}")
                    begin = clocks()
                    train(folder, epochs)
                    times.setdefault((name, epochs), []).append(
                        [end - start for start, end in zip(begin, clocks())]
                    )
            found = [next(pathlib.Path(place).glob(f"{name}-{options.epochs}-{repeat}/**/metrics.csv"))
                     for name in ("dsnn-train", "dsnn.train")]  # fmt: skip
            if found[0].read_bytes() != found[1].read_bytes():
                raise SystemExit("the program and Python differ")

    def epoch(name):
        """Seconds of an epoch, by the wall clock and by the processor's."""
        long, short = (np.min(times[name, count], axis=0) for count in (options.epochs, options.few))
        return (long - short) / (options.epochs - options.few)

    program_epoch, python_epoch = epoch("dsnn train"), epoch("dsnn.train")
    print(f"{options.model} on {options.dataset}, the same metrics.csv, milliseconds an epoch:")
    print(f"{'':12} {'wall':>8} {'processor':>10}")
    print(f"{'dsnn train':12} {1e3 * program_epoch[0]:8.3f} {1e3 * program_epoch[1]:10.3f}")
    print(f"{'dsnn.train':12} {1e3 * python_epoch[0]:8.3f} {1e3 * python_epoch[1]:10.3f}")
    ratio = python_epoch / program_epoch
    print(f"{'ratio':12} {ratio[0]:8.3f} {ratio[1]:10.3f}")


if __name__ == "__main__":
    main()
