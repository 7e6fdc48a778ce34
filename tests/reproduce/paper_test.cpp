#include "reproduce/paper.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempDir;
using testing::write_text;

TEST(PaperTest, KeepsTheOrder) {
  const TempDir dir;
  const PaperTable table = read_paper(
      write_text(dir / "p.csv", "model,dataset,mean,std\nb,y,1,2\nb,x,3.5,0.25\r\na,y,5,6\n"));
  EXPECT_EQ(table.models(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"y", "x"}));
  ASSERT_TRUE(table.find("b", "x"));
  EXPECT_EQ(table.find("b", "x")->mean, 3.5);
  EXPECT_EQ(table.find("b", "x")->deviation, 0.25);
  EXPECT_FALSE(table.find("a", "x"));
}

TEST(PaperTest, SaysWhatIsWrong) {
  const TempDir dir;
  const auto error = [&](const std::string& text) {
    return message_of<Error>([&] { read_paper(write_text(dir / "p.csv", text)); });
  };
  EXPECT_TRUE(contains(error("model,mean\n"), "p.csv:1: expected the heading"));
  EXPECT_TRUE(contains(error("model,dataset,mean,std\na,x,1,2\na,x,1\n"), "p.csv:3: expected"));
  EXPECT_TRUE(contains(error("model,dataset,mean,std\na,x,1,nan\n"), "p.csv:2: expected"));
  EXPECT_TRUE(contains(error("model,dataset,mean,std\na,x,1,2\na,x,3,4\n"), "p.csv:3: the cell"));
  EXPECT_TRUE(contains(error(""), "p.csv: is empty"));
  EXPECT_TRUE(contains(error("model,dataset,mean,std\n"), "p.csv: is empty"));
  EXPECT_TRUE(contains(message_of<Error>([&] { read_paper(dir / "none.csv"); }), "cannot open"));
}

}  // namespace
}  // namespace dsnn::reproduce
