"""The pages of `dsnn sweep-report` and `dsnn reproduce` in a browser: check_report.py PATH_OF_DSNN. Exits with 77 without chromium."""
import itertools
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import browser

SPACE = """
method = "halving"
keep = 3
rungs = [{ splits = 1, epochs = 3 }, { splits = 2, epochs = 5 }]
[parameters]
layers = [1, 2]
dropout = [0.0, 0.25, 0.5]
low_pass = [false, true]
sheaf_act = ["elu", "tanh"]
weight_decay = { from = 1e-4, to = 1e-2, scale = "log" }
"""
# A step of the second size makes all values non-finite.
FAILING = 'method = "grid"\n[parameters]\nlr = [0.01, 1000.0]\nlayers = [6]\n'
ALL_FAILING = FAILING.replace("0.01, ", "900.0, ")
ONE_VALUE = 'method = "grid"\n[parameters]\nlayers = [1]\n'

# Runs in the page: acts like a user, and leaves the results in the document.
USE = """
const cells = (i) => [...document.querySelectorAll("#table tbody tr")].map((row) => row.children[i].textContent);
const heading = (i) => document.querySelectorAll("#table th button")[i];
const used = {};
heading(1).click();
used.by_trial = cells(1);
heading(1).click();
used.by_trial_again = cells(1);
heading(0).click();
used.by_place = cells(0);
const line = document.querySelector(".trial[tabindex='0']");
line.focus();
used.focused = document.getElementById("choice").textContent;
line.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
used.next = document.getElementById("choice").textContent;
document.activeElement.blur();
const plot = document.querySelector("#lines svg");
const box = plot.getBoundingClientRect();
const middle = line.getPointAtLength(line.getTotalLength() * 0.95);
plot.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + middle.x, clientY: box.top + middle.y}));
used.pointed = document.getElementById("choice").textContent;
plot.dispatchEvent(new PointerEvent("pointerleave"));
const grip = [...document.querySelectorAll(".grip")].pop();
grip.setPointerCapture = () => {};  // there is no pointer to capture
const part = grip.getBoundingClientRect();
const drag = (type, y) => grip.dispatchEvent(new PointerEvent(type, {clientX: part.left + 9, clientY: y, bubbles: true}));
drag("pointerdown", part.top + 1);
drag("pointermove", part.top + 0.3 * part.height);
drag("pointerup", part.top + 0.3 * part.height);
const shown = () => [...document.querySelectorAll("#table tbody tr")].filter((row) => !row.hidden).length;
used.brushed = shown();
used.lines_out = document.querySelectorAll(".trial.out").length;
drag("pointerdown", part.top + 50);
drag("pointerup", part.top + 50);
used.unbrushed = shown();
const used_element = document.createElement("pre");
used_element.id = "used";
used_element.textContent = JSON.stringify(used);
document.body.append(used_element);
"""


