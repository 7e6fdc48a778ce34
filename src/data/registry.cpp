#include "dsnn/data/registry.h"

#include "data/registry_sources.h"

#include <algorithm>

namespace dsnn {
namespace {

// --- sentences and references that several entries share ---

constexpr const char* kPei =
    "Pei et al., Geom-GCN: Geometric Graph Convolutional Networks, ICLR 2020";
constexpr const char* kPlatonov =
    "Platonov et al., A critical look at the evaluation of GNNs under heterophily: Are we really "
    "making progress?, ICLR 2023";
constexpr const char* kRozemberczki =
    "Rozemberczki et al., Multi-scale Attributed Node Embedding, 2021";
constexpr const char* kSen =
    "Sen et al., Collective Classification in Network Data, AI Magazine 2008";
constexpr const char* kNamata =
    "Namata et al., Query-driven Active Surveying for Collective Classification, MLG 2012";
constexpr const char* kBojchevski =
    "Bojchevski and Guennemann, Deep Gaussian Embedding of Graphs, ICLR 2018";
constexpr const char* kBovet =
    "Bovet and Grindrod, The Activity of the Far Right on Telegram, 2020";

constexpr const char* kGeomGcnPage = "https://github.com/graphdml-uiuc-jlu/geom-gcn";
constexpr const char* kHeterophilousPage =
    "https://github.com/yandex-research/heterophilous-graphs";
constexpr const char* kLinqsPage = "https://linqs.org/datasets/";
constexpr const char* kGraphDataPage = "https://github.com/EdisonLeeeee/GraphData";
constexpr const char* kSignedDirectedPage =
    "https://github.com/SherylHYX/pytorch_geometric_signed_directed";

constexpr const char* kGeomGcnSplits = "ten by Geom-GCN, 48/32/20 % of the nodes";
constexpr const char* kSourceSplits = "ten by the source";
constexpr const char* kMadeSplits =
    "ten drawn when the dataset is fetched, 48/32/20 % of each class, split i by NumPy's "
    "default_rng(i)";

constexpr const char* kNotStratified =
    "The splits are not stratified: a class can be missing among the training nodes of a split.";
constexpr const char* kOneNodeClass = "Class 1 has a single node, node 25.";
constexpr const char* kOneWayListing =
    "The graph is undirected: every pair is listed once, in an arbitrary order; make it symmetric "
    "before use.";
constexpr const char* kNoHash =
    "No hash of the source file is known: a download is checked only by its size.";
constexpr const char* kOtherOrder =
    "The published masks are for Planetoid's node order. The fetched file is in LINQS' order, so "
    "its "
    "splits are drawn here and differ from those of files in Planetoid's order.";
constexpr const char* kSortedClasses =
    "In the fetched file, classes are numbered in the order of their names; other files number "
    "them "
    "differently.";
constexpr const char* kSmallestClass =
    "Class 5, the smallest, is entirely in the training sets: it never occurs in validation or "
    "test.";
constexpr const char* kMaybeReversed =
    "Other citation graphs of the source have arcs from cited to citing paper; this one may too.";
constexpr const char* kNoOriginal =
    "It was compiled from several sources and cannot be downloaded; a file must be provided.";

std::string joined(const char* first, const char* second, const char* third = "") {
  return std::string(first) + second + third;
}

std::vector<DatasetEntry> paper_entries() {
  return {
      {.name = "texas",
       .title = "Web pages of the University of Texas (WebKB)",
       .reference = kPei,
       .homepage = kGeomGcnPage,
       .num_nodes = 183,
       .num_arcs = 309,
       .num_classes = 5,
       .num_features = 1703,
       .splits = kGeomGcnSplits,
       .faults = {kNotStratified, kOneNodeClass},
       .source_kind = SourceKind::kGeomGcn},
      {.name = "wisconsin",
       .title = "Web pages of the University of Wisconsin (WebKB)",
       .reference = kPei,
       .homepage = kGeomGcnPage,
       .num_nodes = 251,
       .num_arcs = 499,
       .num_classes = 5,
       .num_features = 1703,
       .splits = kGeomGcnSplits,
       .faults = {kNotStratified},
       .source_kind = SourceKind::kGeomGcn},
      {.name = "film",
       .title = "Actors that co-occur on Wikipedia pages (also called actor)",
       .reference = kPei,
       .homepage = kGeomGcnPage,
       .num_nodes = 7600,
       .num_arcs = 29926,
       .num_classes = 5,
       .num_features = 932,
       .splits = kGeomGcnSplits,
       .faults =
           {kNotStratified,
            "The source has 3372 duplicate arcs and 10 duplicate node features; they are merged."},
       .source_kind = SourceKind::kGeomGcn},
      {.name = "squirrel_filtered",
       .title = "Wikipedia pages about squirrels, without duplicate nodes",
       .reference = joined(kPlatonov, "; ", kRozemberczki),
       .homepage = kHeterophilousPage,
       .num_nodes = 2223,
       .num_arcs = 46998,
       .num_classes = 5,
       .num_features = 2089,
       .splits = kSourceSplits,
       .directions_are_real = false,
       .normalise_features = false,
       .faults = {joined(kOneWayListing, " squirrel_filtered_directed has the directions."),
                  "113 nodes have no feature other than 0."},
       .source_kind = SourceKind::kHeterophilous},
      {.name = "chameleon_filtered",
       .title = "Wikipedia pages about chameleons, without duplicate nodes",
       .reference = joined(kPlatonov, "; ", kRozemberczki),
       .homepage = kHeterophilousPage,
       .num_nodes = 890,
       .num_arcs = 8854,
       .num_classes = 5,
       .num_features = 2325,
       .splits = kSourceSplits,
       .directions_are_real = false,
       .normalise_features = false,
       .faults = {joined(kOneWayListing, " chameleon_filtered_directed has the directions."),
                  "94 nodes have no feature other than 0."},
       .source_kind = SourceKind::kHeterophilous},
      {.name = "cornell",
       .title = "Web pages of Cornell University (WebKB), with the nodes of texas",
       .reference = kPei,
       .homepage = kGeomGcnPage,
       .num_nodes = 183,
       .num_arcs = 295,
       .num_classes = 5,
       .num_features = 1703,
       .splits = kGeomGcnSplits,
       .faults = {"Features and labels are byte for byte those of texas and unrelated to the "
                  "graph, as in all papers before July 2022; cornell_corrected has Cornell's "
                  "own.",
                  kNotStratified, kOneNodeClass},
       .source_kind = SourceKind::kGeomGcn},
      {.name = "citeseer",
       .title = "Citations among papers on computer science",
       .reference = kSen,
       .homepage = kLinqsPage,
       .num_nodes = 3312,
       .num_arcs = 4591,
       .num_classes = 6,
       .num_features = 3703,
       .splits = kMadeSplits,
       .faults = {"17 links to papers outside the data and 124 self-loops are dropped; 48 nodes "
                  "have no link left.",
                  joined(kOtherOrder, " The published masks are also for a graph of 3327 nodes."),
                  kSortedClasses},
       .source_kind = SourceKind::kLinqs},
      {.name = "pubmed",
       .title = "Citations among papers on diabetes",
       .reference = kNamata,
       .homepage = kLinqsPage,
       .num_nodes = 19717,
       .num_arcs = 44335,
       .num_classes = 3,
       .num_features = 500,
       .splits = joined("ten by Geom-GCN in files in Planetoid's order; else ", kMadeSplits),
       .faults = {kOtherOrder, kSortedClasses},
       .source_kind = SourceKind::kLinqs},
      {.name = "cora",
       .title = "Citations among papers on machine learning",
       .reference = kSen,
       .homepage = kLinqsPage,
       .num_nodes = 2708,
       .num_arcs = 5429,
       .num_classes = 7,
       .num_features = 1433,
       .splits = joined("ten by Geom-GCN in files in Planetoid's order; else ", kMadeSplits),
       .faults = {kOtherOrder, "The published masks cover only the largest component, 2485 nodes.",
                  kSortedClasses},
       .source_kind = SourceKind::kLinqs},
  };
}

std::vector<DatasetEntry> variant_entries() {
  return {
      {.name = "cornell_corrected",
       .title = "Web pages of Cornell University (WebKB), with their own features and labels",
       .reference = kPei,
       .homepage = kGeomGcnPage,
       .num_nodes = 183,
       .num_arcs = 295,
       .num_classes = 5,
       .num_features = 1703,
       .splits = joined(kGeomGcnSplits, ", those of cornell"),
       .faults = {kNotStratified},
       .source_kind = SourceKind::kGeomGcn},
      {.name = "citeseer_official_split",
       .title = "citeseer with Geom-GCN's splits, mapped to its 3312 nodes",
       .reference = kSen,
       .homepage = kLinqsPage,
       .num_nodes = 3312,
       .num_arcs = 4591,
       .num_classes = 6,
       .num_features = 3703,
       .splits = kGeomGcnSplits,
       .faults = {kNoOriginal, "Splits 4 and 5 cover only the largest component, 2120 nodes."}},
      {.name = "citeseer_repo_split",
       .title = "citeseer with 264 training nodes per class",
       .reference = kSen,
       .homepage = kLinqsPage,
       .num_nodes = 3312,
       .num_arcs = 4591,
       .num_classes = 6,
       .num_features = 3703,
       .splits = "ten with 264 training nodes per class, 32 and 20 % of all nodes for validation "
                 "and test",
       .faults = {kNoOriginal, kSmallestClass, "21 nodes are in none of the sets."}},
      {.name = "cora_repo_order",
       .title = "cora in LINQS' order with the masks for Planetoid's",
       .reference = kSen,
       .homepage = kLinqsPage,
       .num_nodes = 2708,
       .num_arcs = 5429,
       .num_classes = 7,
       .num_features = 1433,
       .splits = joined(kGeomGcnSplits, ", applied to the wrong nodes"),
       .faults = {kNoOriginal,
                  "The masks are for another node order: they select arbitrary nodes and leave 223 "
                  "out."}},
      {.name = "squirrel_filtered_directed",
       .title = "Wikipedia pages about squirrels, without duplicate nodes, with link directions",
       .reference = joined(kPlatonov, "; ", kRozemberczki),
       .homepage = kHeterophilousPage,
       .num_nodes = 2223,
       .num_arcs = 65578,
       .num_classes = 5,
       .num_features = 2089,
       .splits = kSourceSplits,
       .normalise_features = false,
       .faults = {"113 nodes have no feature other than 0."},
       .source_kind = SourceKind::kHeterophilous},
      {.name = "chameleon_filtered_directed",
       .title = "Wikipedia pages about chameleons, without duplicate nodes, with link directions",
       .reference = joined(kPlatonov, "; ", kRozemberczki),
       .homepage = kHeterophilousPage,
       .num_nodes = 890,
       .num_arcs = 13534,
       .num_classes = 5,
       .num_features = 2325,
       .splits = kSourceSplits,
       .normalise_features = false,
       .faults = {"94 nodes have no feature other than 0."},
       .source_kind = SourceKind::kHeterophilous},
  };
}

/// One of the graphs that were new in heterophilous-graphs; all of them are undirected.
DatasetEntry heterophilous_entry(std::string name, std::string title, std::int64_t num_nodes,
                                 std::int64_t num_arcs, std::int64_t num_classes,
                                 std::int64_t num_features) {
  return {.name = std::move(name),
          .title = std::move(title),
          .reference = kPlatonov,
          .homepage = kHeterophilousPage,
          .num_nodes = num_nodes,
          .num_arcs = num_arcs,
          .num_classes = num_classes,
          .num_features = num_features,
          .splits = joined(kSourceSplits, ", 50/25/25 % of the nodes"),
          .directions_are_real = false,
          .normalise_features = false,
          .faults = {kOneWayListing},
          .source_kind = SourceKind::kHeterophilous};
}

std::vector<DatasetEntry> other_entries() {
  return {
      heterophilous_entry("minesweeper", "A grid of the game; classes: mine or not", 10000, 39402,
                          2, 7),
      heterophilous_entry("tolokers", "Workers of a crowdsourcing platform that shared tasks",
                          11758, 519000, 2, 10),
      heterophilous_entry("roman_empire", "Words of a Wikipedia article and their syntactic roles",
                          22662, 32927, 18, 300),
      heterophilous_entry("amazon_ratings", "Products bought together, and their ratings", 24492,
                          93050, 5, 300),
      heterophilous_entry("questions", "Users of a question-answering site who answered each other",
                          48921, 153540, 2, 301),
      {.name = "telegram",
       .title = "Channels of Telegram and the links between them",
       .reference = kBovet,
       .homepage = kSignedDirectedPage,
       .num_nodes = 245,
       .num_arcs = 8912,
       .num_classes = 4,
       .num_features = 1,
       .splits = "ten with 60/20/20 % of each class",
       .normalise_features = false,
       .faults = {kNoOriginal, "It has no features: the only column is random noise.",
                  "The weights of the links, 1 to 7934, are left out."}},
      {.name = "cora_ml",
       .title = "Citations among papers on machine learning, the larger extract",
       .reference = kBojchevski,
       .homepage = kGraphDataPage,
       .num_nodes = 2995,
       .num_arcs = 8416,
       .num_classes = 7,
       .num_features = 2879,
       .splits = "ten with 20 training nodes per class, 500 for validation, the rest for test",
       .features_are_normalised = true,
       .normalise_features = false,
       .faults = {kNoOriginal, kMaybeReversed}},
      {.name = "citeseer_full",
       .title = "Citations among papers on computer science, the larger extract",
       .reference = kBojchevski,
       .homepage = kGraphDataPage,
       .num_nodes = 4230,
       .num_arcs = 5358,
       .num_classes = 6,
       .num_features = 602,
       .splits = "ten with 48/32/20 % of each class",
       .features_are_normalised = true,
       .normalise_features = false,
       .faults = {kNoOriginal, kMaybeReversed, "89 nodes have no feature other than 0."}},
  };
}

std::vector<DatasetEntry> make_registry() {
  std::vector<DatasetEntry> entries = paper_entries();
  for (const auto& more : {variant_entries(), other_entries()}) {
    entries.insert(entries.end(), more.begin(), more.end());
  }
  for (DatasetEntry& entry : entries) {
    entry.sources = dataset_sources(entry.name, entry.source_kind);
    const auto lacks_hash = [](const DatasetSource& source) { return source.sha256.empty(); };
    if (std::ranges::any_of(entry.sources, lacks_hash)) entry.faults.emplace_back(kNoHash);
  }
  return entries;
}

}  // namespace

std::span<const DatasetEntry> dataset_registry() {
  static const std::vector<DatasetEntry> entries = make_registry();
  return entries;
}

const DatasetEntry* find_dataset_entry(std::string_view name) {
  const auto entries = dataset_registry();
  const auto found = std::ranges::find(entries, name, &DatasetEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace dsnn
