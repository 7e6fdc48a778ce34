"""Scripts on made-up tables, runs and logs: check_scripts.py ROOT, the repository."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zlib

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*words, cwd=None, env=None):
    """Exit code, and what was written to stdout and stderr."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, env=env)
    return done.returncode, done.stdout + done.stderr


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class SeedTable(ScriptTest):
    SCRIPT = ROOT / "scripts" / "seed_table.py"

    def cell(self, name, searched, *others):
        runs = [{"seed": seed, "test_accuracy_mean": mean} for seed, mean in enumerate(others)]
        if searched:
            runs.append({"seed": 9876, "seed_of_the_search": True, "test_accuracy_mean": searched})
        self.write(f"{name}.json", json.dumps({"runs": runs}))

    def test_compares_seeds(self):
        for name, *scores in (("texas/diag-dsnn", 84, 80, 82), ("texas/diag-nsd", 80, 81.5), ("cora/diag-dsnn", 87), ("cora/gcn", 0, 81)):
            self.cell(name, *scores)
        code, text = run(self.SCRIPT, self.folder)
        self.assertEqual(code, 0, text)
        self.assertIn("| dataset | model | seed of the search | new seeds | mean of these |\n", text)
        self.assertIn("| texas | diag-dsnn | 84.00 | 80.00, 82.00 | 81.00 |\n", text)
        self.assertNotIn("cora", text)  # not trained with both
        self.assertIn("\nOver 2 cells: 82.00 with the seeds of the search, 81.25 with new seeds; "
                      "difference +0.75, its standard error over the cells 2.25.\n", text)
        self.assertIn("over 1 cells of nsd: 80.00 with the seeds of the search, 81.50 with", text)

    def test_says_what_is_missing(self):
        self.cell("texas/gcn", 80)
        self.assertEqual(run(self.SCRIPT, self.folder),
                         (1, f"seed_table: {self.folder}: no cell is trained with the seed of the search and with another\n"))


