#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/operator.h"

#include "engine/operator_cases.h"
#include "engine/operator_runner.h"
#include "kernels/gpu.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dsnn::testing {

/// Skips a test where there is no GPU.
#define DSNN_NEED_GPU()                                                     \
  if (engine::Device::num_gpus() == 0) {                                    \
    GTEST_SKIP() << "no GPU can be used: " << engine::Device::why_no_gpu(); \
  }

/// One operator with its arrays on a GPU; like Runner.
template <class T>
class GpuRunner {
 public:
  GpuRunner(const OperatorCase& of, const engine::Device& device)
      : case_(of), results_(of.op->infer(of.shapes)), device_(device), gpu_(*device.gpu()) {
    for (const std::vector<double>& numbers : of.numbers) {
      inputs_.emplace_back(gpu_,
                           std::span<const T>(std::vector<T>(numbers.begin(), numbers.end())));
      input_grads_.emplace_back(guarded(numbers.size()));
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      outputs_.emplace_back(guarded(static_cast<std::size_t>(num_numbers(results_[i]))));
    }
  }
  ~GpuRunner() { gpu_.forget(this); }

  void forward() {
    std::vector<const T*> in;
    std::vector<T*> out;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      in.push_back(case_.shapes.has(i) ? inputs_[i].data() : nullptr);
    }
    for (const auto& output : outputs_) out.push_back(output.data());
    start();
    case_.op->forward(Call<T>{device_.executor(), 0, case_.shapes, results_, in, out});
  }

  void backward(const std::vector<std::vector<T>>& factors) {
    const engine::ArgumentSet all = engine::ArgumentSet::all();
    const engine::Operator::Needs needs = case_.op->backward_needs(all);
    std::vector<kernels::GpuArray<T>> factors_on_gpu;
    std::vector<const T*> in, grads;
    std::vector<T*> out, input_grads;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_there = case_.shapes.has(i);
      in.push_back(is_there && needs.inputs.has(static_cast<int>(i)) ? inputs_[i].data() : nullptr);
      input_grads.push_back(is_there ? input_grads_[i].data() : nullptr);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const int k = static_cast<int>(i);
      factors_on_gpu.emplace_back(gpu_, std::span<const T>(factors[i]));
      out.push_back(needs.outputs.has(k) ? outputs_[i].data() : nullptr);
      grads.push_back(case_.op->differentiable_results().has(k) ? factors_on_gpu.back().data()
                                                                : nullptr);
    }
    start();
    case_.op->backward(
        Call<T>{device_.executor(), 0, case_.shapes, results_, in, out, grads, input_grads});
    gpu_.wait();
  }

  std::vector<T> output(std::size_t i) const { return read(outputs_[i]); }
  std::vector<T> input_grad(std::size_t i) const { return read(input_grads_[i]); }
  const Shapes& results() const { return results_; }

 private:
  /// Poisoned, and followed by guard values.
  kernels::GpuArray<T> guarded(std::size_t size) const {
    std::vector<T> values(size + kGuards, T(kGuard));
    std::fill_n(values.begin(), size, std::numeric_limits<T>::quiet_NaN());
    return kernels::GpuArray<T>(gpu_, std::span<const T>(values));
  }
  std::vector<T> read(const kernels::GpuArray<T>& array) const {
    std::vector<T> values(array.size());
    array.download(values);
    for (std::size_t i = values.size() - kGuards; i < values.size(); ++i) {
      EXPECT_EQ(values[i], T(kGuard)) << case_.name << " wrote beyond its arrays";
    }
    values.resize(values.size() - kGuards);
    return values;
  }
  void start() const {
    gpu_.set_user(this);
    gpu_.start_step();
    gpu_.upload(gpu_.pass_seed(), &kSeed, sizeof(kSeed));
  }

  const OperatorCase& case_;
  Shapes results_;
  engine::Device device_;
  const kernels::Gpu& gpu_;
  std::vector<kernels::GpuArray<T>> inputs_, outputs_, input_grads_;
};

}  // namespace dsnn::testing
