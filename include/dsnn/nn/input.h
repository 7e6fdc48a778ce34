#pragma once

#include "dsnn/engine/graph.h"
#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

struct Features;
class Halo;

namespace nn {

/// A graph and its node features as input of models; sparse features stay sparse. Copies share them
/// and the cached values.
class DSNN_API Input {
 public:
  /// The graph, and features with one row per node. With a halo, those of a part: a collective
  /// call.
  Input(engine::Graph graph, const Features& features, std::shared_ptr<const Halo> halo = {});
  ~Input();
  Input(const Input&);
  Input& operator=(const Input&) = delete;

  const engine::Graph& graph() const { return graph_; }
  std::int64_t num_nodes() const { return graph_.directed().num_nodes(); }
  std::int64_t num_features() const { return num_features_; }
  /// The exchange with other parts; null for a whole graph.
  const std::shared_ptr<const Halo>& halo() const { return halo_; }
  /// Of numbers of all nodes, each known to the part that owns its node: those of other parts. For
  /// what a model derives from the graph, such as degrees. Does nothing for a whole graph.
  void complete(std::vector<double>& of_nodes) const;

  // Either sparse or dense features.
  const std::optional<engine::SparseMatrix>& sparse_features() const;
  const std::shared_ptr<const engine::Constant>& dense_features() const;

  /// A value that a model derives from the graph: computed once, under a name, and cached for all
  /// programs. Thread-safe.
  template <class T>
  const T& memo(const std::string& name, const std::function<T()>& make) const {
    return *static_cast<const T*>(kept(
                                      name, [&] { return std::make_shared<const T>(make()); }, true)
                                      .get());
  }

  /// The same, but cached only while someone holds it: for names that contain an arbitrary number,
  /// of which a search would accumulate many.
  template <class T>
  std::shared_ptr<const T> shared_memo(const std::string& name,
                                       const std::function<T()>& make) const {
    return std::static_pointer_cast<const T>(kept(
        name, [&] { return std::make_shared<const T>(make()); }, false));
  }

 private:
  struct Data;
  std::shared_ptr<const void> kept(const std::string& name,
                                   const std::function<std::shared_ptr<const void>()>& make,
                                   bool stays) const;

  engine::Graph graph_;
  std::int64_t num_features_ = 0;
  std::shared_ptr<const Halo> halo_;
  std::shared_ptr<Data> data_;
};

}  // namespace nn
}  // namespace dsnn
