#include "dsnn/engine/operators/linear.h"

#include "engine/operators/checks.h"
#include "kernels/softmax.h"

#include <utility>

namespace dsnn::engine {
namespace {

class CrossEntropy final : public OperatorOf<CrossEntropy> {
 public:
  CrossEntropy(std::vector<std::int64_t> labels, std::vector<std::int64_t> nodes,
               std::int64_t total)
      : labels_(std::move(labels)),
        nodes_(std::move(nodes)),
        occurrences_(labels_.size()),
        total_(total > 0 ? total : std::ssize(nodes_)) {
    for (const std::int64_t u : nodes_) {
      const auto i = static_cast<std::size_t>(u);
      if (i < occurrences_.size()) ++occurrences_[i];  // infer() reports other nodes
    }
  }
  std::string name() const override { return "cross_entropy"; }
  std::string attributes() const override { return fmt::format("{} nodes", nodes_.size()); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("cross_entropy", inputs);
    const auto n = static_cast<std::int64_t>(labels_.size());
    const std::int64_t classes = checks.shape(0, "logits", {n, -1})[1];
    if (total_ == 0) checks.fail("nodes must not be empty");
    for (const std::int64_t u : nodes_) {
      if (u < 0 || u >= n) checks.fail(fmt::format("nodes has {}, expected 0 to {}", u, n - 1));
      if (label(u) < 0 || label(u) >= classes) {
        checks.fail(
            fmt::format("node {} has label {}, expected 0 to {}", u, label(u), classes - 1));
      }
    }
    return {Shape{}};
  }
  /// The nodes of a part are its own: a share of the loss.
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::cross_entropy(call.executor, labelled(call.shapes[0]), call.inputs[0],
                           call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::cross_entropy_backward(call.executor, labelled(call.shapes[0]), call.inputs[0],
                                    call.grads[0], call.input_grads[0]);
  }

 private:
  kernels::LabelledNodes labelled(const Shape& logits) const {
    return {logits[0],     logits[1],           labels_.data(), std::ssize(nodes_),
            nodes_.data(), occurrences_.data(), total_};
  }
  std::int64_t label(std::int64_t u) const { return labels_[static_cast<std::size_t>(u)]; }

  std::vector<std::int64_t> labels_, nodes_, occurrences_;
  std::int64_t total_;
};

}  // namespace

OperatorPtr cross_entropy_operator(std::vector<std::int64_t> labels,
                                   std::vector<std::int64_t> nodes, std::int64_t total) {
  return std::make_shared<CrossEntropy>(std::move(labels), std::move(nodes), total);
}
Value cross_entropy(Value logits, std::vector<std::int64_t> labels, std::vector<std::int64_t> nodes,
                    std::int64_t total) {
  return logits.program().apply_one(
      cross_entropy_operator(std::move(labels), std::move(nodes), total), {logits});
}

}  // namespace dsnn::engine
