#pragma once

#include "dsnn/engine/operator.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/parts/halo.h"

#include "kernels/dropout.h"

#include <memory>
#include <vector>

namespace dsnn {

/// x with the rows of ghosts replaced by those of their owners. x: any shape; `planes` is the
/// length of the axes before that of the rows.
class FetchRows final : public engine::OperatorOf<FetchRows> {
 public:
  FetchRows(std::shared_ptr<const Halo> halo, engine::RowKind kind, std::int64_t planes)
      : halo_(std::move(halo)), kind_(kind), planes_(planes) {}
  std::string name() const override { return "fetch_rows"; }
  std::string attributes() const override;
  engine::Shapes infer(const engine::Shapes& inputs) const override { return {inputs[0]}; }
  Needs backward_needs(engine::ArgumentSet /*wanted*/) const override { return {}; }
  engine::ArgumentSet overwritable() const override { return {0}; }
  engine::ArgumentSet overwritable_grad() const override { return {0}; }

  engine::RowKind kind() const { return kind_; }
  std::int64_t planes() const { return planes_; }
  /// Numbers of a row in each plane.
  std::int64_t width(const engine::Shape& x) const;

  template <class T>
  void forward_pass(const engine::Call<T>& call) const;
  template <class T>
  void backward_pass(const engine::Call<T>& call) const;

 private:
  std::shared_ptr<const Halo> halo_;
  engine::RowKind kind_;
  std::int64_t planes_;
};

/// Which hash decides what is dropped: that of tensors, or that of entries of sparse features.
enum class DropoutHash { kTensor, kFeatures };

/// Dropout with the positions of the whole graph.
class PlacedDropout final : public engine::OperatorOf<PlacedDropout> {
 public:
  using Pieces = std::vector<kernels::DropoutPiece>;
  PlacedDropout(const engine::Dropout& dropout, std::shared_ptr<const Pieces> pieces,
                DropoutHash hash = DropoutHash::kTensor)
      : dropout_(dropout), pieces_(std::move(pieces)), hash_(hash) {}
  std::string name() const override { return "placed_dropout"; }
  std::string attributes() const override;
  engine::Shapes infer(const engine::Shapes& inputs) const override { return {inputs[0]}; }
  Needs backward_needs(engine::ArgumentSet /*wanted*/) const override { return {}; }
  bool is_cheap() const override { return true; }
  engine::ArgumentSet overwritable() const override { return {0}; }
  engine::ArgumentSet overwritable_grad() const override { return {0}; }

  template <class T>
  void forward_pass(const engine::Call<T>& call) const;
  template <class T>
  void backward_pass(const engine::Call<T>& call) const;

 private:
  template <class T>
  void run(const engine::Call<T>& call, const T* from, T* to) const;

  engine::Dropout dropout_;
  std::shared_ptr<const Pieces> pieces_;
  DropoutHash hash_;
};

}  // namespace dsnn
