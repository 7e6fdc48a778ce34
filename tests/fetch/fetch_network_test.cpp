#include "dsnn/util/progress.h"

#include "fetch/fetch_case.h"
#include "fetch/transfer.h"

#include <gtest/gtest.h>

// Behaviour of servers and networks, for a dataset of one file.

namespace dsnn {
namespace {

using testing::contains;
using testing::HttpReply;
using testing::HttpRequest;
using testing::LoopbackServer;
using testing::message_of;
using Clock = std::chrono::steady_clock;

class NetworkTest : public testing::FetchTest {
 protected:
  NetworkTest() {
    Dataset dataset;
    std::vector<Arc> arcs;
    for (NodeId u = 1; u < kNumNodes; ++u) arcs.push_back({u - 1, u});
    dataset.graph = DirectedGraph::from_arcs(kNumNodes, arcs);
    dataset.features =
        Features::dense(kNumNodes, 20, std::vector<float>(std::size_t{kNumNodes} * 20, 1));
    for (NodeId u = 0; u < kNumNodes; ++u) dataset.labels.push_back(u % 2);
    write_dataset(dir_ / "original.npz", dataset);
    bytes_ = testing::read_text(dir_ / "original.npz");
    entry_ = {.name = "tiny",
              .num_nodes = kNumNodes,
              .num_arcs = kNumNodes - 1,
              .num_classes = 2,
              .num_features = 20,
              .source_kind = SourceKind::kHeterophilous,
              .sources = {{"https://example.org/some/tiny.npz", "tiny.npz",
                           static_cast<std::int64_t>(bytes_.size()), testing::sha256(bytes_)}}};
  }

  /// The same dataset, with unknown size and hash.
  DatasetEntry without_hash() const {
    DatasetEntry entry = entry_;
    entry.sources[0].bytes = 0;
    entry.sources[0].sha256.clear();
    return entry;
  }

  std::string wrong_bytes() const {
    std::string bytes = bytes_;
    bytes[bytes.size() / 2] ^= 1;
    return bytes;
  }

  void expect_fetched(const FetchResult& result) const {
    EXPECT_EQ(result.path, options_.folder / "tiny.npz");
    EXPECT_FALSE(result.was_there);
    EXPECT_EQ(files(), kDone);
    const Dataset dataset = read_dataset(result.path);
    EXPECT_EQ(dataset.graph.num_arcs(), kNumNodes - 1);
    EXPECT_EQ(dataset.features.num_columns, 20);
  }

  static constexpr NodeId kNumNodes = 50;
  const Names kNothing = {}, kDone = {"tiny.npz"}, kPart = {"downloads/tiny/tiny.npz.part"};
  std::string bytes_;
  DatasetEntry entry_;
};

TEST_F(NetworkTest, DownloadsOnceAndAgainByForce) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  expect_fetched(fetch(entry_, server));
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(server.requests()[0].path, "/some/tiny.npz");
  EXPECT_EQ(server.requests()[0].range, "");
  EXPECT_TRUE(fetch(entry_, server).was_there);
  EXPECT_EQ(server.requests().size(), 1U);
  options_.force = true;
  EXPECT_FALSE(fetch(entry_, server).was_there);
  EXPECT_EQ(server.requests().size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(options_.folder / "downloads"));
}

TEST_F(NetworkTest, LeavesAnotherFileOfThatName) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  const std::string advice = "; move it away, or replace it with --force";
  put("tiny.npz", "nonsense");
  EXPECT_TRUE(contains(error_of(entry_, server), "tiny.npz: not an .npz archive"));
  EXPECT_TRUE(testing::ends_with(error_of(entry_, server), advice));
  put("tiny.npz", bytes_);
  DatasetEntry entry = entry_;
  entry.num_arcs = 12;
  EXPECT_TRUE(
      testing::ends_with(error_of(entry, server), "tiny.npz: has 49 arcs, expected 12" + advice));
  EXPECT_EQ(testing::read_text(options_.folder / "tiny.npz"), bytes_);
  EXPECT_TRUE(server.requests().empty());
  put("tiny.npz", "nonsense");
  options_.force = true;
  expect_fetched(fetch(entry_, server));
}

TEST_F(NetworkTest, KeepsThePathOfAMirror) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  options_.mirror = server.url() + "/copy/";
  fetch_dataset(entry_, options_);
  EXPECT_EQ(server.requests().at(0).path, "/copy/some/tiny.npz");
  options_.mirror = "file:///tmp";
  options_.force = true;
  EXPECT_TRUE(contains(message_of<Error>([&] { fetch_dataset(entry_, options_); }),
                       "mirror 'file:///tmp' is not a URL, expected http://HOST"));
}

