#include "dsnn/data/folders.h"

#include "support.h"

// The nodes, a form feed, the edges, and perhaps another and a split.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsnn;
  const auto parts = fuzz::split_parts(fuzz::as_text(data, size), 3);
  const auto& scratch = fuzz::Scratch::instance();
  scratch.write("graph/out1_node_feature_label.txt", parts[0]);
  scratch.write("graph/out1_graph_edges.txt", parts[1]);
  scratch.write("graph/graph_split_0.6_0.2_0.npz", parts[2]);
  return fuzz::check_reading([&] { return read_geom_gcn(scratch.path() / "graph"); });
}
