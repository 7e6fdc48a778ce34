#include "data_files.h"

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "util/index.h"

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace dsnn::bench {
namespace {

namespace fs = std::filesystem;

// Sequences of uniform_at().
enum Seed : std::uint64_t { kSources = 1, kTargets, kValues, kLabels, kParts, kColumns };

std::int64_t random_below(Seed seed, std::int64_t i, std::int64_t bound) {
  return static_cast<std::int64_t>(uniform_at(seed, static_cast<std::uint64_t>(i)) *
                                   static_cast<double>(bound));
}
Arc arc_at(const DataSize& size, std::int64_t i) {
  return {static_cast<NodeId>(random_below(kSources, i, size.nodes)),
          static_cast<NodeId>(random_below(kTargets, i, size.nodes))};
}
float value_at(std::int64_t i) {
  return static_cast<float>(uniform_at(kValues, static_cast<std::uint64_t>(i)) - 0.5);
}
std::int64_t label_at(std::int64_t node) { return random_below(kLabels, node, kNumClasses); }
/// 0: training, 1: validation, 2: test.
std::int64_t part_at(std::int64_t node) { return random_below(kParts, node, 3); }

// Writes text to a file, gzipped depending on its name.
class Writer {
 public:
  explicit Writer(const fs::path& path)
      : path_(path), file_(::gzopen(path.c_str(), path.extension() == ".gz" ? "wb6" : "wbT")) {
    if (file_ == nullptr) fail();
  }
  ~Writer() {
    if (file_ != nullptr) ::gzclose(file_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    if (text_.size() > kPieceBytes) flush();
  }
  void close() {
    flush();
    if (::gzclose(std::exchange(file_, nullptr)) != Z_OK) fail();
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  void flush() {
    const auto bytes = static_cast<unsigned>(text_.size());
    if (bytes > 0 && ::gzwrite(file_, text_.data(), bytes) != static_cast<int>(bytes)) fail();
    text_.clear();
  }
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: cannot write", path_.string())); }

  fs::path path_;
  gzFile file_;
  std::string text_;
};

Dataset make_in_memory(const DataSize& size) {
  Dataset dataset;
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < size.arcs; ++i) arcs.push_back(arc_at(size, i));
  dataset.graph = DirectedGraph::from_arcs(static_cast<NodeId>(size.nodes), arcs);
  std::vector<float> values(at(size.nodes * size.features));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_at(static_cast<std::int64_t>(i));
  dataset.features = Features::dense(size.nodes, size.features, std::move(values));
  Split& split = dataset.splits.emplace_back();
  for (std::int64_t node = 0; node < size.nodes; ++node) {
    dataset.labels.push_back(label_at(node));
    split.train.push_back(part_at(node) == 0);
    split.validation.push_back(part_at(node) == 1);
    split.test.push_back(part_at(node) == 2);
  }
  dataset.num_classes = kNumClasses;
  return dataset;
}

// As written by numpy.savez_compressed.
void deflate_members(const fs::path& path) {
  zip_t* const archive = ::zip_open(path.c_str(), 0, nullptr);
  if (archive == nullptr) throw Error(fmt::format("{}: cannot open again", path.string()));
  for (zip_int64_t i = 0; i < ::zip_get_num_entries(archive, 0); ++i) {
    ::zip_set_file_compression(archive, static_cast<zip_uint64_t>(i), ZIP_CM_DEFLATE, 6);
  }
  if (::zip_close(archive) != 0) throw Error(fmt::format("{}: cannot deflate", path.string()));
}

// nodes first .. of each part, one a line.
void write_part(const fs::path& path, const DataSize& size, std::int64_t part) {
  Writer file(path);
  for (std::int64_t node = 0; node < size.nodes; ++node) {
    if (part_at(node) == part) file.put("{}\n", node);
  }
  file.close();
}

}  // namespace

void make_npz(const fs::path& path, const DataSize& size, bool is_deflated) {
  write_dataset(path, make_in_memory(size));
  if (is_deflated) deflate_members(path);
}

void make_csv(const fs::path& folder, const DataSize& size, Ids ids) {
  const char* const prefix = ids == Ids::kWords ? "u" : "";
  constexpr const char* kParts[] = {"train", "val", "test"};
  Writer nodes(folder / "nodes.csv");
  nodes.put("id,label,split");
  for (std::int64_t j = 0; j < size.features; ++j) nodes.put(",f{}", j);
  nodes.put("\n");
  for (std::int64_t node = 0; node < size.nodes; ++node) {
    nodes.put("{}{},{},{}", prefix, node, label_at(node), kParts[part_at(node)]);
    for (std::int64_t j = 0; j < size.features; ++j) {
      nodes.put(",{}", value_at(node * size.features + j));
    }
    nodes.put("\n");
  }
  nodes.close();
  Writer edges(folder / "edges.csv");
  edges.put("source,target\n");
  for (std::int64_t i = 0; i < size.arcs; ++i) {
    const Arc arc = arc_at(size, i);
    edges.put("{}{},{}{}\n", prefix, arc.source, prefix, arc.target);
  }
  edges.close();
}

void make_edge_list(const fs::path& path, const DataSize& size) {
  Writer file(path);
  for (std::int64_t i = 0; i < size.arcs; ++i) {
    const Arc arc = arc_at(size, i);
    file.put("{} {}\n", arc.source, arc.target);
  }
  file.close();
}

void make_geom_gcn(const fs::path& folder, const DataSize& size) {
  Writer nodes(folder / "out1_node_feature_label.txt");
  nodes.put("node_id\tfeature\tlabel\n");
  for (std::int64_t node = 0; node < size.nodes; ++node) {
    nodes.put("{}\t", node);
    for (std::int64_t j = 0; j < size.features; ++j) {
      const std::int64_t column =
          random_below(kColumns, node * size.features + j, 100 * size.features);
      nodes.put("{}{}", j == 0 ? "" : ",", column);
    }
    nodes.put("\t{}\n", label_at(node));
  }
  nodes.close();
  Writer edges(folder / "out1_graph_edges.txt");
  edges.put("node_id\tnode_id\n");
  for (std::int64_t i = 0; i < size.arcs; ++i) {
    const Arc arc = arc_at(size, i);
    edges.put("{}\t{}\n", arc.source, arc.target);
  }
  edges.close();
}

void make_ogb(const fs::path& folder, const DataSize& size) {
  const fs::path raw = folder / "raw", split = folder / "split" / "random";
  fs::create_directories(raw);
  fs::create_directories(split);
  Writer count(raw / "num-node-list.csv.gz");
  count.put("{}\n", size.nodes);
  count.close();
  Writer edges(raw / "edge.csv.gz"), features(raw / "node-feat.csv.gz"),
      labels(raw / "node-label.csv.gz");
  for (std::int64_t i = 0; i < size.arcs; ++i) {
    const Arc arc = arc_at(size, i);
    edges.put("{},{}\n", arc.source, arc.target);
  }
  for (std::int64_t node = 0; node < size.nodes; ++node) {
    for (std::int64_t j = 0; j < size.features; ++j) {
      features.put("{}{}", j == 0 ? "" : ",", value_at(node * size.features + j));
    }
    features.put("\n");
    labels.put("{}\n", label_at(node));
  }
  edges.close();
  features.close();
  labels.close();
  write_part(split / "train.csv.gz", size, 0);
  write_part(split / "valid.csv.gz", size, 1);
  write_part(split / "test.csv.gz", size, 2);
}

}  // namespace dsnn::bench