class SweepCells(ScriptTest):
    SCRIPT = ROOT / "scripts" / "sweep-cells.py"

    def test_finds_cells_that_moved(self):
        head = (ROOT / "configs/table1/texas/orth-dsnn.toml").read_text()
        score, splits = re.search(r"accuracy ([\d.]+) % over (\d+) splits", head).groups()
        for shift, expected in ((0, 0), (0.5, 1)):
            values = [{"val_accuracy": float(score) + shift}] * int(splits)
            self.write("texas/orth-dsnn/result.json", json.dumps({"splits": values}))
            code, text = run(self.SCRIPT, "check", "--runs", self.folder)
            self.assertEqual(code, expected, text)
            self.assertEqual("texas/orth-dsnn.toml" in text, bool(expected), text)
        code, text = run(self.SCRIPT, "check", "--runs", self.folder / "none")
        self.assertEqual(code, 2, text)
        self.assertIn("none: no such folder", text)


    # Sweeps of a program that fails in the folder named bad and knows a best trial elsewhere.
    PROGRAM = """#!/bin/sh
echo "$*" >>"$(dirname "$0")/commands"
while [ $# -gt 1 ]; do
  if [ "$1" = --out ]; then out=$2; fi
  shift
done
echo "$out" >>"$(dirname "$0")/log"
case $out in */bad) exit 1 ;; esac
printf '# head\\nmodel = 1\\n' >"$out/best.toml"
echo '{"bracket": 60, "commits": ["abc"], "trials": [{"trial": 3, "splits": 2, "seconds": 90, "val_accuracy_mean": 50}]}'
"""

    def set_up_copy(self):
        script = self.write("scripts/sweep-cells.py", self.SCRIPT.read_text())
        program = self.write("program", self.PROGRAM)
        for path in (script, program):
            path.chmod(0o755)
        self.write("configs/spaces/sheaf.toml", "keep = 4  # comment\n")
        return lambda *words: run(script, *words, env=os.environ | {"DSNN_PROGRAM": str(program)})

    def test_resumes_where_it_stopped(self):
        sweep = self.set_up_copy()
        words = ["table1", "--out", self.folder / "out", "--columns", "texas", "--models"]
        self.assertEqual(sweep(*words, "good")[0], 0)
        config = self.folder / "configs/table1/texas/good.toml"
        self.assertIn("# Trial 3 of 60, validation accuracy 50.00 % over 2 splits; 2 min on one core, commit abc.\n"
                      "# Space ", config.read_text())
        self.assertEqual(sweep("check"), (0, ""))
        log = self.folder / "log"
        for more, expected in (([], ["bad"]), (["--again"], ["good", "bad"]), ([], ["bad"])):
            log.unlink()
            self.assertEqual(sweep(*words, "good,bad", *more)[0], 1)
            self.assertEqual([line.rsplit("/")[-1] for line in log.read_text().split()], expected)
        self.assertTrue((self.folder / "out/texas/good.old-1").exists())
        code, text = sweep(*words, "other", "--trials", "61")  # begun with 60
        self.assertEqual(code, 1)
        self.assertIn("was started with 60 trials", text)

    def test_rows_of_maps_share_their_settings(self):
        sweep = self.set_up_copy()
        self.write("configs/spaces/maps.toml", "keep = 4\n")
        words = ["maps", "--out", self.folder / "out", "--columns", "texas", "--trials", "60", "--models"]
        self.assertEqual(sweep(*words, "gen-nsd-random,dsnn-identity")[0], 0)
        random, identity = (self.folder / "commands").read_text().splitlines()
        self.assertIn("sweep configs/spaces/maps.toml --dataset texas --model gen-nsd --trials 60 --set maps=random ", random)
        self.assertIn("--model diag-dsnn --trials 60 --set maps=identity ", identity)
        self.assertIn("--set maps=random\n", (self.folder / "configs/maps/texas/gen-nsd-random.toml").read_text().split(" --out")[0] + "\n")
        self.assertEqual(sweep("check"), (0, ""))

    def test_random_graphs_are_not_prepared_like_files(self):
        sweep = self.set_up_copy()
        self.write("configs/spaces/block-model.toml", "keep = 4\n")
        self.write("configs/spaces/maps.toml", "keep = 4\n")
        for words in (["figure2", "--columns", "0.05", "--models", "diag-nsd"], ["maps", "--columns", "blocks-0.2", "--models", "nsd-identity"]):
            self.assertEqual(sweep(*words, "--trials", "60", "--out", self.folder / "out")[0], 0)
        figure, maps = [line for line in (self.folder / "commands").read_text().splitlines() if line.startswith("sweep")]
        self.assertIn(" --set degree_features=no --set normalise_features=none ", figure)
        self.assertIn(" --set degree_features=no --set normalise_features=standard ", maps)

    def test_lists_outdated_searches(self):
        sweep = self.set_up_copy()
        head = "# dsnn sweep configs/spaces/{} --trials {}\n# Space {}.\n"
        now = f"{zlib.crc32(b'keep = 4'):08x}"
        for name, *words in (("sound", "sheaf.toml", 60, now), ("few", "sheaf.toml", 59, now), ("gone", "gone.toml", 60, now),
                             ("changed", "sheaf.toml", 60, "0123abcd")):
            self.write(f"configs/table1/texas/{name}.toml", head.format(*words))
        code, text = sweep("check")
        self.assertEqual(code, 1)
        self.assertEqual([line.split(":")[0].split("/")[-1] for line in text.splitlines()], ["changed.toml", "few.toml", "gone.toml"])


