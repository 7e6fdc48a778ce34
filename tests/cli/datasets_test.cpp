#include "cli/cli_test.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::failed_with;
using testing::Json;
using testing::lines_of;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;

// No server listens there.
const std::string kNoServer = "http://127.0.0.1:1";

class DatasetsTest : public CliTest {
 protected:
  static std::string benchmark_folder() {
    const char* folder = std::getenv("DSNN_DATA");
    return folder == nullptr ? "" : folder;
  }
  const std::string benchmarks_ = benchmark_folder();  // before it is hidden

  // As on a machine without datasets.
  testing::ScopedEnvironment data_{"DSNN_DATA", nullptr};
  testing::ScopedEnvironment mirror_{"DSNN_MIRROR", nullptr};
  testing::ScopedEnvironment cache_{"XDG_CACHE_HOME", (dir_ / "cache").c_str()};
  testing::ScopedEnvironment no_proxy_{"no_proxy", "127.0.0.1"};
};

TEST_F(DatasetsTest, ListsThemAll) {
  const Outcome outcome = run_dsnn({"datasets", "list"});
  ASSERT_TRUE(succeeded(outcome));
  const Words lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 24U);
  EXPECT_TRUE(lines[0].starts_with("name "));
  EXPECT_TRUE(lines[1].starts_with("texas "));
  EXPECT_TRUE(contains(outcome.out, "\ncora_ml  "));
  const Json rows = json_of({"datasets", "list"});
  ASSERT_EQ(rows.size(), 23U);
  EXPECT_EQ(rows[0]["name"], "texas");
  EXPECT_EQ(rows[0]["arcs"], 309);
  EXPECT_EQ(rows[0]["directed"], true);
  EXPECT_TRUE(rows[0]["path"].is_null());
}

TEST_F(DatasetsTest, ListsWhereTheyAre) {
  std::filesystem::create_directories(dir_ / "data");
  const std::string file = write_graph("data/texas.npz", {0, 1});
  write("data/texas", "not meant");
  const Outcome outcome = run_dsnn({"datasets", "list", "--data-dir", path("data")});
  EXPECT_TRUE(contains(lines_of(outcome.out)[1], "  " + file));
  EXPECT_EQ(json_of({"datasets", "list", "--data-dir", path("data")})[0]["path"], file);
}

TEST_F(DatasetsTest, TellsFaultsAndSources) {
  const Outcome outcome = run_dsnn({"datasets", "info", "cornell"});
  ASSERT_TRUE(succeeded(outcome));
  for (const std::string part :
       {"183 nodes, 295 arcs, 5 classes, 1703 features", "byte for byte those of texas",
        "none; 'dsnn datasets fetch cornell' downloads it", "new_data/cornell/out1_graph_edges.txt",
        "2001 bytes, sha256 c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7"}) {
    EXPECT_TRUE(contains(outcome.out, part));
  }
  const Outcome undirected = run_dsnn({"datasets", "info", "roman_empire"});
  EXPECT_TRUE(contains(undirected.out, "directions   none"));
  EXPECT_TRUE(contains(undirected.out, "No hash of the source file is known"));
  EXPECT_TRUE(contains(undirected.out, "size and sha256 unknown"));
  const Outcome elsewhere = run_dsnn({"datasets", "info", "telegram"});
  EXPECT_TRUE(contains(elsewhere.out, "no download exists; put telegram.npz into " +
                                          (dir_ / "cache/dsnn").string()));
  const Json cora = json_of({"datasets", "info", "cora"});
  EXPECT_TRUE(contains(cora["faults"].dump(), "Planetoid's order"));
  EXPECT_EQ(cora["sources"][0]["url"], "https://linqs-data.soe.ucsc.edu/public/lbc/cora.tgz");
  EXPECT_TRUE(cora["sources"][0]["sha256"].is_null());
}

TEST_F(DatasetsTest, ComparesTheFileThatIsThere) {
  std::filesystem::create_directories(dir_ / "data");
  const std::string file = write_graph("data/texas.npz", {0, 1});
  const Words command = {"datasets", "info", "texas", "--data-dir", path("data")};
  EXPECT_TRUE(contains(run_dsnn(command).out,
                       "differs from the above: " + file +
                           ": has 2 nodes, expected 183; 1 arcs, expected 309; 0 classes, "
                           "expected 5; 0 features, expected 1703\n"));
  EXPECT_EQ(json_of(command)["file_matches"], false);
  write("data/texas.npz", "nonsense");
  EXPECT_TRUE(contains(run_dsnn(command).out, "differs from the above: " + file));
}

TEST_F(DatasetsTest, AgreesWithTheFiles) {
  if (benchmarks_.empty()) GTEST_SKIP() << "DSNN_DATA is not set";
  for (const std::string name : {"texas", "cora", "telegram"}) {
    const Json info = json_of({"datasets", "info", name, "--data-dir", benchmarks_});
    EXPECT_EQ(info["file_matches"], true) << name;
  }
}

