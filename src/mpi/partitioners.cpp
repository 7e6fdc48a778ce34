#include "dsnn/mpi/partitioners.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#if defined(DSNN_HAS_METIS)
#include <metis.h>
#endif
#if defined(DSNN_HAS_SCOTCH)
#include <scotch.h>
#if SCOTCH_VERSION < 7  // not the same each time
#undef DSNN_HAS_SCOTCH
#endif
#endif

namespace dsnn {
namespace {

/// A graph as both libraries take it: all half-edges, and as the weight of a node its work in
/// half-edges.
template <class Index>
struct PlainGraph {
  std::vector<Index> offsets, neighbours, work;

  explicit PlainGraph(const DirectedGraph& graph) {
    if (graph.num_half_edges() > std::numeric_limits<Index>::max()) {
      throw Error(
          fmt::format("partition: the graph has {} half-edges, more than this library of "
                      "partitions counts; use --method blocks",
                      graph.num_half_edges()));
    }
    const auto offset = graph.row_offsets();
    offsets.assign(offset.begin(), offset.end());
    const auto other = graph.neighbours();
    neighbours.assign(other.begin(), other.end());
    for (NodeId u = 0; u < graph.num_nodes(); ++u) {
      work.push_back(static_cast<Index>(graph.degree(u) + 1));
    }
  }
};

#if defined(DSNN_HAS_METIS)
Partition by_metis(const DirectedGraph& graph, int num_parts) {
  PlainGraph<idx_t> plain(graph);
  idx_t n = graph.num_nodes(), constraints = 1, parts = num_parts, cut = 0;
  std::vector<idx_t> part_of(plain.work.size());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;  // rows that are sent, not edges
  const int status = METIS_PartGraphKway(
      &n, &constraints, plain.offsets.data(), plain.neighbours.data(), plain.work.data(), nullptr,
      nullptr, &parts, nullptr, nullptr, options, &cut, part_of.data());
  if (status != METIS_OK) throw Error(fmt::format("partition: METIS fails (status {})", status));
  return {part_of.begin(), part_of.end()};
}
#endif

#if defined(DSNN_HAS_SCOTCH)
Partition by_scotch(const DirectedGraph& graph, int num_parts) {
  PlainGraph<SCOTCH_Num> plain(graph);
  std::vector<SCOTCH_Num> part_of(plain.work.size());
  SCOTCH_Context context;
  SCOTCH_Graph unbound, bound;
  SCOTCH_Strat strategy;
  SCOTCH_contextInit(&context);
  SCOTCH_graphInit(&unbound);
  SCOTCH_graphInit(&bound);
  SCOTCH_stratInit(&strategy);
  // By itself it uses all cores, in an order that differs from run to run, and random numbers of
  // the process.
  SCOTCH_randomReset();
  const bool fails =
      SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0 ||
      SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1) != 0 ||
      SCOTCH_contextThreadSpawn(&context, 1, nullptr) != 0 ||
      SCOTCH_contextRandomClone(&context) != 0 ||
      SCOTCH_graphBuild(&unbound, 0, graph.num_nodes(), plain.offsets.data(), nullptr,
                        plain.work.data(), nullptr,
                        static_cast<SCOTCH_Num>(plain.neighbours.size()), plain.neighbours.data(),
                        nullptr) != 0 ||
      SCOTCH_contextBindGraph(&context, &unbound, &bound) != 0 ||
      SCOTCH_graphPart(&bound, num_parts, &strategy, part_of.data()) != 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&unbound);
  SCOTCH_contextExit(&context);
  if (fails) throw Error("partition: Scotch fails");
  return {part_of.begin(), part_of.end()};
}
#endif

}  // namespace

std::vector<std::string> partition_methods() {
  std::vector<std::string> methods;
#if defined(DSNN_HAS_METIS)
  methods.emplace_back("metis");
#endif
#if defined(DSNN_HAS_SCOTCH)
  methods.emplace_back("scotch");
#endif
  methods.emplace_back("blocks");
  return methods;
}

Partition make_partition(const std::string& method, const DirectedGraph& graph,
                         const std::vector<NodeId>& order, int num_parts) {
  const std::vector<std::string> methods = partition_methods();
  if (std::ranges::find(methods, method) == methods.end()) {
    throw Error(fmt::format("partition: this dsnn has no method '{}', expected one of {}", method,
                            fmt::join(methods, ", ")));
  }
  // Both libraries refuse what needs no thought.
  const bool is_trivial = num_parts == 1 || graph.num_half_edges() == 0;
  if (method == "blocks" || is_trivial) return partition_blocks(graph, order, num_parts);
#if defined(DSNN_HAS_METIS)
  if (method == "metis") return by_metis(graph, num_parts);
#endif
#if defined(DSNN_HAS_SCOTCH)
  if (method == "scotch") return by_scotch(graph, num_parts);
#endif
  return {};  // not reached
}

}  // namespace dsnn
