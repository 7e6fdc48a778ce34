#include "fetch/fetch_case.h"
#include "fetch/tar_file.h"

#include <gtest/gtest.h>

// Malicious archives instead of one with a citation graph.

namespace dsnn {
namespace {

using testing::contains;
using testing::HttpReply;
using testing::LoopbackServer;
using testing::make_tar;
using testing::TarMember;

class ArchiveTest : public testing::FetchTest {
 protected:
  ArchiveTest() {
    entry_ = {.name = "cora",
              .num_nodes = 2,
              .num_arcs = 1,
              .num_classes = 2,
              .num_features = 1,
              .source_kind = SourceKind::kLinqs,
              .sources = {{.url = "https://example.org/cora.tgz", .file_name = "cora.tgz"}}};
  }

  std::string error_with(const std::string& archive) {
    const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = archive}; });
    const std::string message = error_of(entry_, server);
    EXPECT_EQ(files(), Names());
    EXPECT_EQ(dir_.list(), (Names{"data"}));
    return message;
  }

  const TarMember kContent = {.name = "cora/cora.content", .text = "a\t1\tx\nb\t0\ty\n"};
  const TarMember kCites = {.name = "cora/cora.cites", .text = "a\tb\n"};
  DatasetEntry entry_;
};

TEST_F(ArchiveTest, TakesOnlyTheFilesItKnows) {
  const std::string archive = make_tar({{.name = "../evil", .text = "evil"},
                                        {.name = "../cora.content", .text = "evil"},
                                        {.name = (dir_ / "evil").string(), .text = "evil"},
                                        {.name = (dir_ / "cora.cites").string(), .text = "evil"},
                                        {.name = "cora/", .is_folder = true},
                                        {.name = "link", .link_to = "/etc/passwd"},
                                        {.name = "other/cora.cites", .link_to = "/etc/passwd"},
                                        kContent,
                                        {.name = "cora/README", .text = "words"},
                                        kCites});
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = archive}; });
  const FetchResult result = fetch(entry_, server);
  EXPECT_EQ(files(), (Names{"cora.npz"}));
  EXPECT_EQ(dir_.list(), (Names{"data"}));
  EXPECT_EQ(read_dataset(result.path).node_ids, (Names{"a", "b"}));
}

TEST_F(ArchiveTest, RefusesAMissingADoubleAndALinkedFile) {
  EXPECT_TRUE(contains(error_with(make_tar({kContent})), "does not contain the file 'cora.cites'"));
  EXPECT_TRUE(
      contains(error_with(make_tar({kContent, kCites, kContent})), "has 'cora.content' twice"));
  EXPECT_TRUE(contains(
      error_with(make_tar({kContent, {.name = "cora/cora.cites", .link_to = "/etc/passwd"}})),
      "does not contain the file 'cora.cites'"));
}

TEST_F(ArchiveTest, RefusesBombs) {
  const std::string zeros(std::size_t{130} << 20, '\0');
  const std::string one = make_tar({{.name = "cora/cora.content", .text = zeros}});
  EXPECT_LT(one.size(), 1'000'000U);
  EXPECT_TRUE(contains(error_with(one), "'cora.content' unpacks to more than 128 MB"));
  const TarMember half = {.name = "other", .text = zeros};
  EXPECT_TRUE(contains(error_with(make_tar({half, half})), "unpacks to more than 256 MB"));
  // A false declared size is rejected before anything is unpacked.
  const std::string claim = make_tar({{.name = "other", .claimed_bytes = std::int64_t{1} << 40}});
  EXPECT_TRUE(contains(error_with(claim), "unpacks to more than 256 MB"));
  std::vector<TarMember> many;
  for (int i = 0; i < 10'001; ++i) many.push_back({.name = fmt::format("f{}", i)});
  EXPECT_TRUE(contains(error_with(make_tar(many)), "or 10000 files"));
}

TEST_F(ArchiveTest, RefusesWhatIsNoArchiveOrCut) {
  EXPECT_TRUE(contains(error_with("<html>not found</html>"), "is not a readable tar archive"));
  const std::string archive = make_tar({kContent, kCites});
  EXPECT_TRUE(
      contains(error_with(archive.substr(0, archive.size() / 2)), "is damaged or truncated"));
  EXPECT_TRUE(
      contains(error_with(archive.substr(0, archive.size() - 8)), "is damaged or truncated"));
  std::string damaged = archive;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  EXPECT_TRUE(contains(error_with(damaged), "is damaged or truncated"));
  EXPECT_TRUE(contains(error_with(""), "cora.tgz"));
}

}  // namespace
}  // namespace dsnn
