#include "dsnn/data/dataset.h"

#include "cli/cli_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

namespace dsnn::testing {
namespace {

class TrainTest : public CliTest {
 protected:
  std::string graph() {
    run_dsnn({"generate", "dsbm", "-n", "120", "-C", "3", "--alpha-in", "0.2", "--alpha-out", "0.2",
              "--beta", "0.05", "-o", path("dsbm.npz")});
    return path("dsbm.npz");
  }
  Words train(const Words& more) {
    return Words{"train",      graph(), "--model",  "diag-dsnn", "--set",
                 "channels=6", "--set", "epochs=8", "--splits",  "0-1,1,0"} +
           more;
  }
  // Twelve people of two teams, and their calls.
  void write_people() {
    std::string people = "name,age,city,team\n", calls = "from,to\n";
    for (int i = 0; i < 12; ++i) {
      people += fmt::format("p{},{},{},{}\n", i, 20 + i, i % 3 == 0 ? "\"York, UK\"" : "Bath",
                            i == 0       ? ""
                            : i % 2 == 0 ? "red \"one\""
                                         : "blue");
      calls += fmt::format("p{},p{}\n", i, (i + 1) % 12);
    }
    write("people.csv", people);
    write("calls.csv", calls);
  }
};

TEST_F(TrainTest, PrintsATableAndKeepsTheRun) {
  const Outcome outcome = run_dsnn(train({"--out", path("run")}));
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_TRUE(
      contains(outcome.out, "split  validation      test  best epoch   epochs   seconds\n"));
  EXPECT_TRUE(contains(outcome.out, " % over 2 splits\n"));
  for (const char* file : {"config.toml", "data.json", "result.json", "split-0/metrics.csv",
                           "split-0/model.npz", "split-1/checkpoint.npz"}) {
    EXPECT_TRUE(exists(std::string("run/") + file)) << file;
  }
  const Json result = Json::parse(read("run/result.json"));
  EXPECT_TRUE(
      contains(outcome.out, fmt::format("\nvalidation accuracy {:.2f} %, test accuracy {:.2f}",
                                        result["val_accuracy_mean"].get<double>(),
                                        result["test_accuracy_mean"].get<double>())))
      << outcome.out;
  const Json evaluated = json_of({"evaluate", path("run"), path("dsbm.npz")});
  EXPECT_NEAR(evaluated["test_accuracy_mean"].get<double>(),
              result["test_accuracy_mean"].get<double>(), 1e-9);
  for (int split = 0; split < 2; ++split) {
    EXPECT_EQ(evaluated["splits"][split]["test_accuracy"],
              result["splits"][split]["test_accuracy"]);
  }
}

TEST_F(TrainTest, TellsWhatItWouldCost) {
  const Outcome outcome = run_dsnn(train({"--dry-run", "--out", path("run")}));
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_TRUE(contains(outcome.out, "diag-dsnn with "));
  EXPECT_TRUE(contains(outcome.out, "at most 8 epochs"));
  EXPECT_FALSE(exists("run"));
}

TEST_F(TrainTest, SideBySideItHasTheSameNumbers) {
  const auto scores = [](Json json) {
    for (Json& split : json["splits"]) split.erase("seconds");
    return json;
  };
  const Json one = scores(json_of(train({})));
  EXPECT_EQ(one, scores(json_of(train({"--jobs", "2"}))));
  EXPECT_EQ(one, scores(json_of(train({"--threads", "3"}))));
  EXPECT_NE(one, scores(json_of(train({"--seed", "1"}))));
}

TEST_F(TrainTest, AConfigurationTrainsTheSameAgain) {
  const Json first = json_of(train({"--out", path("run"), "--set", "layers=3"}));
  const Json again =
      json_of({"train", path("dsbm.npz"), "--config", path("run/config.toml"), "--splits", "0-1"});
  EXPECT_EQ(first["test_accuracy_mean"], again["test_accuracy_mean"]);
  EXPECT_EQ(again["parameters"]["layers"], 3);
}

TEST_F(TrainTest, PredictsInTheUsersWords) {
  write_people();
  const Words files = {"--edges",          path("calls.csv"), "--nodes",
                       path("people.csv"), "--label-column",  "team"};
  const Words settings = {"--model", "orth-dsnn",  "--set", "epochs=3",
                          "--set",   "channels=4", "--out", path("run")};
  const Outcome trained = run_dsnn(Words{"train"} + files + settings);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.err, "10 splits were drawn"));
  const Outcome outcome =
      run_dsnn(Words{"predict", path("run")} + files + Words{"-o", path("out.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // Other splits of the same people would test training nodes.
  EXPECT_EQ(run_dsnn(Words{"evaluate", path("run")} + files).code, 0);
  const Outcome redrawn =
      run_dsnn(Words{"evaluate", path("run")} + files + Words{"--split-seed", "7"});
  EXPECT_EQ(redrawn.code, 1);
  EXPECT_TRUE(contains(redrawn.err, "calls: its splits differ from those that "));
  EXPECT_TRUE(failed_with(
      run_dsnn({"evaluate", path("run")}),
      {"was trained on 'calls', which cannot be found by name", "--edges and --nodes"}));
  const std::string csv = read("out.csv");
  EXPECT_TRUE(csv.starts_with("id,label,p_blue,\"p_red \"\"one\"\"\"\n")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  EXPECT_TRUE(contains(csv, "\np11,"));
  const Words rows = lines_of(csv);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::size_t last = rows[i].rfind(','), middle = rows[i].rfind(',', last - 1);
    const double blue = std::stod(rows[i].substr(middle + 1)),
                 red = std::stod(rows[i].substr(last + 1));
    EXPECT_NEAR(blue + red, 1, 1e-5) << rows[i];
    EXPECT_TRUE(blue > 0 && red > 0) << rows[i];
    EXPECT_EQ(contains(rows[i].substr(0, middle), ",blue"), blue > red) << rows[i];
  }
  // By default the model of the split with the best validation accuracy.
  const Json splits = Json::parse(read("run/result.json"))["splits"];
  const auto score = [](const Json& split) { return split["val_accuracy"].get<double>(); };
  const int best = (*std::ranges::max_element(splits, {}, score))["split"];
  std::set<std::string> different;
  for (const int split : {best, (best + 1) % 10}) {
    const Words more = {"--of-split", std::to_string(split), "-o", path("split.csv")};
    ASSERT_EQ(run_dsnn(Words{"predict", path("run")} + files + more).code, 0);
    different.insert(read("split.csv"));
    if (split == best) {
      EXPECT_EQ(read("split.csv"), csv);
    }
  }
  EXPECT_EQ(different.size(), 2u);

  // A new graph: fewer people, one city only, columns in another order.
  write("new.csv", "city,name,team,age\nBath,x,,30\nBath,y,,41\nOslo,z,,50\n");
  write("new_calls.csv", "from,to\nx,y\ny,z\n");
  const Outcome on_new =
      run_dsnn({"predict", path("run"), "--edges", path("new_calls.csv"), "--nodes",
                path("new.csv"), "--label-column", "team", "-o", path("new_out.csv")});
  ASSERT_EQ(on_new.code, 0) << on_new.err;
  EXPECT_TRUE(contains(read("new_out.csv"), "\nz,"));
  write("other.csv", "name,height\nx,1\ny,2\nz,3\n");
  EXPECT_TRUE(contains(run_dsnn({"predict", path("run"), "--edges", path("new_calls.csv"),
                                 "--nodes", path("other.csv"), "-o", path("no.csv")})
                           .err,
                       "has a feature 'height' that is unknown to the model"));
  EXPECT_FALSE(exists("no.csv"));
}

TEST_F(TrainTest, SaysWhatIsWrong) {
  const std::string dsbm = graph();
  struct Case {
    Words arguments;
    std::string expected;
  };
  write("bad.toml", "model = \"diag-dsnn\"\n[parameters]\nlayers = \"two\"\n");
  write("torn.toml", "model = \"diag-dsnn\n");
  write("other.toml", "model = \"gen-nsd\"\nlearning_rate = 3\n");
  const Case cases[] = {
      {{"train", dsbm}, "no model given: expected --model or --config"},
      {{"train", "--model", "diag-dsnn"}, "no graph given: expected a file"},
      {{"train", dsbm, "--model", "diag-dnn"},
       "unknown model 'diag-dnn'; did you mean 'diag-dsnn'?"},
      {{"train", dsbm, "--model", "diag-dsnn", "--set", "chanels=3"}, "did you mean 'channels'?"},
      {{"train", dsbm, "--model", "diag-dsnn", "--set", "layers=x"},
       "layers is x, expected an integer"},
      {{"train", dsbm, "--model", "diag-dsnn", "--splits", "0-99"},
       "has splits 0 to 9, but split 10"},
      {{"train", dsbm, "--model", "diag-dsnn", "--splits", "0-2147483647"}, "--splits: '0-2147"},
      {{"train", dsbm, "--model", "diag-dsnn", "--resume"}, "--out"},
      {{"train", dsbm, "--config", path("bad.toml")},
       "bad.toml:3: layers is two, expected an integer"},
      {{"train", dsbm, "--config", path("torn.toml")}, "torn.toml:1: "},
      {{"train", dsbm, "--config", path("other.toml")},
       "other.toml:2: unknown key 'learning_rate'"},
      {{"train", dsbm, "--config", path("none.toml")}, "none.toml: "},
      {{"train", write("e.txt", "0 1\n"), "--model", "diag-dsnn"}, "has no labels"},
      {{"train", dsbm, "--config", dir_.path().string()}, ": is a directory, expected a TOML file"},
      {{"evaluate", path("none")},
       "none: not a run (no config.toml), expected a folder written by dsnn train"},
      {{"predict", path("none"), "-o", path("p.csv")}, "none: not a run (no config.toml)"},
      {{"models", "gen-dsn"}, "did you mean 'gen-dsnn'?"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(failed_with(run_dsnn(c.arguments), {c.expected})) << joined(c.arguments);
  }
}

TEST_F(TrainTest, SaysWhatHasNoScore) {
  const Words words = {"train",    graph(), "--model", "gen-dsnn",
                       "--splits", "0-1",   "--out",   path("run")};
  Words settings;
  for (const char* setting :
       {"lr=1000", "layers=3", "sheaf_act=identity", "activation=none", "normalise=degree"}) {
    settings = settings + Words{"--set", setting};
  }
  const Outcome failed = run_dsnn(words + settings);
  EXPECT_EQ(failed.code, 3);
  EXPECT_TRUE(contains(failed.out, "no mean: 2 of 2 splits have no test accuracy"));
  EXPECT_TRUE(contains(failed.err, "split 1: "));
  EXPECT_TRUE(failed_with(run_dsnn({"predict", path("run"), graph(), "-o", path("p.csv")}),
                          {"run: contains no trained model yet"}));
  const Outcome untested = run_dsnn(train({"--split", "60/40/0"}));
  EXPECT_EQ(untested.code, 0) << untested.err;
  EXPECT_TRUE(contains(untested.out, " -  "));
  ASSERT_TRUE(succeeded(run_dsnn(train({"--out", path("sound")}))));
  // Standard output keeps its position, even if others write there.
  const std::string line =
      fmt::format("(echo first; '{}' predict '{}' '{}' -o - 2>/dev/null; echo last) > '{}'",
                  DSNN_PROGRAM, path("sound"), graph(), path("all.csv"));
  ASSERT_EQ(std::system(line.c_str()), 0);
  const std::string all = read("all.csv");
  EXPECT_TRUE(all.starts_with("first\nid,label,") && ends_with(all, "last\n")) << all;
}

// The examples of the help work.
TEST_F(TrainTest, HelpHasExamples) {
  for (const Words& command : {Words{"train"},
                               {"evaluate"},
                               {"predict"},
                               {"models"},
                               {"sweep"},
                               {"sweep-report"},
                               {"report"},
                               {"reproduce"},
                               {"reproduce", "table1"},
                               {"reproduce", "figure2"}}) {
    const Outcome outcome = run_dsnn(command + Words{"--help"});
    ASSERT_TRUE(succeeded(outcome));
    EXPECT_TRUE(contains(outcome.out, "Usage: dsnn " + joined(command)));
    int num_examples = 0;
    for (const std::string& line : lines_of(outcome.out)) {
      if (!line.starts_with("  dsnn " + command[0])) continue;
      ++num_examples;
      std::istringstream words(line.substr(0, line.find("  ", 2)));
      Words example;
      for (std::string word; words >> word;) example.push_back(word);
      const bool has_subcommand = example.size() > 2 && command[0] == "reproduce";
      const Words own(example.begin() + 1, example.begin() + (has_subcommand ? 3 : 2));
      const std::string help = run_dsnn(own + Words{"--help"}).out;
      for (const std::string& word : example) {
        if (word.starts_with("-")) {
          EXPECT_TRUE(contains(help, word)) << line;
        }
      }
    }
    EXPECT_GT(num_examples, 0) << joined(command);
  }
}

TEST_F(TrainTest, ListsModels) {
  const Outcome all = run_dsnn({"models"});
  for (const char* name : {"diag-dsnn", "orth-nsd", "gen-nsd-compl", "gcn", "dirgnn"}) {
    EXPECT_TRUE(contains(all.out, std::string("\n") + name + " ") || all.out.starts_with(name));
  }
  EXPECT_TRUE(
      contains(run_dsnn({"models", "orth-dsnn"}).out, "\nnormalise              augmented "));
  EXPECT_EQ(json_of({"models"}).size(), 32u);
  for (const auto& model : json_of({"models"})) {
    EXPECT_GT(model["relative_cost"], 0) << model["name"];  // scripts/model-costs.py
  }
  EXPECT_EQ(json_of({"models", "gcn"})["relative_cost"], 1);
  EXPECT_EQ(json_of({"models", "gat"})["learns_structure"], true);
  EXPECT_EQ(json_of({"models", "sheafnn"})["learns_structure"], false);
  EXPECT_EQ(json_of({"models", "gcn"})["year"], 2017);
}

// By Ctrl-C, which saves first, and by SIGKILL, which does not.
TEST_F(TrainTest, ResumeGoesOnAfterAnInterruption) {
  const Words words = {"train",      graph(),    "--model",    "gen-dsnn",       "--set",
                       "channels=8", "--set",    "epochs=400", "--set",          "patience=400",
                       "--set",      "layers=4", "--set",      "select_by=loss", "--splits",
                       "0",          "--out"};
  ASSERT_EQ(run_dsnn(words + Words{path("whole")}).code, 0);
  for (const int signal_number : {SIGINT, SIGKILL}) {
    const std::string folder = fmt::format("cut{}", signal_number);
    Process process(dsnn_command(words + Words{path(folder)}), {.folder = dir_.path()});
    // Once the configuration exists, training is about to begin.
    for (int i = 0; i < 2000 && !exists(folder + "/config.toml"); ++i) ::usleep(10'000);
    ::usleep(300'000);
    process.send(signal_number);
    const Outcome outcome = process.wait();
    ASSERT_EQ(outcome.code, signal_number == SIGINT ? 130 : -SIGKILL) << outcome.err;
    if (signal_number == SIGINT) {
      EXPECT_TRUE(contains(outcome.err, "cancelled; continue with --out"));
    }
    const Outcome resumed = run_dsnn(words + Words{path(folder), "--resume"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(read(folder + "/split-0/metrics.csv"), read("whole/split-0/metrics.csv"));
    EXPECT_EQ(read(folder + "/split-0/model.npz"), read("whole/split-0/model.npz"));
  }
}

// A limit on file sizes simulates a full disk: one sentence, and existing files are kept.
TEST_F(TrainTest, AFullDiskIsASentence) {
  const Words words = train({"--out", path("run")});
  ASSERT_EQ(run_dsnn(words).code, 0);
  const std::string result = read("run/result.json"), model = read("run/split-0/model.npz");
  std::string script = "ulimit -f 1; exec '" DSNN_PROGRAM "' \"$@\"";
  const Outcome outcome =
      Process(Words{"/bin/sh", "-c", "trap '' XFSZ; " + script, "sh"} + words + Words{"--resume"},
              {.folder = dir_.path()})
          .wait();
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "cannot write: File too large")) << outcome.err;
  EXPECT_EQ(read("run/result.json"), result);
  EXPECT_EQ(read("run/split-0/model.npz"), model);
}

}  // namespace
}  // namespace dsnn::testing