class KeptRuns(ScriptTest):
    SHARED = {"model": "gcn", "dataset": "texas", "checksum": "1a",
              "parameters": {"layers": 2, "lr": 1e-05, "directed": False, "normalise": "auto", "dropout": 0.0}}
    SPLITS = [{"split": 0, "test_accuracy": 50.25, "seconds": 1e-07}, {"split": 1, "test_accuracy": 2 / 3}]

    def setUp(self):
        super().setUp()
        self.script = self.write("scripts/kept-runs.py", (ROOT / "scripts/kept-runs.py").read_text())
        self.script.chmod(0o755)

    def result(self, seed, **more):
        return self.SHARED | {"seed": seed, "test_accuracy_mean": 50.25, "splits": self.SPLITS} | more

    def write_run(self, name, seed, **more):
        self.write(f"{name}/result.json", json.dumps(self.result(seed, **more), indent=2))

    def files(self, name):
        folder = self.folder / name
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def test_come_back(self):
        seeds = {"texas/gcn": 2**64 - 1, "seed-1/texas/gcn": 1, "seed-10/texas/gcn": 10, "seed-2/texas/gcn": 2, "seed-1/0.05/gcn": 1,
                 "maps/seed-3/texas/dsnn-identity": 3, "ensembles/seed-1/texas/gcn": 1}
        for name, seed in seeds.items():
            self.write_run(f"runs/{name}", seed)
        for name in ("texas/gcn.old-1", "check/texas/gcn", "ensembles/seed-1/texas/gcn/member-1", "maps/seed-3/texas/gcn.new"):
            self.write_run(f"runs/{name}", 0)
        for name in ("table1.md", "texas/gcn/split-0.ckpt", "cora/gcn/config.toml"):
            self.write(f"runs/{name}", "")
        self.write("runs/texas/gcn/times.txt", "10.500 2 2 1a2b Some CPU\n1.000 1 2 1a2b Some CPU\n0.250 2 2 1a2b Some CPU\n")
        self.write("runs/seed-1/0.05/gcn/without-classes.json", "[5]")
        code, text = run(self.script, "save", "runs", cwd=self.folder)  # a path from where it is called
        self.assertEqual((code, text), (0, "kept-runs: save: 7 runs\n"))
        kept = self.files("results")
        self.assertEqual(sorted(kept), ["ensembles/texas/gcn.json", "figure2/0.05/gcn.json", "maps/texas/dsnn-identity.json",
                                        "table1/texas/gcn.json"])
        stored = json.loads(kept["table1/texas/gcn.json"])
        runs = stored.pop("runs")
        self.assertEqual(stored, self.SHARED)
        self.assertEqual([run["seed"] for run in runs], [1, 2, 10, 2**64 - 1])  # that of the search comes last
        self.assertEqual([run.get("seed_of_the_search", False) for run in runs], [False] * 3 + [True])
        self.assertEqual([t["seconds"] for t in runs[-1]["training"]], [10.75, 1.0])
        self.assertEqual(runs[0], {"seed": 1, "test_accuracy_mean": 50.25, "splits": self.SPLITS})
        self.assertEqual(json.loads(kept["figure2/0.05/gcn.json"])["runs"][0]["without_classes"], [5])

        self.write("new/texas/gcn/result.json", "newer")
        self.write("new/seed-1/texas/gcn.new/times.txt", "of a restore that was interrupted")
        code, text = run(self.script, "restore", self.folder / "new")
        self.assertEqual((code, text), (0, "kept-runs: restore: 6 runs\n"))
        new = self.files("new")
        self.assertEqual(new["texas/gcn/result.json"], "newer")
        for name, seed in seeds.items():
            if name != "texas/gcn":
                self.assertEqual(json.loads(new[f"{name}/result.json"]), self.result(seed), name)
        self.assertEqual(json.loads(new["seed-1/0.05/gcn/without-classes.json"]), [5])
        config = tomllib.loads(new["seed-10/texas/gcn/config.toml"])
        self.assertEqual(config, self.SHARED | {"seed": 10})
        # What is restored is stored as it was.
        shutil.rmtree(self.folder / "new")
        run(self.script, "restore", self.folder / "new")
        run(self.script, "save", self.folder / "new")
        self.assertEqual(self.files("results"), kept)

    def test_runs_of_links_keep_their_task(self):
        self.write_run("runs/dirlink/seed-1/cora_ml/gcn", 1, task="links")
        run(self.script, "save", self.folder / "runs")
        run(self.script, "restore", self.folder / "new")
        self.assertIn("dirlink/cora_ml/gcn.json", self.files("results"))
        config = tomllib.loads(self.files("new")["dirlink/seed-1/cora_ml/gcn/config.toml"])
        self.assertEqual(config["task"], "links")

    def test_runs_of_another_configuration_are_left_out(self):
        self.write_run("runs/texas/gcn", 7)
        self.write_run("runs/seed-1/texas/gcn", 1)
        run(self.script, "save", self.folder / "runs")
        # Trained again with one seed of two, after another search.
        other = self.SHARED["parameters"] | {"layers": 3}
        self.write_run("other/seed-2/texas/gcn", 2, parameters=other)
        run(self.script, "save", self.folder / "other")
        stored = json.loads(self.files("results")["table1/texas/gcn.json"])
        self.assertEqual((stored["parameters"], [run["seed"] for run in stored["runs"]]), (other, [2]))
        # Of the same configuration, seeds that are not in the folder stay.
        self.write_run("third/seed-3/texas/gcn", 3, parameters=other)
        run(self.script, "save", self.folder / "third")
        stored = json.loads(self.files("results")["table1/texas/gcn.json"])
        self.assertEqual([run["seed"] for run in stored["runs"]], [2, 3])

    def test_says_what_is_wrong(self):
        self.assertEqual(run(self.script, "restore", self.folder / "new"), (0, ""))  # nothing kept yet
        for words, sentence in ((["save", "none"], "kept-runs: none: no such folder\n"),
                                (["keep", "none"], "kept-runs: expected save DIR or restore DIR\n")):
            self.assertEqual(run(self.script, *words, cwd=self.folder), (1, sentence))


