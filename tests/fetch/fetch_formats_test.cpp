#include "dsnn/data/npz.h"
#include "dsnn/data/splits.h"

#include "fetch/fetch_case.h"
#include "fetch/tar_file.h"

#include <gtest/gtest.h>

#include <map>

// Each kind of source, from the server to the npz.

namespace dsnn {
namespace {

using testing::contains;
using testing::HttpReply;
using testing::HttpRequest;
using testing::LoopbackServer;
using testing::make_tar;

class FormatsTest : public testing::FetchTest {
 protected:
  /// An archive from the LINQS group.
  static DatasetEntry linqs(const std::string& name) {
    return {.name = name,
            .source_kind = SourceKind::kLinqs,
            .sources = {{.url = "https://example.org/a.tgz", .file_name = "a.tgz"}}};
  }

  std::string error_with(const DatasetEntry& entry, const std::string& archive) {
    const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = archive}; });
    const std::string message = error_of(entry, server);
    EXPECT_EQ(files(), Names());
    return message;
  }

  using Pairs = std::vector<std::pair<NodeId, NodeId>>;
  static Pairs arcs_of(const Dataset& dataset) {
    Pairs pairs;
    for (const Arc& arc : dataset.graph.arcs()) pairs.emplace_back(arc.source, arc.target);
    return pairs;
  }

  static std::string citations(const std::string& content, const std::string& cites) {
    return make_tar({{.name = "cora/cora.content", .text = content},
                     {.name = "cora/cora.cites", .text = cites}});
  }

  static std::string pubmed(const std::string& nodes, const std::string& cites) {
    const std::string folder = "Pubmed-Diabetes/data/Pubmed-Diabetes.";
    return make_tar({{.name = folder + "NODE.paper.tab", .text = nodes},
                     {.name = folder + "GRAPH.pubmed.tab", .text = "GRAPH\n"},
                     {.name = folder + "DIRECTED.cites.tab", .text = cites}});
  }
};

TEST_F(FormatsTest, GeomGcnHasTwelveFiles) {
  const std::string base = "/owner/geom-gcn/commit";
  std::map<std::string, std::string> served = {
      {base + "/new_data/web/out1_node_feature_label.txt",
       "node_id\tfeature\tlabel\n1\t0,1,0\t1\n0\t1,0,1\t0\n2\t0,0,0\t1\n"},
      {base + "/new_data/web/out1_graph_edges.txt", "a\tb\n0\t1\n1\t1\n2\t0\n0\t1\n"}};
  for (int i = 0; i < 10; ++i) {
    NpzWriter writer(dir_ / "split.npz");
    const std::vector<std::uint8_t> masks = {i % 3 == 0, i % 3 == 1, i % 3 == 2, i % 3 == 0,
                                             i % 3 == 1};
    writer.add<std::uint8_t>("train_mask", {3}, std::span(masks).subspan(0, 3));
    writer.add<std::uint8_t>("val_mask", {3}, std::span(masks).subspan(1, 3));
    writer.add<std::uint8_t>("test_mask", {3}, std::span(masks).subspan(2, 3));
    writer.commit();
    served[fmt::format("{}/splits/web_split_0.6_0.2_{}.npz", base, i)] =
        testing::read_text(dir_ / "split.npz");
  }
  DatasetEntry entry = {.name = "web_corrected",
                        .num_nodes = 3,
                        .num_arcs = 2,
                        .num_classes = 2,
                        .num_features = 3,
                        .source_kind = SourceKind::kGeomGcn};
  for (const auto& [path, bytes] : served) {
    entry.sources.push_back({"https://raw.example.org" + path, path.substr(path.rfind('/') + 1),
                             std::ssize(bytes), testing::sha256(bytes)});
  }
  const LoopbackServer server([&](const HttpRequest& request, auto) {
    const auto found = served.find(request.path);
    return found == served.end() ? HttpReply{.code = 404} : HttpReply{.body = found->second};
  });
  const FetchResult result = fetch(entry, server);
  EXPECT_EQ(server.requests().size(), 12U);
  EXPECT_EQ(files(), (Names{"web_corrected.npz"}));
  EXPECT_TRUE(result.notes.empty());
  const Dataset dataset = read_dataset(result.path);
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{0, 1, 1}));
  ASSERT_EQ(dataset.splits.size(), 10U);
  EXPECT_EQ(dataset.splits[4].train, (std::vector<std::uint8_t>{0, 1, 0}));

  // Files downloaded before a failure are not requested again.
  served.erase(base + "/splits/web_split_0.6_0.2_9.npz");
  options_.force = true;
  EXPECT_TRUE(contains(error_of(entry, server), "web_split_0.6_0.2_9.npz: download failed"));
  EXPECT_EQ(files().size(), 12U);  // eleven source files, and the earlier npz
  const std::size_t before = server.requests().size();
  EXPECT_TRUE(contains(error_of(entry, server), "code 404"));
  EXPECT_EQ(server.requests().size(), before + 1);
}

