#!/usr/bin/env python3
"""Logs of dsnn read by those they are for, TensorBoard and Optuna: check_logs.py PROGRAM [unittest options].

Exits with 77, which means 'skipped', where either is missing (scripts/test-python.sh installs both)."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
SPACE = """method = "halving"
keep = 3
rungs = [{ splits = 1, epochs = 3 }, { splits = 2 }]
[parameters]
layers = { from = 1, to = 3 }
channels = [4, 8]
lr = { from = 1e-3, to = 1e-1, scale = "log" }
normalise = [false, true]
"""


class LogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dsnn-logs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.graph = self.folder / "blocks.npz"
        self.dsnn("generate", "dsbm", "-n", 60, "-C", 3, "--alpha-in", 0.2, "--alpha-out", 0.2, "-o", self.graph)

    def dsnn(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_tensorboard_has_the_values_of_the_metrics(self):
        run = self.folder / "run"
        self.dsnn("train", self.graph, "--model", "gcn", "--splits", "0-1", "--set", "epochs=12", "--out", run,
                  "--log", "tensorboard")
        for split in ("split-0", "split-1"):
            events = event_accumulator.EventAccumulator(str(run / split))
            events.Reload()
            with open(run / split / "metrics.csv", newline="") as file:
                epochs = list(csv.DictReader(file))
            self.assertEqual(len(epochs), 12)
            for tag, column, scale in (("loss/step", "step_loss", 1), ("loss/validation", "val_loss", 1),
                                       ("accuracy/test", "test_accuracy", 100), ("accuracy/train", "train_accuracy", 100)):
                scalars = events.Scalars(tag)
                self.assertEqual([scalar.step for scalar in scalars], [int(epoch["epoch"]) for epoch in epochs])
                for scalar, epoch in zip(scalars, epochs):
                    self.assertAlmostEqual(scalar.value, float(epoch[column]) / scale, 5)

    def sweep(self, trials, *options):
        (self.folder / "space.toml").write_text(SPACE)
        words = ["sweep", self.folder / "space.toml", "--dataset", self.graph, "--model", "sage", "--trials", trials,
                 "--set", "epochs=6", "--out", self.folder / "sweep", "--json", *options]
        return json.loads(self.dsnn(*words))["trials"]

    def study(self):
        backend = optuna.storages.journal.JournalFileBackend(str(self.folder / "sweep" / "journal.log"))
        return optuna.load_study(study_name=None, storage=optuna.storages.JournalStorage(backend))

    def check_study(self, trials):
        study = self.study()
        self.assertEqual(study.study_name, "sage on blocks")
        self.assertEqual(len(study.trials), len(trials))
        rungs = {trial["trial"]: trial["rung"] for trial in trials}
        for trial in trials:
            shown = study.trials[trial["trial"]]
            complete = rungs[trial["trial"]] == max(rungs.values())
            self.assertEqual(shown.state.name, "COMPLETE" if complete else "PRUNED")
            self.assertEqual(set(shown.params), {"layers", "channels", "lr", "normalise"})
            for name, value in trial["parameters"].items():
                if name in shown.params:
                    self.assertAlmostEqual(shown.params[name], value)
        best = trials[0]
        self.assertEqual(study.best_trial.value, max(t.value for t in study.trials if t.state.name == "COMPLETE"))
        self.assertAlmostEqual(100 * study.trials[best["trial"]].value, best["val_accuracy_mean"])

    def test_optuna_has_the_trials_of_a_sweep(self):
        self.check_study(self.sweep(9))

    def test_a_line_that_was_cut_is_written_again(self):
        trials = self.sweep(9)
        journal = self.folder / "sweep" / "journal.log"
        text = journal.read_bytes()
        lines = text.splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[:7]) + lines[7][:10])
        # Only who trains writes: one more trial.
        self.assertEqual(len(self.sweep(10, "--resume")), 10)
        self.assertEqual(len(self.study().trials), 10)
        self.assertEqual(self.study().trials[trials[0]["trial"]].state.name, "COMPLETE")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        import optuna
        from tensorboard.backend.event_processing import event_accumulator
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
