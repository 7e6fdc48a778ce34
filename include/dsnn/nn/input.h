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

namespace dsnn {

struct Features;

namespace nn {

/// A graph and its nodes' features as models take them: sparse ones stay sparse. Copies share them,
/// and what models made of the graph.
class DSNN_API Input {
 public:
  /// The graph, and features with a row for each of its nodes.
  Input(engine::Graph graph, const Features& features);
  ~Input();
  Input(const Input&);
  Input& operator=(const Input&) = delete;

  const engine::Graph& graph() const { return graph_; }
  std::int64_t num_nodes() const { return graph_.directed().num_nodes(); }
  std::int64_t num_features() const { return num_features_; }

  // The features are one of the two.
  const std::optional<engine::SparseMatrix>& sparse_features() const;
  const std::shared_ptr<const engine::Constant>& dense_features() const;

  /// Something that a model makes of the graph: made once, under a name, and kept for all programs.
  /// Several threads may ask at the same time.
  template <class T>
  const T& memo(const std::string& name, const std::function<T()>& make) const {
    return *static_cast<const T*>(kept(
                                      name, [&] { return std::make_shared<const T>(make()); }, true)
                                      .get());
  }

  /// The same, but kept only as long as someone holds it: for names with a number that may be any,
  /// of which a search would make more and more.
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
  std::shared_ptr<Data> data_;
};

}  // namespace nn
}  // namespace dsnn