TEST_F(FormatsTest, UndirectedGraphsAreNoted) {
  Dataset dataset;
  dataset.graph = DirectedGraph::from_arcs(2, std::vector<Arc>{{0, 1}});
  dataset.labels = {0, 1};
  dataset.features = Features::dense(2, 1, {1, 2});
  write_dataset(dir_ / "original.npz", dataset);
  const LoopbackServer server(
      [&](auto&, auto) { return HttpReply{.body = testing::read_text(dir_ / "original.npz")}; });
  const DatasetEntry entry = {.name = "pairs",
                              .num_nodes = 2,
                              .num_arcs = 1,
                              .num_classes = 2,
                              .num_features = 1,
                              .directions_are_real = false,
                              .source_kind = SourceKind::kHeterophilous,
                              .sources = {{.url = "https://example.org/p", .file_name = "p"}}};
  const FetchResult result = fetch(entry, server);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_TRUE(contains(result.notes[0], "undirected"));
}

TEST_F(FormatsTest, CitationsRunFromCitingToCited) {
  // Lines of 'cited citing': b cites a, c cites b, one paper cites itself, two are missing.
  const std::string archive =
      citations("a\t1\t0\t1\tTheory\nb\t0\t0\t0\tAgents\r\nc\t0\t1\t0\tTheory\n",
                "a\tb\nb\tc\nc\tc\nmissing\ta\nb\tgone\n");
  DatasetEntry entry = linqs("cora");
  entry.num_nodes = 3;
  entry.num_arcs = 2;
  entry.num_classes = 2;
  entry.num_features = 3;
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = archive}; });
  const FetchResult result = fetch(entry, server);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_TRUE(contains(result.notes[0], "2 links to papers outside the data"));
  const Dataset dataset = read_dataset(result.path);
  EXPECT_EQ(arcs_of(dataset), (Pairs{{1, 0}, {2, 1}}));
  EXPECT_EQ(dataset.node_ids, (Names{"a", "b", "c"}));
  EXPECT_EQ(dataset.label_names, (Names{"Agents", "Theory"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(dataset.features.to_dense().values, (std::vector<float>{1, 0, 1, 0, 0, 0, 0, 1, 0}));
  ASSERT_EQ(dataset.splits.size(), 10U);
  const auto splits = numpy_stratified_splits(dataset.labels, 2, {}, 10);
  EXPECT_EQ(dataset.splits[7].train, splits[7].train);
}

TEST_F(FormatsTest, PubmedHasNamedFeatures) {
  const std::string archive = pubmed(
      "NODE\tpaper\ncat=1,2,3:label\tnumeric:w-rat:0.0\tnumeric:w-mice:0.0\tsummary\n"
      "12\tlabel=3\tw-mice=0.5\tw-rat=0.25\tsummary=w-mice,w-rat\n"
      "7\tlabel=1\tw-mice=0.125\tsummary=w-mice\n",
      "DIRECTED\tcites\nNO_FEATURES\n1\tpaper:12\t|\tpaper:7\n2\tpaper:7\t|\tpaper:7\n");
  DatasetEntry entry = linqs("pubmed");
  entry.num_nodes = 2;
  entry.num_arcs = 1;
  entry.num_classes = 2;
  entry.num_features = 2;
  const LoopbackServer server([&](auto&, auto) { return HttpReply{.body = archive}; });
  const Dataset dataset = read_dataset(fetch(entry, server).path);
  EXPECT_EQ(arcs_of(dataset), (Pairs{{0, 1}}));
  EXPECT_EQ(dataset.node_ids, (Names{"12", "7"}));
  EXPECT_EQ(dataset.label_names, (Names{"1", "3"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(dataset.feature_names, (Names{"w-rat", "w-mice"}));
  EXPECT_EQ(dataset.features.to_dense().values, (std::vector<float>{0.25, 0.5, 0, 0.125}));
}

TEST_F(FormatsTest, BadLinesAreNamed) {
  const DatasetEntry cora = linqs("cora");
  struct Case {
    std::string content, cites, expected;
  };
  for (const Case& c : {Case{"a\t1\tx\nb\t1\t0\ty\n", "", "(cora.content):2: has 4 fields"},
                        {"a\tone\tx\n", "", "(cora.content):1: has a feature that is not a number"},
                        {"a\t1\tx\n\na\t0\tx\n", "", "(cora.content):3: has paper 'a' twice"},
                        {"a\t1\tx\n", "a a\n", "(cora.cites):1: expected two papers"}}) {
    EXPECT_TRUE(contains(error_with(cora, citations(c.content, c.cites)), c.expected));
  }
  const std::string heading = "NODE\tpaper\ncat=1:label\tnumeric:w-rat:0.0\tsummary\n";
  const DatasetEntry entry = linqs("pubmed");
  for (const Case& c :
       {Case{"NODE\tpaper\n", "", "ends before the names of the features"},
        {heading + "1\tw-rat=1\n", "", "paper.tab):3: has no 'label='"},
        {heading + "1\tlabel=1\tw-rat\n", "", "has a field without '='"},
        {heading + "1\tlabel=1\tw-rat=x\n", "", "has a feature that is not a number"},
        {heading + "1\tlabel=1\tw-rat=1\tw-rat=2\n", "", "has a feature twice"},
        {heading + "1\tlabel=1\n", "D\nN\n1\tpaper:1\tpaper:1\n", "cites.tab):3: expected"}}) {
    EXPECT_TRUE(contains(error_with(entry, pubmed(c.content, c.cites)), c.expected));
  }
}

}  // namespace
}  // namespace dsnn
