#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"
#include "kernels/executor.h"

#include <algorithm>
#include <cmath>

namespace dsnn::engine {
namespace {

/// work(begin, end) for pieces of [0, size), on all threads.
template <class Work>
void for_pieces(const kernels::Executor& executor, std::int64_t size, const Work& work) {
  constexpr std::int64_t kPiece = 4096;
  kernels::run_blocks(executor, (size + kPiece - 1) / kPiece, [&](kernels::BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      work(block * kPiece, std::min(size, (block + 1) * kPiece));
    }
  });
}

/// Whether the largest so far remains so. What is not a number wins: who trains shall see it.
template <class T>
bool stays(T largest, T other) {
  return other <= largest || std::isnan(largest);
}

class Maximum final : public OperatorOf<Maximum> {
 public:
  std::string name() const override { return "maximum"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("maximum", inputs);
    const Shape& first = checks.there(0, "value 0");
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      checks.shape(i, fmt::format("value {}", i), first);
    }
    return {first};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    for_pieces(call.executor, num_numbers(call.result_shapes[0]),
               [&](std::int64_t begin, std::int64_t end) {
                 T* to = call.outputs[0];
                 std::copy(call.inputs[0] + begin, call.inputs[0] + end, to + begin);
                 for (std::size_t k = 1; k < call.inputs.size(); ++k) {
                   const T* x = call.inputs[k];
                   for (std::int64_t i = begin; i < end; ++i)
                     to[i] = stays(to[i], x[i]) ? to[i] : x[i];
                 }
               });
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    for_pieces(call.executor, num_numbers(call.result_shapes[0]),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   std::size_t best = 0;
                   for (std::size_t k = 1; k < call.inputs.size(); ++k) {
                     if (!stays(call.inputs[best][i], call.inputs[k][i])) best = k;
                   }
                   for (std::size_t k = 0; k < call.inputs.size(); ++k) {
                     if (call.input_grads[k] == nullptr) continue;
                     call.input_grads[k][i] = k == best ? call.grads[0][i] : T{0};
                   }
                 }
               });
  }
};

}  // namespace

OperatorPtr maximum_operator() { return std::make_shared<Maximum>(); }
Value maximum(const std::vector<Value>& values) {
  return values.front().program().apply_one(maximum_operator(), {values.begin(), values.end()});
}

}  // namespace dsnn::engine