TEST_F(NetworkTest, GoesOnWhereAConnectionWasCut) {
  const LoopbackServer server(
      [&](auto&, auto) { return HttpReply{.body = bytes_, .cut_after = 1000}; });
  expect_fetched(fetch(entry_, server));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), (bytes_.size() + 999) / 1000);
  EXPECT_GT(requests.size(), 4U);  // more than the allowed attempts without progress
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].range, fmt::format("bytes={}-", 1000 * i));
  }
}

TEST_F(NetworkTest, GoesOnInALaterRun) {
  options_.retries = 0;
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number < 2 ? HttpReply{.body = bytes_, .cut_after = number == 0 ? 1000 : 0}
                      : HttpReply{.body = bytes_};
  });
  EXPECT_TRUE(
      contains(error_of(entry_, server), "/some/tiny.npz: download failed after 2 attempts: "));
  EXPECT_EQ(files(), kPart);
  EXPECT_EQ(std::filesystem::file_size(options_.folder / kPart[0]), 1000U);
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().back().range, "bytes=1000-");
}

TEST_F(NetworkTest, StartsAgainWhereRangesAreIgnored) {
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number == 0 ? HttpReply{.body = bytes_, .cut_after = 1000}
                       : HttpReply{.body = bytes_, .ignores_range = true};
  });
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(NetworkTest, StartsAgainWhereTheRangeIsAnother) {
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number == 0   ? HttpReply{.body = bytes_, .cut_after = 1000}
           : number == 1 ? HttpReply{.body = bytes_, .shifts_range = true}
                         : HttpReply{.body = bytes_};
  });
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(server.requests()[2].range, "");
}

TEST_F(NetworkTest, TakesAnEarlierPartThatIsComplete) {
  put(kPart[0], bytes_);
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  expect_fetched(fetch(entry_, server));
  EXPECT_TRUE(server.requests().empty());
  options_.force = true;
  put(kPart[0], bytes_);
  expect_fetched(fetch(without_hash(), server));  // only the server knows that the file is complete
  EXPECT_EQ(server.requests().size(), 1U);
  put(kPart[0], bytes_ + "more than the server has");
  expect_fetched(fetch(without_hash(), server));
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST_F(NetworkTest, HangsUpOnAServerThatStalls) {
  const LoopbackServer server([&](auto&, std::size_t number) {
    return HttpReply{.body = bytes_,
                     .stall_after = number == 0 ? std::optional<std::size_t>(500) : std::nullopt};
  });
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().at(1).range, "bytes=500-");
}

TEST_F(NetworkTest, GivesUpOnAServerThatStallsAlways) {
  options_.retries = 1;
  const LoopbackServer server(
      [&](auto&, auto) { return HttpReply{.body = bytes_, .stall_after = 0}; });
  EXPECT_TRUE(contains(error_of(entry_, server), "after 2 attempts: no data received for 0.3 s"));
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, WaitsForASlowServer) {
  const LoopbackServer server([&](auto&, auto) {
    return HttpReply{.body = bytes_, .pause = std::chrono::milliseconds(40)};
  });
  options_.stall = std::chrono::milliseconds(800);
  const Clock::time_point start = Clock::now();
  expect_fetched(fetch(entry_, server));
  EXPECT_GT(Clock::now() - start, options_.stall);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(NetworkTest, FollowsRedirections) {
  const LoopbackServer server([&](const HttpRequest& request, auto) {
    return request.path == "/some/tiny.npz"
               ? HttpReply{.body = "<p>moved</p>", .code = 302, .location = "/other/place"}
               : HttpReply{.body = bytes_};
  });
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().at(1).path, "/other/place");
}

TEST_F(NetworkTest, FollowsNoMoreThanFiveRedirections) {
  const LoopbackServer server(
      [&](auto&, auto) { return HttpReply{.code = 301, .location = "/some/tiny.npz"}; });
  EXPECT_TRUE(contains(error_of(entry_, server), "more than 5 redirections"));
  EXPECT_EQ(server.requests().size(), 6U);
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, FollowsNoRedirectionToOtherProtocols) {
  for (const std::string target : {"file:///etc/passwd", "ftp://127.0.0.1/tiny.npz"}) {
    const LoopbackServer server(
        [&](auto&, auto) { return HttpReply{.code = 302, .location = target}; });
    EXPECT_TRUE(
        contains(error_of(entry_, server), "a redirection to " + target + ", which is not"));
    EXPECT_EQ(files(), kNothing);
  }
}

