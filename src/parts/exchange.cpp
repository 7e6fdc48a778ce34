#include "parts/exchange.h"

#include "dsnn/util/random.h"

#include "kernels/executor.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn {

using engine::Call;
using engine::num_numbers;

std::string FetchRows::attributes() const {
  return fmt::format("{} {}", halo_->num_ghost_rows(kind_),
                     kind_ == engine::RowKind::kNodes ? "nodes" : "half-edges");
}

std::int64_t FetchRows::width(const engine::Shape& x) const {
  const std::int64_t rows = halo_->num_rows(kind_);
  return rows == 0 ? 0 : num_numbers(x) / (planes_ * rows);
}

template <class T>
void FetchRows::forward_pass(const Call<T>& call) const {
  const engine::Shape& shape = call.shapes[0];
  if (call.outputs[0] != call.inputs[0]) {
    std::copy_n(call.inputs[0], num_numbers(shape), call.outputs[0]);
  }
  halo_->fetch(kind_, planes_, width(shape), call.outputs[0]);
}

template <class T>
void FetchRows::backward_pass(const Call<T>& call) const {
  const engine::Shape& shape = call.shapes[0];
  if (call.input_grads[0] != call.grads[0]) {
    std::copy_n(call.grads[0], num_numbers(shape), call.input_grads[0]);
  }
  halo_->give_back(kind_, planes_, width(shape), call.input_grads[0]);
}

std::string PlacedDropout::attributes() const { return fmt::format("{:g}", dropout_.probability); }

template <class T>
void PlacedDropout::run(const Call<T>& call, const T* from, T* to) const {
  const double probability = dropout_.probability;
  const std::uint64_t seed = engine::dropout_seed(call.seed, dropout_.place);
  if (hash_ == DropoutHash::kTensor) {
    return kernels::dropout_pieces<T>(call.executor, *pieces_, {probability, seed}, from, to);
  }
  const double scale = 1 / (1 - probability);
  const auto count = static_cast<std::int64_t>(pieces_->size());
  kernels::run_blocks(call.executor, count, [&](kernels::BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      const auto [begin, length, position] = (*pieces_)[at(block)];
      for (std::int64_t i = 0; i < length; ++i) {
        const bool is_dropped =
            uniform_at(seed, static_cast<std::uint64_t>(position + i)) < probability;
        to[begin + i] = is_dropped ? T{0} : static_cast<T>(scale * from[begin + i]);
      }
    }
  });
}

template <class T>
void PlacedDropout::forward_pass(const Call<T>& call) const {
  run(call, call.inputs[0], call.outputs[0]);
}

template <class T>
void PlacedDropout::backward_pass(const Call<T>& call) const {
  run(call, call.grads[0], call.input_grads[0]);
}

#define DSNN_INSTANTIATE(T)                                        \
  template void FetchRows::forward_pass(const Call<T>&) const;     \
  template void FetchRows::backward_pass(const Call<T>&) const;    \
  template void PlacedDropout::forward_pass(const Call<T>&) const; \
  template void PlacedDropout::backward_pass(const Call<T>&) const;
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn
