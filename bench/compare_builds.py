#!/usr/bin/env python3
"""Compares two builds of the program dsnn in one run: time per epoch, memory, threads, and start-up time."""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = """
Examples:
  export DSNN_DATA=folder-with-datasets
  bench/compare_builds.py old/dsnn build/release/dsnn
  bench/compare_builds.py old/dsnn build/release/dsnn --datasets texas --models gen-dsnn,gcn --repeats 3
  bench/compare_builds.py old/dsnn build/release/dsnn --sheaf --baselines --start --check
  bench/compare_builds.py old/dsnn build/release/dsnn --large
  bench/compare_builds.py old/dsnn build/release/dsnn --threads --busy

An epoch is the mean of a run of 'dsnn train' on split 0 (its own clock: without start and data), and of several runs the
shortest counts: what disturbs a run only ever makes it longer. The builds take turns, so that both meet the same disturbances.
Exits with 1 if a goal is missed and --check was given, with 2 if something is missing or fails.
"""

SHEAF_MODELS = ["diag-dsnn", "orth-dsnn", "gen-dsnn"]
SHEAF_SETTINGS = ["stalk_dim=4", "channels=32", "layers=4", "dropout=0.5", "input_dropout=0.5", "embed_dropout=0.5",
                  "edge_weights=no"]
BASELINES = ["mlp", "gcn", "gat", "sage", "sgc", "gcnii", "mixhop", "geomgcn", "h2gcn", "fagcn", "gprgnn", "ggcn", "magnet",
             "sigmanet", "dirgnn"]
BASELINE_SETTINGS = {"gcnii": ["layers=8"]}  # its default of 64 takes long and shows the same
SHEAF_DATASETS = ["texas", "cora", "chameleon_filtered", "film"]
BASELINE_DATASETS = ["texas", "cora", "film"]

# The required speed-up of the new build, by dataset.
SHEAF_GOALS = {"texas": 1.3, "cora": 1.15, "chameleon_filtered": 1.15, "film": 1.15}
BASELINE_GOALS = {"texas": 1.0, "cora": 1.0, "film": 1.0}
START_GOAL = 0.050  # seconds of a whole command
TOLERANCE = 0.03    # tolerance of a goal: the variation between runs

CALIBRATION_EPOCHS = 10
LEAST_EPOCHS, MOST_EPOCHS = 20, 5000
START_RUNS = 20
LARGE_RUNS = 2
LARGE_EPOCHS = 3
LARGE_GRAPH = ["-n", "1000000", "-C", "5", "--alpha-in", "0.00002", "--alpha-out", "0.00002", "--beta", "0.2"]
LARGE_SETTINGS = ["stalk_dim=2", "channels=8", "layers=2"]
THREAD_MODEL, THREAD_DATASETS = "gen-dsnn", ["texas", "film"]

# Keeps a core busy until the process that started it ends.
SPIN = """
import os, sys
parent = int(sys.argv[1])
while os.getppid() == parent:
    for _ in range(10**6):
        pass
"""


class Trouble(Exception):
    """An error that ends the comparison."""


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- processes ---

children = []  # each leads its own process group, which ends with it


def start(command, **streams):
    # Ctrl-C in the terminal reaches only this script, which ends its children.
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **streams)
    children.append(child)
    return child


def end(child):
    # A child that was not waited for keeps its process id, so no other process can have it.
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    children.remove(child)


class Done:
    """The result of a command."""

    def __init__(self, code, output, errors, seconds, peak_bytes):
        self.code, self.output, self.errors = code, output, errors
        self.seconds = seconds        # of the whole command
        self.peak_bytes = peak_bytes  # the most memory that was resident


def run(*words):
    command = [str(word) for word in words]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        child = start(command, stdout=output, stderr=errors)
        try:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        finally:
            end(child)
        seconds = time.perf_counter() - begin
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    unit = 1 if sys.platform == "darwin" else 1024
    return Done(child.returncode, *texts, seconds, usage.ru_maxrss * unit)


def run_well(*words):
    done = run(*words)
    if done.code != 0:
        reason = done.errors.strip().splitlines()
        raise Trouble(f"'{' '.join(map(str, words))}' failed: {reason[-1] if reason else f'exit code {done.code}'}")
    return done


