"""The page of `dsnn report` in a browser: check_report.py PATH_OF_DSNN. Its numbers are compared with those computed here
from the output of `dsnn predict`."""
import collections
import csv
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import browser

CLASSES = ["private", "business", "fraud <ring> & co"]
STUDENT = {1: 12.706204736432095, 2: 4.302652729911275}  # quantiles for 95 %, by degrees of freedom


class ReportTest(browser.BrowserTest):
    def accounts(self, num_splits):
        """Two CSV files; what a command needs to read them. Transfers between kinds of accounts have a direction."""
        chance = random.Random(1)
        self.rows = []
        for i in range(120):
            row = {"id": f"AC-{i:04}", "country": chance.choice(["DE", "FR", "Österreich"]), "age": chance.randint(18, 90),
                   "kind": chance.choice(CLASSES)}
            for split in range(num_splits):
                row[f"split{split}"] = chance.choices(["train", "val", "test"], [5, 2, 3])[0]
            self.rows.append(row)
        with open(self.folder / "accounts.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, self.rows[0])
            writer.writeheader()
            writer.writerows(self.rows)
        likely = [[0.02, 0.06, 0.01], [0.01, 0.02, 0.06], [0.06, 0.01, 0.02]]
        self.arcs = {(a["id"], b["id"]) for a in self.rows for b in self.rows if a is not b and chance.random() <
                     likely[CLASSES.index(a["kind"])][CLASSES.index(b["kind"])]}
        (self.folder / "transfers.csv").write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in sorted(self.arcs)))
        data = ["--edges", self.folder / "transfers.csv", "--nodes", self.folder / "accounts.csv", "--label-column", "kind"]
        for split in range(num_splits):
            data += ["--split-column", f"split{split}"]
        return data

    def report(self, model, num_splits=2, *options):
        """Trains and writes a page; its path and the data of its scripts."""
        self.data = self.accounts(num_splits)
        self.run_folder = self.folder / "run"
        self.dsnn("train", *self.data, "--model", model, "--set", "channels=6", "--set", "epochs=20", "--out", self.run_folder)
        return self.page(*options)

    def page(self, *options):
        self.dsnn("report", self.run_folder, *self.data, *options)
        path = self.run_folder / "report.html"
        return path, json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1])

    def predictions(self, folder, num_splits=2):
        """Of the test nodes: (split, id, label, prediction, its probability), by the table of `dsnn predict`."""
        tested = []
        for split in range(num_splits):
            self.dsnn("predict", folder, *self.data, "--of-split", split, "-o", self.folder / "out.csv")
            with open(self.folder / "out.csv", newline="") as file:
                lines = list(csv.reader(file))
            names = lines[0][2:]
            for line, row in zip(lines[1:], self.rows):
                self.assertEqual(line[0], row["id"])
                if row[f"split{split}"] == "test":
                    tested.append((split, row["id"], row["kind"], line[1], max(map(float, line[2:2 + len(names)]))))
        return tested

    def accuracies(self, tested):
        by_split = collections.defaultdict(list)
        for split, _, label, predicted, _ in tested:
            by_split[split].append(label == predicted)
        return [sum(hits) / len(hits) for _, hits in sorted(by_split.items())]

    def assert_interval(self, interval, values, share=0):
        mean, n = sum(values) / len(values), len(values)
        deviation = (sum((value - mean) ** 2 for value in values) / (n - 1)) ** 0.5
        reach = STUDENT[n - 1] * deviation * (1 / n + share) ** 0.5
        self.assertAlmostEqual(interval["low"], mean - reach, 6)
        self.assertAlmostEqual(interval["high"], mean + reach, 6)

    def test_numbers_are_those_of_the_predictions(self):
        _, data = self.report("diag-dsnn", 3)
        tested = self.predictions(self.run_folder, 3)
        accuracies = self.accuracies(tested)
        for split, accuracy in zip(data["splits"], accuracies):
            self.assertAlmostEqual(split["accuracy"], accuracy)
            n = split["num_test"]  # Wilson's interval: roots of its equation
            for p in split["interval"].values():
                self.assertAlmostEqual((p - accuracy) ** 2, 1.959963984540054 ** 2 * p * (1 - p) / n)
        self.assertAlmostEqual(data["accuracy"]["mean"], sum(accuracies) / 3)
        self.assert_interval(data["accuracy"]["interval"], accuracies)

        names = [row["name"] for row in data["classes"]]
        self.assertEqual(sorted(names), sorted(CLASSES))
        counts = collections.Counter((label, predicted) for _, _, label, predicted, _ in tested)
        self.assertEqual(data["confusion"], [[counts[a, b] for b in names] for a in names])
        for row in data["classes"]:
            name = row["name"]
            support, found = sum(counts[name, b] for b in names), sum(counts[a, name] for a in names)
            self.assertEqual(row["support"], support)
            self.assertAlmostEqual(row["recall"], counts[name, name] / support)
            if found:
                self.assertAlmostEqual(row["precision"], counts[name, name] / found)
            self.assertAlmostEqual(row["f1"], 2 * counts[name, name] / (support + found))
        self.assertAlmostEqual(data["largest_class"], max(row["support"] for row in data["classes"]) / len(tested))

        error = 0
        for i, drawn in enumerate(data["calibration"]["bins"]):
            inside = [p for p in tested if min(int(10 * p[4]), 9) == i]
            self.assertEqual(drawn["count"], len(inside))
            if inside:
                self.assertAlmostEqual(drawn["probability"], sum(p[4] for p in inside) / len(inside), 4)
                self.assertAlmostEqual(drawn["accuracy"], sum(p[2] == p[3] for p in inside) / len(inside))
                error += abs(sum(p[4] - (p[2] == p[3]) for p in inside)) / len(tested)
        self.assertAlmostEqual(data["calibration"]["error"], error, 4)

        wrong = collections.defaultdict(float)
        for _, node, label, predicted, probability in tested:
            if label != predicted:
                wrong[node] = max(wrong[node], probability)
        self.assertEqual(data["mistakes"]["num_nodes"], len(wrong))
        for row, probability in zip(data["mistakes"]["worst"], sorted(wrong.values(), reverse=True)):
            self.assertAlmostEqual(row["probability"], probability, 4)
            self.assertAlmostEqual(wrong[row["node"]], probability, 4)
            edges = {frozenset(arc) for arc in self.arcs if row["node"] in arc}
            self.assertEqual(row["degree"], len(edges))

        for curve in data["curves"]:
            with open(self.run_folder / f"split-{curve['split']}" / "metrics.csv", newline="") as file:
                epochs = list(csv.DictReader(file))
            for name, column, scale in (("train_loss", "train_loss", 1), ("validation_loss", "val_loss", 1),
                                        ("train_accuracy", "train_accuracy", 100), ("validation_accuracy", "val_accuracy", 100)):
                self.assertEqual(len(curve[name]), len(epochs))
                for number, epoch in zip(curve[name], epochs):
                    self.assertAlmostEqual(number, float(epoch[column]) / scale, 4)

        parts = [row[f"split{split}"] for row in self.rows for split in range(3)]
        share = parts.count("test") / parts.count("train")
        for comparison in data["comparisons"]:
            others = self.accuracies(self.predictions(self.run_folder / "report" / comparison["name"], 3))
            differences = [a - b for a, b in zip(accuracies, others)]
            self.assertAlmostEqual(comparison["accuracy"], sum(others) / 3)
            self.assertAlmostEqual(comparison["difference"], sum(differences) / 3)
            self.assert_interval(comparison["interval"], differences)
            self.assert_interval(comparison["corrected"], differences, share)

        for edge in data["sheaf"]["edges"]:
            self.assertIn((edge["source"], edge["target"]), self.arcs)
            self.assertEqual(edge["is_two_way"], (edge["target"], edge["source"]) in self.arcs)

    def test_draws_all_of_a_sheaf_network(self):
        path, data = self.report("orth-dsnn")
        page = self.open(path, """
            const select = document.querySelector("#curve-choice select");
            const before = document.querySelectorAll("#loss .curve").length;
            select.value = "1";
            select.dispatchEvent(new Event("change"));
            const used = html("pre", document.body, `${before} ${document.querySelectorAll("#loss .curve").length}`);
            used.id = "used";""")
        self.assertEqual(page.texts["used"].strip(), "4 2")
        self.assertEqual(page.classes.count("kept"), 2)  # one split: of the loss and of the accuracy
        self.assertEqual(page.classes.count("reach"), 4)
        self.assertEqual(page.classes.count("wide"), 2)
        self.assertIn("arc directions", page.texts["comparison-table"])
        self.assertIn(data["mistakes"]["worst"][0]["node"], page.texts["mistakes"])
        self.assertIn(data["sheaf"]["edges"][0]["source"], page.texts["edges"])
        self.assertIn("fraud <ring> & co", page.texts["confusion"])
        self.assertEqual(page.classes.count("bar"), 40 * len(data["sheaf"]["layers"]))

    def test_one_split_and_no_comparison(self):
        path, _ = self.report("gcn", 1, "--no-comparison")
        page = self.open(path)
        self.assertIn("--no-comparison", page.texts["comparison"])
        self.assertNotIn("edges", [name for name, text in page.texts.items() if "AC-" in text])
        self.assertEqual(page.texts["curve-choice"].strip(), "")
        path, _ = self.page()
        page = self.open(path)
        self.assertIn("gcn has no charge", page.texts["comparison-text"])
        self.assertIn("One split gives no interval", page.texts["comparison-text"])

    def test_page_of_several_networks(self):
        """What `dsnn fit` keeps has its data beside it."""
        data = self.accounts(1)
        folder = self.folder / "fitted"
        self.dsnn("fit", *data, "--trials", 6, "--members", 3, "--out", folder)
        self.dsnn("report", folder)
        drawn = json.loads(re.search(r'id="data">(.*?)</script>', (folder / "report.html").read_text(), re.DOTALL)[1])
        tested = self.predictions_of_fit(folder)
        self.assertAlmostEqual(drawn["accuracy"]["mean"], sum(label == p for label, p in tested) / len(tested))
        page = self.open(folder / "report.html", """
            const used = html("pre", document.body, `${document.querySelectorAll("#loss .curve").length}`);
            used.id = "used";""")
        self.assertEqual(page.texts["used"].strip(), "6")
        for number, member in enumerate(drawn["members"], 1):
            self.assertIn(f"{number} ({member['model']})", page.texts["curve-choice"])
        self.assertIn("mean of the probabilities", page.texts["parameters-text"])

    def predictions_of_fit(self, folder):
        """Label and prediction of each test node."""
        self.dsnn("predict", folder, "-o", self.folder / "out.csv")
        with open(self.folder / "out.csv", newline="") as file:
            predicted = {row["id"]: row["label"] for row in csv.DictReader(file)}
        return [(row["kind"], predicted[row["id"]]) for row in self.rows if row["split0"] == "test"]

    def test_page_of_links(self):
        self.data = [*self.accounts(1)[:4], "--task", "links"]
        self.run_folder = self.folder / "links"
        self.dsnn("train", *self.data, "--model", "gcn", "--metric", "hits@20", "--set", "epochs=20", "--set", "channels=6",
                  "--splits", "0-1", "--out", self.run_folder)
        self.data = self.data[:4]
        path, data = self.page()
        self.dsnn("predict", self.run_folder, *self.data, "--top", "5", "-o", self.folder / "top.csv")
        with open(self.folder / "top.csv", newline="") as file:
            top = sorted(csv.DictReader(file), key=lambda row: -float(row["p"]))[:30]
        page = self.open(path, """
            const texts = (selector) => [...document.querySelectorAll(selector)].map((found) => found.textContent);
            const used = html("pre", document.body, JSON.stringify({
              bars: texts("#ranks rect").length, missing: texts("#missing td:nth-child(3)"), heads: texts("#scores th"),
              curves: texts("#accuracy .curve").length,
            }));
            used.id = "used";""")
        used = json.loads(page.texts["used"])
        self.assertEqual(used["bars"], len(data["ranks"]["bins"]))
        self.assertEqual(len(used["missing"]), len(top))
        for text, row in zip(used["missing"], top):
            self.assertAlmostEqual(float(text.removesuffix(" %")), 100 * float(row["p"]), delta=0.0051)
        self.assertIn("Hits@20", used["heads"])
        self.assertEqual({(row["source"], row["target"]) in self.arcs for row in data["missing"]["arcs"]}, {False})
        self.assertIn("Hits@20", page.texts["facts"])
        self.assertIn(data["missing"]["arcs"][0]["source"], page.texts["missing"])

    def test_nothing_to_compare_with(self):
        path, _ = self.report("mlp")
        self.assertIn("does not use the graph", self.open(path).texts["comparison"])

    def test_nothing_is_clipped(self):
        """At 800 pixels, the narrowest that it is made for: nothing is wider than the page or its own box."""
        path, _ = self.report("diag-dsnn")
        page = self.open(path, """
            const wide = [...document.querySelectorAll(".plot, .scroll, body")].filter((box) => box.scrollWidth > box.clientWidth);
            const out = [...document.querySelectorAll("svg text")].filter((text) => {
              const a = text.getBoundingClientRect(), b = text.closest("svg").getBoundingClientRect();
              return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
            });
            const used = html("pre", document.body, [...wide.map((box) => box.firstChild.id || box.id),
                                                     ...out.map((text) => text.textContent)].join("; ") || "none");
            used.id = "used";""", width=800)
        self.assertEqual(page.texts["used"].strip(), "none")


if __name__ == "__main__":
    browser.main()