class ReportTest(browser.BrowserTest):
    def sweep(self, space, *options):
        """Sweeps a small graph; the path of the page."""
        graph = self.folder / "graph.npz"
        self.dsnn("generate", "dsbm", "-n", 60, "-C", 3, "--alpha-in", 0.2, "--alpha-out", 0.2, "--beta", 0.1, "-o", graph)
        (self.folder / "space.toml").write_text(space)
        self.dsnn("sweep", self.folder / "space.toml", "--dataset", graph, "--model", "diag-dsnn", "--set", "channels=4",
                  "--set", "epochs=5", "--out", self.folder / "sweep", *options)
        self.dsnn("sweep-report", self.folder / "sweep")
        return self.folder / "sweep" / "report.html"

    def test_draws_a_line_and_a_row_for_each_trial(self):
        page = self.open(self.sweep(SPACE, "--trials", 12), USE)
        self.assertEqual(page.classes.count("trial"), 12)
        self.assertEqual(page.num_rows, 13)
        self.assertEqual(page.classes.count("mark"), 12 + 4)  # four went on to the second rung
        self.assertEqual(page.classes.count("chance"), 5)
        used = json.loads(page.texts["used"])
        self.assertEqual(used["by_trial"], [str(i) for i in range(12)])
        self.assertEqual(used["by_trial_again"], [str(11 - i) for i in range(12)])
        self.assertEqual(used["by_place"], [str(i + 1) for i in range(12)])
        for name in ("focused", "next", "pointed"):
            self.assertRegex(used[name], r"^Trial \d+: validation [\d.]+ % over 2 splits, rung 2 of 2, .*sheaf_act (elu|tanh)")
        self.assertNotEqual(used["focused"], used["next"])
        self.assertIn(used["brushed"], range(1, 12))
        self.assertEqual(used["brushed"] + used["lines_out"], 12)
        self.assertEqual(used["unbrushed"], 12)

    def test_would_hear_of_errors(self):
        for wrong in ("console.error(1);", "nothing.at_all();"):
            self.assertEqual(len(self.browse(f"<body><script>{wrong}</script></body>")[1]), 1)

    def test_scores_may_tie_but_for_rounding(self):
        numbers = itertools.cycle(("0.8333333333333333", "0.8333333333333334"))
        page = self.open(self.sweep(SPACE, "--trials", 12),
                         change=lambda text: re.sub(r'(?<="validation":)[\d.e-]+', lambda match: next(numbers), text))
        self.assertEqual(page.classes.count("trial"), 12)
        self.assertIn("83", page.texts["time"])

    def test_shows_trials_that_failed(self):
        page = self.open(self.sweep(FAILING))
        self.assertEqual((page.classes.count("trial"), page.classes.count("unscored")), (2, 1))
        self.assertIn("not finite", page.texts["table"])

    def test_shows_that_all_failed(self):
        page = self.open(self.sweep(ALL_FAILING), """
            document.querySelector(".trial[tabindex='0']").focus();
            const used = html("pre", document.body, byId("choice").textContent);
            used.id = "used";""")
        self.assertEqual((page.classes.count("trial"), page.classes.count("unscored")), (2, 2))
        self.assertIn("No trial has finished a rung", page.texts["time"])
        self.assertRegex(page.texts["used"], r"^Trial \d: no validation score, no rung finished.*Failed: ")

    def test_one_trial(self):
        page = self.open(self.sweep(SPACE, "--trials", 1))
        self.assertEqual(page.classes.count("trial"), 1)
        self.assertIn("Too few trials", page.texts["importance"])
        self.assertNotIn("incomplete", page.texts["facts"])

    def test_no_parameter_to_choose(self):
        page = self.open(self.sweep(ONE_VALUE))
        self.assertEqual(page.classes.count("trial"), 1)
        self.assertIn("no parameter with more than one value", page.texts["importance"])

    def test_no_trial_yet(self):
        page = self.open(self.sweep(SPACE, "--budget", "0.000001s"))
        self.assertEqual(page.classes.count("trial"), 0)
        self.assertIn("no trial yet", page.texts["lines"])
        self.assertIn("incomplete", page.texts["facts"])

    def reproduce(self, what, column, *options):
        """Trains a table of one cell; the path of the page."""
        configs = self.folder / "configs" / what
        (configs / column).mkdir(parents=True)
        (configs / column / "mlp.toml").write_text('model = "mlp"\n[parameters]\nepochs = 2\n')
        (configs / "paper.csv").write_text(f"model,column,mean,std\nmlp,{column},50,100\n")
        self.dsnn("reproduce", what, "--configs", self.folder / "configs", "--out", self.folder / "out", *options)
        return self.folder / "out" / f"{what}.html"

    def test_the_table_of_the_reproduction(self):
        graph = self.folder / "texas.npz"
        self.dsnn("generate", "dsbm", "-n", 60, "-C", 3, "--alpha-in", 0.2, "--alpha-out", 0.2, "--beta", 0.1, "-o", graph)
        page = self.open(self.reproduce("table1", "texas", "--data-dir", self.folder))
        self.assertEqual(page.classes.count("agrees"), 1)

    def test_the_figure_of_the_reproduction(self):
        page = self.open(self.reproduce("figure2", "0.05"))
        self.assertIn("svg", [drawn.split()[0] for drawn in page.drawn])
        self.assertEqual(page.classes.count("agrees"), 1)


if __name__ == "__main__":
    browser.main()