class UpdateReproduction(ScriptTest):
    def setUp(self):
        super().setUp()
        for name in ("update-reproduction.sh", "seed_table.py", "kept-runs.py"):
            self.write(f"scripts/{name}", (ROOT / "scripts" / name).read_text()).chmod(0o755)
        self.page = self.write("docs/reproduction.md", "by hand\n")

    def update(self, *words):
        return run(self.folder / "scripts/update-reproduction.sh", *words, cwd=self.folder / "runs")

    def test_writes_tables_as_pages(self):
        self.write("docs/reproduction/table1.md", "old\n")
        self.write("runs/made/table1.md", "new\n\n### Part\n")
        self.write("runs/made/figure2.md", "![bars](figure2.svg)\n")
        self.write("runs/made/figure2.svg", "<svg/>")
        self.write("runs/made/texas/gcn/result.json", json.dumps(KeptRuns.SHARED | {"seed": 1, "splits": []}))
        code, text = self.update("--no-training", "made")  # a path from where it is called
        self.assertEqual(code, 0, text)
        self.assertTrue((self.folder / "results/table1/texas/gcn.json").exists())
        self.assertEqual((self.folder / "docs/reproduction/table1.md").read_text(),
                         "<!-- Generated by scripts/update-reproduction.sh: do not edit. -->\n\n"
                         "# Table 1: node classification\n\n"
                         "Explained in [reproduction.md](../reproduction.md#table-1).\n\nnew\n\n## Part\n")
        self.assertIn("![bars](../figure2.svg)\n", (self.folder / "docs/reproduction/figure2.md").read_text())
        self.assertEqual((self.folder / "docs/figure2.svg").read_text(), "<svg/>")
        self.assertEqual(sorted(path.name for path in (self.folder / "docs/reproduction").iterdir()),
                         ["figure2.md", "table1.md"])
        self.assertEqual(self.page.read_text(), "by hand\n")

    def test_says_what_is_wrong(self):
        self.write("runs/empty/none", "")
        for words, message in ((["--no-trainin", "made"], "unknown option --no-trainin"),
                               (["--no-training", "empty"], "contains no tables")):
            code, text = self.update(*words)
            self.assertEqual(code, 1, text)
            self.assertIn(message, text)
            self.assertFalse((self.folder / "docs/reproduction").exists())


