#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::ScopedEnvironment;
using testing::TempDir;
using testing::write_text;

class FindDatasetTest : public ::testing::Test {
 protected:
  FindDatasetTest() {
    for (const char* folder : {"given", "variable", "cache/dsnn", "home/.cache/dsnn"}) {
      std::filesystem::create_directories(dir_ / folder);
    }
  }

  TempDir dir_;
  ScopedEnvironment data_{"DSNN_DATA", (dir_ / "variable").c_str()};
  ScopedEnvironment cache_{"XDG_CACHE_HOME", (dir_ / "cache").c_str()};
  ScopedEnvironment home_{"HOME", (dir_ / "home").c_str()};
};

TEST_F(FindDatasetTest, TakesAFileAsItIs) {
  const std::filesystem::path file = write_text(dir_ / "graph.txt", "0 1\n");
  EXPECT_EQ(find_dataset(file.string(), dir_ / "given"), file);
  EXPECT_EQ(find_dataset("/dev/null"), "/dev/null");
}

TEST_F(FindDatasetTest, LooksIntoTheFoldersInTheirOrder) {
  write_text(dir_ / "home/.cache/dsnn/tiny.npz", "");
  {
    const ScopedEnvironment no_cache("XDG_CACHE_HOME", "");
    EXPECT_EQ(find_dataset("tiny"), dir_ / "home/.cache/dsnn/tiny.npz");
  }
  write_text(dir_ / "cache/dsnn/tiny.npz", "");
  EXPECT_EQ(find_dataset("tiny"), dir_ / "cache/dsnn/tiny.npz");
  write_text(dir_ / "variable/tiny.npz", "");
  EXPECT_EQ(find_dataset("tiny"), dir_ / "variable/tiny.npz");
  write_text(dir_ / "given/tiny.npz", "");
  EXPECT_EQ(find_dataset("tiny"), dir_ / "variable/tiny.npz");
  EXPECT_EQ(find_dataset("tiny", dir_ / "given"), dir_ / "given/tiny.npz");
  EXPECT_EQ(find_dataset("tiny.npz", dir_ / "given"), dir_ / "given/tiny.npz");
}

TEST_F(FindDatasetTest, ListsWhereItLooked) {
  const std::string message = message_of<Error>([&] { find_dataset("tiny", dir_ / "given"); });
  EXPECT_TRUE(message.starts_with("tiny: no such file or dataset (looked for tiny, "));
  for (const std::string folder : {"given", "variable", "cache/dsnn"}) {
    EXPECT_TRUE(contains(message, (dir_ / folder / "tiny.npz").string()));
  }
}

TEST_F(FindDatasetTest, SaysWhichOfThemCanBeFetched) {
  for (const std::string name : {"texas", "texas.npz"}) {
    EXPECT_TRUE(testing::ends_with(message_of<Error>([&] { find_dataset(name); }),
                                   "); 'dsnn datasets fetch texas' downloads it"));
  }
  EXPECT_TRUE(
      testing::ends_with(message_of<Error>([] { find_dataset("telegram"); }), "telegram.npz)"));
}

TEST_F(FindDatasetTest, SaysWhichNameIsNear) {
  write_text(dir_ / "given/my_graph.npz", "");
  EXPECT_TRUE(
      testing::ends_with(message_of<Error>([&] { find_dataset("my-graph", dir_ / "given"); }),
                         "); did you mean 'my_graph'?"));
  EXPECT_TRUE(testing::ends_with(message_of<Error>([] { find_dataset("texsa.npz"); }),
                                 "); did you mean 'texas'?"));
}

TEST_F(FindDatasetTest, LooksForAPathOnlyWhereItPoints) {
  std::filesystem::create_directories(dir_ / "given/sub");
  write_text(dir_ / "given/sub/tiny.npz", "");
  EXPECT_EQ(message_of<Error>([&] { find_dataset("sub/tiny", dir_ / "given"); }),
            "sub/tiny: no such file or dataset (looked for sub/tiny)");
}

TEST_F(FindDatasetTest, RefusesFoldersAndEmptyNames) {
  const std::string folder = (dir_ / "given").string();
  EXPECT_TRUE(contains(message_of<Error>([&] { find_dataset(folder); }),
                       folder + ": is a directory that contains neither"));
  EXPECT_TRUE(contains(message_of<Error>([] { find_dataset(""); }), "empty name"));
}

TEST_F(FindDatasetTest, DoesWithoutAnyEnvironment) {
  const ScopedEnvironment no_data("DSNN_DATA", nullptr);
  const ScopedEnvironment no_cache("XDG_CACHE_HOME", nullptr);
  const ScopedEnvironment no_home("HOME", nullptr);
  EXPECT_EQ(message_of<Error>([] { find_dataset("tiny"); }),
            "tiny: no such file or dataset (looked for tiny)");
}

}  // namespace
}  // namespace dsnn