TEST_F(NetworkTest, RefusesWrongBytes) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = wrong_bytes()}; });
  const std::string message = error_of(entry_, server);
  EXPECT_TRUE(contains(message, server.url() + "/some/tiny.npz: its SHA-256 is "));
  EXPECT_TRUE(contains(message, testing::sha256(wrong_bytes())));
  EXPECT_TRUE(contains(message, "expected " + entry_.sources[0].sha256));
  EXPECT_EQ(files(), kNothing);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(NetworkTest, RefusesTooManyAndTooFewBytes) {
  for (const bool has_length : {true, false}) {
    const LoopbackServer server([&](auto&, auto) {
      return HttpReply{.body = bytes_ + std::string(100'000, 'x'), .has_length = has_length};
    });
    EXPECT_TRUE(contains(error_of(entry_, server),
                         fmt::format("is longer than the expected {} bytes", bytes_.size())));
    EXPECT_EQ(files(), kNothing);
  }
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = "a page"}; });
  EXPECT_TRUE(
      contains(error_of(entry_, server), fmt::format("has 6 bytes, expected {}", bytes_.size())));
  EXPECT_EQ(files(), kNothing);
}

// Without a length, a truncated download cannot be detected.
TEST_F(NetworkTest, GoesOnAfterAnEarlyEndWithoutALength) {
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number == 0 ? HttpReply{.body = bytes_.substr(0, 700), .has_length = false}
                       : HttpReply{.body = bytes_};
  });
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().at(1).range, "bytes=700-");
}

TEST_F(NetworkTest, AsksOnceForWhatIsNotThere) {
  const LoopbackServer server(
      [&](auto&, auto) { return HttpReply{.body = "no such page", .code = 404}; });
  EXPECT_TRUE(contains(error_of(entry_, server), "the server answered with code 404"));
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, AsksAgainWhereTheServerIsBusy) {
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number < 2 ? HttpReply{.body = "busy", .code = number == 0 ? 500 : 429}
                      : HttpReply{.body = bytes_};
  });
  expect_fetched(fetch(entry_, server));
  const LoopbackServer busy([&](auto&, auto) { return HttpReply{.code = 503}; });
  options_.force = true;
  EXPECT_TRUE(contains(error_of(entry_, busy), "after 3 attempts: the server answered with code"));
  EXPECT_EQ(busy.requests().size(), 3U);
  EXPECT_EQ(files(), kDone);  // what was there before
}

TEST_F(NetworkTest, SaysWhatToDoWithoutANetwork) {
  std::string url;
  {
    const LoopbackServer closed([&](auto&, auto) { return HttpReply{}; });
    url = closed.url();
  }
  options_.mirror = url;
  const std::string message = message_of<Error>([&] { fetch_dataset(entry_, options_); });
  for (const std::string& part :
       {"tiny: " + url.substr(7) + " cannot be reached",
        "put tiny.npz into " + options_.folder.string(), std::string("dsnn datasets info tiny"),
        "into " + (options_.folder / "downloads/tiny").string()}) {
    EXPECT_TRUE(contains(message, part));
  }
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, StopsWithinASecondAndKeepsWhatCame) {
  options_.stall = std::chrono::seconds(60);
  const LoopbackServer server([&](auto&, std::size_t number) {
    return number == 0 ? HttpReply{.body = bytes_, .stall_after = 1000} : HttpReply{.body = bytes_};
  });
  Clock::time_point asked;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    asked = Clock::now();
    request_cancel();
  });
  EXPECT_THROW(fetch(entry_, server), Cancelled);
  const Clock::time_point stopped = Clock::now();
  user.join();
  clear_cancel_request();
  EXPECT_LT(stopped - asked, std::chrono::seconds(1));
  EXPECT_EQ(files(), kPart);
  expect_fetched(fetch(entry_, server));
  EXPECT_EQ(server.requests().at(1).range, "bytes=1000-");
}

TEST_F(NetworkTest, ShowsItsProgress) {
  const LoopbackServer server([&](auto&, auto) {
    return HttpReply{.body = bytes_, .pause = std::chrono::milliseconds(2)};
  });
  std::vector<std::int64_t> done;
  set_progress_observer([&](const ProgressUpdate& update) {
    if (update.stage != std::string_view("downloading")) return;
    EXPECT_EQ(update.scope, "tiny");
    EXPECT_EQ(update.total, std::ssize(bytes_));
    done.push_back(update.done);
  });
  fetch(entry_, server);
  set_progress_observer({});
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_GT(done.size(), 3U);
  EXPECT_EQ(done.back(), std::ssize(bytes_));
}