class CheckMarkdown(ScriptTest):
    SCRIPT = ROOT / "scripts" / "check_markdown.py"
    LONG = "word " * 30

    def check(self):
        code, text = run(sys.executable, "-B", self.SCRIPT, self.folder)
        self.assertEqual(code, 1 if text else 0, text)
        return text.splitlines()

    def test_lines(self):
        allowed = ["# Title", "word " * 24, "", f"| {self.LONG} |",
                   "```", self.LONG, "~~~", "```", "", "~~~text", "```", self.LONG, "~~~",
                   f"![{self.LONG}](https://example.org/a.svg)", f"- [{self.LONG}](https://example.org/)", f"<!-- {self.LONG} -->"]
        self.write("docs/page.md", "\n".join(allowed))
        self.write("docs/tables.md", f"<!-- Generated by a script -->\n{self.LONG}\n")
        for name in ("build/a.md", ".hidden/a.md", "build-dev/a.md"):
            self.write(name, self.LONG)
        self.assertEqual(self.check(), [])
        self.write("docs/page.md", f"short\n{self.LONG}\n- a [link](https://example.org/), {self.LONG}\n")
        self.assertEqual(self.check(), ["docs/page.md:2: has 149 characters, expected at most 120",
                                        "docs/page.md:3: has 183 characters, expected at most 120"])

    def test_links(self):
        self.write("src/code.cpp", "")
        self.write("other.md", "# A `name`, [linked](x.md)!\n## Twice\n## Twice\n```\n# none\n```\n")
        good = ["other.md", "other.md#a-name-linked", "other.md#twice-1", "src/code.cpp", "src", "#here", "https://example.org/x#y"]
        self.write("page.md", "# Here\n" + "\n".join(f"[text](%s)" % link for link in good)
                   + "\n[over two\nlines](other.md) `[code](none.md)`\n```\n[code](none.md)\n```\n")
        self.write("other.md", (self.folder / "other.md").read_text().replace("x.md", "page.md"))
        self.assertEqual(self.check(), [])
        for link, problem in (("none.md", "no such file in the repository"), ("../x", "no such file in the repository"),
                              ("other.md#none", "no such heading"), ("#none", "no such heading")):
            self.write("page.md", f"# Here\n\n[in two\nlines]({link})\n")
            self.assertEqual(self.check(), [f"page.md:3: link to {link}: {problem}"])