@contextlib.contextmanager
def busy_cores():
    """One process per core that keeps it busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    spinning = []
    try:
        for _ in range(cores):
            spinning.append(start([sys.executable, "-c", SPIN, str(os.getpid())]))
        yield cores
    finally:
        for child in spinning:
            end(child)


# --- what is measured ---

def is_sheaf(model):
    return model.endswith(("-dsnn", "-nsd", "-nsd-compl"))


def settings_of(model):
    return SHEAF_SETTINGS if is_sheaf(model) else BASELINE_SETTINGS.get(model, [])


def goal_of(model, dataset):
    return (SHEAF_GOALS if is_sheaf(model) else BASELINE_GOALS).get(dataset)


class Epochs:
    """Seconds of an epoch in one run of training, and the run."""

    def __init__(self, program, dataset, model, settings, epochs, extra=()):
        settings = [*settings, f"epochs={epochs}", "patience=1000000"]
        words = [word for setting in settings for word in ("--set", setting)]
        self.done = run_well(program, "train", dataset, "--model", model, "--splits", 0, "--json", *words, *extra)
        try:
            split = json.loads(self.done.output)["splits"][0]
            self.seconds = split["seconds"] / split["epochs"]
        except (ValueError, LookupError, TypeError, ZeroDivisionError) as problem:
            raise Trouble(f"{program}: no times in the result of training {model} on {dataset}") from problem


def num_epochs(options, program, dataset, model, settings):
    """The number for which a run lasts about as long as requested."""
    if options.epochs:
        return options.epochs
    epoch = Epochs(program, dataset, model, settings, CALIBRATION_EPOCHS).seconds
    return max(LEAST_EPOCHS, min(MOST_EPOCHS, round(options.seconds / max(epoch, 1e-9))))


def take_turns(repeats, *measurements):
    """The results of calling each function in turn, repeatedly: a list for each."""
    results = [[] for _ in measurements]
    for _ in range(repeats):
        for measurement, list_of_one in zip(measurements, results):
            list_of_one.append(measurement())
    return results


# --- tables ---

class Table:
    """Prints rows as they are measured."""

    def __init__(self, title, *head):
        self.title, self.head = title, head

    def row(self, *cells):
        if self.head:
            print(f"\n{self.title}\n")
            print("| " + " | ".join(self.head) + " |")
            print("|" + "---|" * len(self.head))
            self.head = ()
        print("| " + " | ".join(cells) + " |", flush=True)


def milliseconds(seconds):
    return f"{1000 * seconds:.{2 if seconds < 0.01 else 1}f} ms"


def ratio_text(ratio):
    return f"{ratio:.2f}x"


class Comparison:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.missed = []
        self.known = {}

    def verdict(self, what, goal_text, is_met):
        if not is_met:
            self.missed.append(f"{what} (goal {goal_text})")
        return f"{goal_text}, {'met' if is_met else 'missed'}"

    def knows(self, model):
        """Whether both builds have the model; prints a note once if not."""
        if model not in self.known:
            lacking = [name for name, program in (("base", self.options.base), ("new", self.options.new))
                       if run(program, "models", model).code != 0]
            for name in lacking:
                say(f"note: the {name} build does not know the model {model}: skipped")
            self.known[model] = not lacking
        return self.known[model]

    def compare_models(self, title, models, datasets):
        options = self.options
        table = Table(title, "dataset", "model", "base", "new", "speed-up", "goal")
        for dataset in datasets:
            for model in models:
                if not self.knows(model):
                    continue
                settings = [*settings_of(model), *options.settings]
                epochs = num_epochs(options, options.base, dataset, model, settings)
                say(f"{dataset} {model}: {epochs} epochs")
                times = take_turns(options.repeats,
                                   lambda: Epochs(options.base, dataset, model, settings, epochs).seconds,
                                   lambda: Epochs(options.new, dataset, model, settings, epochs).seconds)
                base, new = map(min, times)
                goal, verdict = goal_of(model, dataset), "-"
                if goal:
                    verdict = self.verdict(f"{model} on {dataset}: {ratio_text(base / new)}", ratio_text(goal),
                                           base / new >= goal * (1 - TOLERANCE))
                table.row(dataset, model, milliseconds(base), milliseconds(new), ratio_text(base / new), verdict)

    def large(self):
        options, model = self.options, "diag-dsnn"
        if not self.knows(model):
            return
        graph = self.folder / "large.npz"
        say("a block model of a million nodes")
        run_well(options.new, "generate", "dsbm", *LARGE_GRAPH, "-o", graph)
        say(f"{model} on it, {LARGE_EPOCHS} epochs")
        runs = take_turns(min(options.repeats, LARGE_RUNS),
                          lambda: Epochs(options.base, graph, model, LARGE_SETTINGS, LARGE_EPOCHS),
                          lambda: Epochs(options.new, graph, model, LARGE_SETTINGS, LARGE_EPOCHS))
        base, new = (min(each.seconds for each in of_build) for of_build in runs)
        base_peak, new_peak = (min(each.done.peak_bytes for each in of_build) for of_build in runs)
        table = Table(f"A million nodes, ten million edges, {model} ({', '.join(LARGE_SETTINGS)}):", "", "base", "new", "ratio")
        table.row("epoch", f"{base:.2f} s", f"{new:.2f} s", ratio_text(base / new))
        table.row("peak memory", f"{base_peak / 1e6:.0f} MB", f"{new_peak / 1e6:.0f} MB", ratio_text(base_peak / new_peak))

    def threads(self, title):
        options, model = self.options, THREAD_MODEL
        table = Table(title, "dataset", "model", "default threads", "--threads 1", "speed-up by threads")
        for dataset in self.options.datasets or THREAD_DATASETS:
            epochs = num_epochs(options, options.new, dataset, model, SHEAF_SETTINGS)
            say(f"{dataset} {model}: {epochs} epochs")
            times = take_turns(options.repeats,
                               lambda: Epochs(options.new, dataset, model, SHEAF_SETTINGS, epochs).seconds,
                               lambda: Epochs(options.new, dataset, model, SHEAF_SETTINGS, epochs,
                                              ("--threads", 1)).seconds)
            default, one = map(min, times)
            table.row(dataset, model, milliseconds(default), milliseconds(one), ratio_text(one / default))

    def start(self):
        """The median, not the shortest: for short commands this is what a user experiences."""
        options = self.options
        edges, nodes = self.folder / "edges.csv", self.folder / "nodes.csv"
        edges.write_text("source,target\n" + "".join(f"{i},{(i + step) % 10}\n" for i in range(10) for step in (1, 3)))
        parts = ["train"] * 6 + ["val"] * 2 + ["test"] * 2
        nodes.write_text("id,label,split,x,y\n" + "".join(f"{i},{'ab'[i % 2]},{parts[i]},{i % 3},{i / 10}\n"
                                                          for i in range(10)))
        say("ten nodes, one epoch, from start to end")

        def seconds_of(program):
            return run_well(program, "train", "--edges", edges, "--nodes", nodes, "--model", "diag-dsnn", "--splits", 0,
                            "--set", "epochs=1").seconds

        times = take_turns(START_RUNS, lambda: seconds_of(options.base), lambda: seconds_of(options.new))
        base, new = map(statistics.median, times)
        goal = f"{1000 * START_GOAL:.0f} ms"
        verdict = self.verdict(f"start: {milliseconds(new)}", goal, new <= START_GOAL * (1 + TOLERANCE))
        table = Table(f"'dsnn train' on ten nodes for one epoch, the whole command, median of {START_RUNS}:",
                      "base", "new", "speed-up", "goal")
        table.row(milliseconds(base), milliseconds(new), ratio_text(base / new), verdict)

    def run(self):
        options = self.options
        if options.models:
            self.compare_models("Milliseconds of an epoch:", options.models, options.datasets or SHEAF_DATASETS)
        elif options.sheaf:
            self.compare_models("Milliseconds of an epoch, sheaf networks:", SHEAF_MODELS,
                                options.datasets or SHEAF_DATASETS)
        if options.baselines and not options.models:
            self.compare_models("Milliseconds of an epoch, other models:", BASELINES,
                                options.datasets or BASELINE_DATASETS)
        if options.large:
            self.large()
        if options.threads:
            self.threads("Threads of the new build:")
        if options.busy:
            with busy_cores() as count:
                self.threads(f"Threads of the new build, beside {count} processes that keep all cores busy:")
        if options.start:
            self.start()


# --- arguments ---

def names(text):
    return [name for name in text.split(",") if name]


def number_from(least, kind):
    def parse(text):
        value = kind(text)
        if value < least:
            raise ValueError
        return value
    parse.__name__ = f"number, at least {least},"  # as argparse names it in a message
    return parse


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="BASE_PROGRAM", help="the build to compare with")
    parser.add_argument("new", metavar="NEW_PROGRAM", help="the build in question")
    what = parser.add_argument_group("what to compare (default: --sheaf)")
    what.add_argument("--sheaf", action="store_true", help=f"an epoch of {', '.join(SHEAF_MODELS)} on "
                      f"{', '.join(SHEAF_DATASETS)}: stalks of 4 dimensions, 32 channels, 4 layers, dropout")
    what.add_argument("--baselines", action="store_true", help=f"an epoch of the {len(BASELINES)} other models on "
                      f"{', '.join(BASELINE_DATASETS)}, with their defaults")
    what.add_argument("--models", type=names, metavar="NAME,...", help="an epoch of these models in place of the former two")
    what.add_argument("--datasets", type=names, metavar="NAME,...", help="on these datasets, names or files")
    what.add_argument("--large", action="store_true", help="an epoch and peak memory on a graph of a million nodes")
    what.add_argument("--threads", action="store_true", help=f"the new build's default threads against --threads 1 ("
                      f"{THREAD_MODEL} on {', '.join(THREAD_DATASETS)})")
    what.add_argument("--busy", action="store_true", help="the same while other processes keep all cores busy")
    what.add_argument("--start", action="store_true", help="the whole time of a command that trains ten nodes for one epoch")
    what.add_argument("--all", action="store_true", help="all of these")
    how = parser.add_argument_group("how")
    how.add_argument("--repeats", type=number_from(1, int), default=5, metavar="N", help="runs of each build (default: 5)")
    how.add_argument("--seconds", type=number_from(0, float), default=1.0, metavar="S",
                     help="about how long the epochs of a run are to last together (default: 1)")
    how.add_argument("--epochs", type=number_from(1, int), metavar="E", help="the number of epochs, instead of --seconds")
    how.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
                     help="a setting of the models besides, such as stalk_dim=2")
    how.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed by more than "
                     f"{TOLERANCE:.0%}".replace("%", "%%"))
    options = parser.parse_args()
    sections = ["sheaf", "baselines", "large", "threads", "busy", "start"]
    if options.all:
        for section in sections:
            setattr(options, section, True)
    if not options.models and not any(getattr(options, section) for section in sections):
        options.sheaf = True
    return options


def check_program(path):
    if not os.path.exists(path):
        raise Trouble(f"{path}: there is no such program")
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        raise Trouble(f"{path}: this is no program; give the file 'dsnn' of a build")
    try:
        run_well(path, "--version")
    except OSError as problem:
        raise Trouble(f"{path}: it does not run: {problem.strerror}") from problem
    return os.path.abspath(path)


def check_datasets(options):
    """All needed datasets, before anything is measured."""
    needed = set()
    if options.sheaf or options.models:
        needed.update(options.datasets or SHEAF_DATASETS)
    if options.baselines and not options.models:
        needed.update(options.datasets or BASELINE_DATASETS)
    if options.threads or options.busy:
        needed.update(options.datasets or THREAD_DATASETS)
    for dataset in sorted(needed):
        done = run(options.new, "info", dataset)
        if done.code != 0:
            folder = os.environ.get("DSNN_DATA")
            hint = f"DSNN_DATA is {folder}" if folder else "DSNN_DATA is not set: set it to the folder with the datasets"
            raise Trouble(f"the dataset {dataset} cannot be read ({hint}): {done.errors.strip()}")


def interrupted(_signal, _frame):
    raise KeyboardInterrupt


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, interrupted)
    try:
        options.base, options.new = check_program(options.base), check_program(options.new)
        check_datasets(options)
        with tempfile.TemporaryDirectory(prefix="dsnn-compare-") as folder:
            comparison = Comparison(options, folder)
            comparison.run()
    except Trouble as trouble:
        say(f"compare_builds: {trouble}")
        return 2
    except KeyboardInterrupt:
        say("compare_builds: interrupted")
        return 130
    except BrokenPipeError:  # the reader of the tables has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    finally:
        for child in list(children):
            end(child)
    if comparison.missed:
        print("\nMissed: " + "; ".join(comparison.missed))
    return 1 if options.check and comparison.missed else 0


if __name__ == "__main__":
    sys.exit(main())
