#include "dsnn/data/registry.h"

#include "dsnn/data/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace dsnn {
namespace {

TEST(Registry, KnowsEachDatasetOnceAndCompletely) {
  std::set<std::string> names;
  for (const DatasetEntry& entry : dataset_registry()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_dataset_entry(entry.name), &entry);
    for (const std::string& text : {entry.title, entry.reference, entry.homepage, entry.splits}) {
      EXPECT_FALSE(text.empty()) << entry.name;
    }
    for (const std::int64_t size :
         {entry.num_nodes, entry.num_arcs, entry.num_classes, entry.num_features}) {
      EXPECT_GT(size, 0) << entry.name;
    }
    for (const std::string& fault : entry.faults) EXPECT_TRUE(fault.ends_with('.')) << fault;
    EXPECT_FALSE(entry.features_are_normalised && entry.normalise_features) << entry.name;
    EXPECT_EQ(entry.can_be_fetched(), !entry.sources.empty()) << entry.name;
  }
  EXPECT_EQ(names.size(), 23U);
  EXPECT_EQ(find_dataset_entry("texa"), nullptr);
}

TEST(Registry, NamesSourcesThatStayInTheirFolder) {
  for (const DatasetEntry& entry : dataset_registry()) {
    std::set<std::string> files;
    for (const DatasetSource& source : entry.sources) {
      EXPECT_TRUE(files.insert(source.file_name).second) << source.file_name;
      EXPECT_TRUE(source.url.starts_with("https://")) << source.url;
      EXPECT_TRUE(source.url.ends_with("/" + source.file_name)) << source.url;
      EXPECT_EQ(source.file_name.find('/'), std::string::npos);
      EXPECT_EQ(source.sha256.empty(), source.bytes == 0) << source.url;
      const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
      EXPECT_TRUE(std::ranges::all_of(source.sha256, is_digit)) << source.url;
      EXPECT_TRUE(source.sha256.empty() || source.sha256.size() == 64) << source.url;
    }
    const bool is_geom_gcn = entry.source_kind == SourceKind::kGeomGcn;
    if (entry.can_be_fetched()) {
      EXPECT_EQ(files.size(), is_geom_gcn ? 12U : 1U) << entry.name;
    }
  }
}

TEST(Registry, AgreesWithTheFiles) {
  const char* folder = std::getenv("DSNN_DATA");
  if (folder == nullptr) GTEST_SKIP() << "DSNN_DATA is not set";
  for (const DatasetEntry& entry : dataset_registry()) {
    const std::filesystem::path path = std::filesystem::path(folder) / (entry.name + ".npz");
    if (!std::filesystem::exists(path)) continue;
    const Dataset dataset = read_dataset(path);
    EXPECT_EQ(dataset.graph.num_nodes(), entry.num_nodes) << entry.name;
    EXPECT_EQ(dataset.graph.num_arcs(), entry.num_arcs) << entry.name;
    EXPECT_EQ(dataset.num_classes, entry.num_classes) << entry.name;
    EXPECT_EQ(dataset.features.num_columns, entry.num_features) << entry.name;
    if (entry.directions_are_real) continue;
    const std::vector<Arc> arcs = dataset.graph.arcs();
    const auto goes_up = [](const Arc& arc) { return arc.source < arc.target; };
    EXPECT_TRUE(std::ranges::all_of(arcs, goes_up)) << entry.name;
  }
}

}  // namespace
}  // namespace dsnn