class CheckPhrases(ScriptTest):
    SCRIPT = ROOT / "scripts" / "check_phrases.py"
    PHRASES = ("# A\n### Phrases to avoid\n\n| phrase | better |\n|---|---|\n| `go on`, `anew` | `continue` |\n"
               "# B\n| `fine` | here |\n")

    def check(self, *expected):
        """Expects one line for each place, such as page.md:3: 'anew'."""
        code, text = run(sys.executable, "-B", self.SCRIPT, self.folder)
        self.assertEqual(code, 1 if expected else 0, text)
        self.assertEqual(text.splitlines(),
                         [f"{place} is listed in CONTRIBUTING.md under 'Phrases to avoid'" for place in expected])

    def test_pages(self):
        self.write("CONTRIBUTING.md", self.PHRASES)
        self.write("page.md", "cargo on deck, ongoing, fine, continue, `anew`\n```\nanew\n```\n")
        self.write("made.md", "<!-- Generated by a script -->\nanew\n")
        self.write("build/page.md", "anew\n")
        self.check()
        self.write("page.md", "It can go\non.\nAnew\n")
        self.check("page.md:1: 'go on'", "page.md:3: 'Anew'")

    def test_sources(self):
        self.write("CONTRIBUTING.md", self.PHRASES)
        self.write("a.cpp", 'go(on); go_on(); "go", "on"; // cargo on deck\n')
        self.write("data.csv", "anew\n")
        self.write("tests/scripts/check_scripts.py", "anew\n")
        self.check()
        self.write("a.cpp", '// To go\n  // on.\nthrow Error("can go "\n            "on");\n')
        self.write("a/b.h", "/* To go\n * on */\n")
        self.write("c.py", '"""Built\nanew."""\n')
        self.write("CMakeLists.txt", "# Go\n# on\n")
        for suffix in ("c", "cu", "cuh", "sh", "cmake", "js", "css", "html", "toml"):
            self.write(f"d.{suffix}", "anew\n")
        self.check("CMakeLists.txt:1: 'Go on'", "a/b.h:1: 'go on'", "a.cpp:1: 'go on'", "a.cpp:3: 'go on'", "c.py:2: 'anew'",
                   *(f"d.{suffix}:1: 'anew'" for suffix in ("c", "cmake", "css", "cu", "cuh", "html", "js", "sh", "toml")))

    def test_phrases_of_the_repository(self):
        self.write("CONTRIBUTING.md", (ROOT / "CONTRIBUTING.md").read_text())
        self.write("page.md", "exponentials, the dear part\n")
        self.check("page.md:1: 'the dear part'")

    def test_missing_table(self):
        self.write("CONTRIBUTING.md", "# Phrases to avoid\n\nNone.\n")
        code, text = run(sys.executable, "-B", self.SCRIPT, self.folder)
        self.assertEqual(code, 1)
        self.assertIn("CONTRIBUTING.md: has no table under 'Phrases to avoid'", text)


class BuildTimes(ScriptTest):
    SCRIPT = ROOT / "scripts" / "build-times.py"
    LOG = ("# ninja log v5\n"
           "0\t9000\t1\tsrc/CMakeFiles/dsnn_core.dir/graph/dsbm.cpp.o\ta\n"
           "0\t2500\t1\tsrc/CMakeFiles/dsnn_core.dir/graph/dsbm.cpp.o\ta\n"  # built again
           "2500\t6000\t1\tsrc/engine/CMakeFiles/dsnn_learn.dir/__/train/run.cpp.o\tb\n"
           "6000\t7000\t1\tsrc/engine/CMakeFiles/dsnn_learn.dir/__/train/scores.cpp.o\tc\n"
           "7000\t9000\t1\tlibdsnn_learn.so\td\n")  # no unit

    def times(self, *words):
        return run(sys.executable, "-B", self.SCRIPT, self.folder, *words)

    def test_lists_units_and_folders(self):
        self.write(".ninja_log", self.LOG)
        code, text = self.times("-n", "2")
        self.assertEqual(code, 0, text)
        self.assertEqual(text.split("\n"), ["     3.5 s  src/train/run.cpp", "     2.5 s  src/graph/dsbm.cpp", "",
                                            "     4.5 s  src/train: 2 units", "     2.5 s  src/graph: 1 unit",
                                            "     7.0 s  in total: 3 units", ""])

    def test_looks_at_one_folder(self):
        self.write(".ninja_log", self.LOG)
        code, text = self.times("--rows", "0", "--under", "src/graph")
        self.assertEqual((code, text), (0, "     2.5 s  src/graph: 1 unit\n     2.5 s  in total: 1 unit\n"))

    def test_says_what_is_wrong(self):
        for log, sentence in ((None, "expected the log of a build with ninja"), ("text\n", "not a log of ninja"),
                              ("# ninja log v5\n1\t2\n", ".ninja_log:2: expected begin, end")):
            if log is not None:
                self.write(".ninja_log", log)
            code, text = self.times()
            self.assertEqual(code, 1, text)
            self.assertIn(sentence, text)
        self.assertEqual(self.times("-n", "-1")[0], 2)


if __name__ == "__main__":
    unittest.main()