TEST_F(NetworkTest, LetsOneOfTwoWait) {
  const LoopbackServer server([&](auto&, auto) {
    return HttpReply{.body = bytes_, .pause = std::chrono::milliseconds(3)};
  });
  options_.mirror = server.url();
  int num_there = 0;
  std::thread other([&] { num_there += fetch_dataset(entry_, options_).was_there ? 1 : 0; });
  const bool was_there = fetch_dataset(entry_, options_).was_there;
  other.join();
  EXPECT_EQ(num_there + (was_there ? 1 : 0), 1);
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(files(), kDone);
}

// --- the folder ---

TEST_F(NetworkTest, UsesAnOriginalThatIsThere) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  put("downloads/tiny/tiny.npz", bytes_);
  expect_fetched(fetch(entry_, server));
  options_.force = true;
  put("downloads/tiny/tiny.npz", bytes_);
  expect_fetched(fetch(without_hash(), server));
  put("downloads/tiny/tiny.npz", wrong_bytes());
  const std::string message = error_of(entry_, server);
  EXPECT_TRUE(contains(message, "downloads/tiny/tiny.npz: its SHA-256 is "));
  EXPECT_TRUE(contains(message, "; remove it to download it again"));
  EXPECT_EQ(files(), (Names{"downloads/tiny/tiny.npz", "tiny.npz"}));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(NetworkTest, RefusesADatasetOfOtherSizes) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  DatasetEntry entry = without_hash();
  entry.num_nodes = 51;
  entry.num_features = 21;
  EXPECT_TRUE(contains(error_of(entry, server),
                       "50 nodes, expected 51; 20 features, expected 21 (the download was"));
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, RefusesWhatIsNoDataset) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = "<p>Log in</p>"}; });
  EXPECT_TRUE(contains(error_of(without_hash(), server), "tiny.npz"));
  EXPECT_EQ(files(), kNothing);
}

TEST_F(NetworkTest, RefusesNamesOutsideTheFolder) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  for (const std::string name : {"../evil.npz", "a/b.npz", "..", ".", "", "/tmp/evil.npz"}) {
    DatasetEntry entry = entry_;
    entry.sources[0].file_name = name;
    EXPECT_TRUE(contains(error_of(entry, server), "is outside its folder")) << name;
    entry = entry_;
    entry.name = name == "a/b.npz" ? "a/b" : name;
    EXPECT_TRUE(contains(error_of(entry, server), "is not a dataset name") ||
                contains(error_of(entry, server), "is outside"))
        << name;
  }
  EXPECT_TRUE(server.requests().empty());
  EXPECT_FALSE(std::filesystem::exists(options_.folder));
}

TEST_F(NetworkTest, WritesThroughNoLink) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  testing::write_text(dir_ / "precious", "");
  std::filesystem::create_directories(options_.folder / "downloads/tiny");
  std::filesystem::create_symlink(dir_ / "precious", options_.folder / kPart[0]);
  EXPECT_TRUE(contains(error_of(entry_, server), "tiny.npz.part: cannot write"));
  EXPECT_EQ(testing::read_text(dir_ / "precious"), "");
}

TEST_F(NetworkTest, SaysWhenTheFolderCannotBeMade) {
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = bytes_}; });
  testing::write_text(dir_ / "data", "a file");
  EXPECT_TRUE(contains(error_of(entry_, server), "cannot create the folder"));
}

TEST_F(NetworkTest, SaysWhereAFileMustBePutThatCannotBeFetched) {
  entry_.source_kind = SourceKind::kNone;
  EXPECT_EQ(message_of<Error>([&] { fetch_dataset(entry_, options_); }),
            "tiny: cannot be fetched, because no public source exists; put tiny.npz into " +
                options_.folder.string());
}

TEST(Redirections, NeverLeaveTheEncryption) {
  EXPECT_TRUE(may_follow("https://a.org/x", "https://b.org/x"));
  EXPECT_TRUE(may_follow("http://a.org/x", "https://a.org/x"));
  EXPECT_TRUE(may_follow("http://a.org/x", "http://b.org/x"));
  EXPECT_FALSE(may_follow("https://a.org/x", "http://a.org/x"));
  EXPECT_FALSE(may_follow("http://a.org/x", "ftp://a.org/x"));
  EXPECT_FALSE(may_follow("http://a.org/x", "file:///etc/passwd"));
}

}  // namespace
}  // namespace dsnn