TEST_F(DatasetsTest, SuggestsTheNearestName) {
  for (const std::string command : {"info", "fetch"}) {
    EXPECT_TRUE(failed_with(run_dsnn({"datasets", command, "texsa"}),
                            {"unknown dataset 'texsa'", "did you mean 'texas'?"}));
    EXPECT_TRUE(failed_with(run_dsnn({"datasets", command, "qwertyuiop"}), {"datasets list"}));
  }
}

TEST_F(DatasetsTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_TRUE(failed_with(run_dsnn({"datasets"}), {"subcommand is required"}));
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch"}), {"NAME or --all is required"}));
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "texas", "--all"}), {"excludes"}));
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "info"}), {"NAME is required"}));
}

#ifdef DSNN_HAS_FETCH

TEST_F(DatasetsTest, SaysWhatToDoWithoutANetwork) {
  const Words parts = {"127.0.0.1:1 cannot be reached",
                       "put texas.npz into " + (dir_ / "cache/dsnn").string(),
                       "into " + (dir_ / "cache/dsnn/downloads/texas").string()};
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "texas", "--mirror", kNoServer}), parts));
  const testing::ScopedEnvironment mirror("DSNN_MIRROR", kNoServer.c_str());
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "texas"}), parts));
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "--all"}), parts));
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "texas", "--data-dir", path("here")}),
                          {"put texas.npz into " + path("here")}));
  EXPECT_FALSE(exists("cache/dsnn/texas.npz"));
  EXPECT_FALSE(exists("cache/dsnn/downloads"));
}

TEST_F(DatasetsTest, SaysWhichCannotBeFetched) {
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "telegram"}),
                          {"telegram: cannot be fetched", "put telegram.npz into"}));
}

TEST_F(DatasetsTest, LeavesWhatIsThere) {
  const std::string file = write_texas("data/texas.npz");
  const Words command = {"datasets",   "fetch",    "texas",  "--data-dir",
                         path("data"), "--mirror", kNoServer};
  const Outcome outcome = run_dsnn(command);
  EXPECT_TRUE(succeeded(outcome));
  EXPECT_TRUE(contains(outcome.out, file));
  EXPECT_TRUE(contains(outcome.out, "already present"));
  EXPECT_EQ(json_of(command)[0]["was_there"], true);
  EXPECT_TRUE(failed_with(run_dsnn(command + Words{"--force"}), {"cannot be reached"}));
  EXPECT_TRUE(exists("data/texas.npz"));
}

TEST_F(DatasetsTest, LooksAtWhatIsThere) {
  std::filesystem::create_directories(dir_ / "data");
  const std::string file = write_graph("data/texas.npz", {0, 1});
  const std::string before = read("data/texas.npz");
  const Words command = {"datasets",   "fetch",    "texas",  "--data-dir",
                         path("data"), "--mirror", kNoServer};
  EXPECT_TRUE(failed_with(run_dsnn(command),
                          {file + ": has 2 nodes, expected 183; ", "move it away", "--force"}));
  EXPECT_EQ(read("data/texas.npz"), before);
  write("data/texas.npz", before.substr(0, before.size() / 2));
  EXPECT_TRUE(failed_with(run_dsnn(command), {file + ": not an .npz archive", "--force"}));
}

TEST_F(DatasetsTest, SaysThatTheNameStillMeansAnotherFile) {
  const std::string file = write_texas("cache/dsnn/texas.npz");
  std::filesystem::create_directories(dir_ / "data");
  const std::string other = write_graph("data/texas.npz", {0, 1});
  const Words command = {"datasets", "fetch", "texas", "--mirror", kNoServer};
  EXPECT_FALSE(contains(run_dsnn(command).out, "still refers to"));
  const testing::ScopedEnvironment data("DSNN_DATA", path("data").c_str());
  const Outcome outcome = run_dsnn(command);
  EXPECT_TRUE(succeeded(outcome));
  EXPECT_TRUE(contains(outcome.out, file + ": 183 nodes"));
  EXPECT_TRUE(contains(
      outcome.out, "  note: the name texas still refers to " + other + ", which is found first\n"));
}

#else

TEST_F(DatasetsTest, SaysThatItCannotDownload) {
  EXPECT_TRUE(failed_with(run_dsnn({"datasets", "fetch", "texas"}),
                          {"built without downloads", "dsnn datasets info NAME"}));
}

#endif

TEST_F(DatasetsTest, ANameThatIsNotFoundSaysHowToGetIt) {
  EXPECT_TRUE(
      failed_with(run_dsnn({"info", "texas"}), {"'dsnn datasets fetch texas' downloads it"}));
}

}  // namespace
}  // namespace dsnn
