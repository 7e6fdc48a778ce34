#include "torch/torch_operators.h"

#include "dsnn/engine/device.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace dsnn::testing {
namespace {

using engine::ArgumentSet;
using engine::Shape;
using engine::Shapes;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

engine::Device& device() {
  static engine::Device device = engine::Device::cpu(1);
  return device;
}

/// The given arguments for which test(i) is true; undefined tensors for the others.
template <class Test>
variable_list where(const variable_list& tensors, const Test& test) {
  variable_list result(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined() && test(static_cast<int>(i))) result[i] = tensors[i];
  }
  return result;
}

template <class T>
std::vector<T*> pointers(const variable_list& tensors) {
  static T nothing;  // an empty tensor is still a given argument
  std::vector<T*> result;
  for (const at::Tensor& tensor : tensors) {
    T* const data = !tensor.defined()     ? nullptr
                    : tensor.numel() == 0 ? &nothing
                                          : tensor.data_ptr<T>();
    result.push_back(data);
  }
  return result;
}

at::Tensor new_tensor(const Shape& shape, at::ScalarType dtype) {
  return at::full(shape, std::numeric_limits<double>::quiet_NaN(), dtype);
}

/// Bit by bit, so that NaNs are equal, too.
bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

/// One call of an operator.
struct Application : torch::CustomClassHolder {
  engine::OperatorPtr op;
  std::uint64_t seed = 0;
  Shapes shapes, result_shapes;
  std::vector<int> arguments;  // the given arguments
  ArgumentSet wanted;          // those with a gradient

  void forward(const variable_list& inputs, const variable_list& outputs) const {
    AT_DISPATCH_FLOATING_TYPES(outputs[0].scalar_type(), "forward", [&] {
      const auto in = pointers<scalar_t>(inputs), out = pointers<scalar_t>(outputs);
      op->forward(engine::Call<scalar_t>{
          device().executor(), seed, shapes, result_shapes, {in.data(), in.size()}, out});
    });
  }

  void backward(const variable_list& inputs, const variable_list& outputs,
                const variable_list& grads, const variable_list& input_grads) const {
    AT_DISPATCH_FLOATING_TYPES(grads[0].scalar_type(), "backward", [&] {
      const auto in = pointers<scalar_t>(inputs), out = pointers<scalar_t>(outputs);
      const auto grad = pointers<scalar_t>(grads), to = pointers<scalar_t>(input_grads);
      op->backward(engine::Call<scalar_t>{device().executor(),
                                          seed,
                                          shapes,
                                          result_shapes,
                                          {in.data(), in.size()},
                                          out,
                                          {grad.data(), grad.size()},
                                          to});
    });
  }

  void expect_overwrites(const variable_list& inputs, const variable_list& outputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!op->overwritable().has(static_cast<int>(i)) || !inputs[i].defined()) continue;
      if (inputs[i].numel() != outputs[0].numel()) continue;
      variable_list in = inputs, out = outputs;
      in[i] = out[0] = inputs[i].detach().clone();
      forward(in, out);
      EXPECT_TRUE(same_bits(out[0], outputs[0])) << op->name() << " in the place of argument " << i;
    }
  }

  void expect_grad_overwrites(const variable_list& inputs, const variable_list& outputs,
                              const variable_list& grads, const variable_list& input_grads) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!op->overwritable_grad().has(static_cast<int>(i)) || !input_grads[i].defined()) continue;
      variable_list from = grads, to;
      for (const at::Tensor& grad : input_grads) {
        to.push_back(grad.defined() ? at::full_like(grad, 7) : grad);
      }
      from[0] = to[i] = grads[0].clone();
      backward(inputs, outputs, from, to);
      for (std::size_t j = 0; j < to.size(); ++j) {
        if (!to[j].defined()) continue;
        EXPECT_TRUE(same_bits(to[j], input_grads[j]))
            << op->name() << ", gradient " << j << ", with gradient " << i
            << " in the place of the result's";
      }
    }
  }
};

/// The given arguments are its inputs: autograd does not accept undefined ones.
class OperatorFunction : public torch::autograd::Function<OperatorFunction> {
 public:
  static variable_list forward(AutogradContext* context,
                               const c10::intrusive_ptr<Application>& application,
                               at::TensorList present) {
    const engine::Operator& op = *application->op;
    variable_list inputs(application->shapes.size()), outputs, not_differentiable;
    for (std::size_t k = 0; k < present.size(); ++k) {
      inputs[static_cast<std::size_t>(application->arguments[k])] = present[k].contiguous();
    }
    const Shapes& shapes = application->result_shapes;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      outputs.push_back(new_tensor(shapes[i], present[0].scalar_type()));
      if (!op.differentiable_results().has(static_cast<int>(i))) {
        not_differentiable.push_back(outputs[i]);
      }
    }
    application->forward(inputs, outputs);
    application->expect_overwrites(inputs, outputs);
    const engine::Operator::Needs needs = op.backward_needs(application->wanted);
    variable_list saved = where(inputs, [&](int i) { return needs.inputs.has(i); });
    for (const at::Tensor& t : where(outputs, [&](int i) { return needs.outputs.has(i); })) {
      saved.push_back(t);
    }
    context->save_for_backward(saved);
    context->mark_non_differentiable(not_differentiable);
    context->saved_data["application"] = c10::IValue::make_capsule(application);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& result_grads) {
    const auto application = c10::static_intrusive_pointer_cast<Application>(
        context->saved_data["application"].toCapsule());
    const engine::Operator& op = *application->op;
    const variable_list saved = context->get_saved_variables();
    const auto middle = saved.begin() + static_cast<std::ptrdiff_t>(application->shapes.size());
    const variable_list inputs(saved.begin(), middle), outputs(middle, saved.end());
    variable_list grads =
        where(result_grads, [&](int i) { return op.differentiable_results().has(i); });
    for (at::Tensor& grad : grads) {
      if (grad.defined()) grad = grad.contiguous();
    }
    variable_list input_grads(inputs.size()), results = {at::Tensor()};
    for (const int argument : application->arguments) {
      const auto i = static_cast<std::size_t>(argument);
      if (application->wanted.has(argument)) {
        input_grads[i] = new_tensor(application->shapes[i], grads[0].scalar_type());
      }
      results.push_back(input_grads[i]);
    }
    application->backward(inputs, outputs, grads, input_grads);
    application->expect_grad_overwrites(inputs, outputs, grads, input_grads);
    return results;
  }
};

}  // namespace

void set_test_threads(int count) { device() = engine::Device::cpu(count); }
int test_threads() { return device().num_threads(); }

std::vector<at::Tensor> apply_operator(const engine::OperatorPtr& op,
                                       const std::vector<at::Tensor>& inputs, std::uint64_t seed) {
  const auto application = c10::make_intrusive<Application>();
  application->op = op;
  application->seed = seed;
  variable_list present;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) {
      application->shapes.add(std::nullopt);
      continue;
    }
    const int argument = static_cast<int>(i);
    application->shapes.add(inputs[i].sizes().vec());
    application->arguments.push_back(argument);
    if (inputs[i].requires_grad() && op->differentiable().has(argument)) {
      application->wanted.add(argument);
    }
    present.push_back(inputs[i]);
  }
  application->result_shapes = op->infer(application->shapes);
  return OperatorFunction::apply(application, at::TensorList(present));
}

}  // namespace dsnn::testing

namespace dsnn::ops {
namespace {

using testing::apply_operator;

engine::Dropout engine_dropout(const DropoutOptions& options) {
  return {options.probability, options.place, options.merged_planes};
}

std::uint64_t seed_of(const DropoutOptions& options) {
  return static_cast<std::uint64_t>(options.seed);
}

std::vector<std::int64_t> integers(const at::Tensor& tensor) {
  const at::Tensor t = tensor.contiguous();
  return {t.data_ptr<std::int64_t>(), t.data_ptr<std::int64_t>() + t.numel()};
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, const DropoutOptions& options) {
  return apply_operator(engine::dropout_operator(engine_dropout(options)), {x},
                        seed_of(options))[0];
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return apply_operator(engine::linear_operator(), {x, weight, bias})[0];
}

at::Tensor bias_activation(const at::Tensor& x, const at::Tensor& bias, StalkActivation activation,
                           const DropoutOptions& options) {
  return apply_operator(engine::bias_activation_operator(activation, engine_dropout(options)),
                        {x, bias}, seed_of(options))[0];
}

at::Tensor stalk_linear(const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                        const DropoutOptions& options) {
  return apply_operator(engine::stalk_linear_operator(engine_dropout(options)), {x, left, right},
                        seed_of(options))[0];
}

at::Tensor stalk_update(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                        StalkActivation activation) {
  return apply_operator(engine::stalk_update_operator(activation), {x, y, eps})[0];
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                         const at::Tensor& nodes) {
  return apply_operator(engine::cross_entropy_operator(integers(labels), integers(nodes)),
                        {logits})[0];
}

at::Tensor sheaf_maps(const at::Tensor& left, const at::Tensor& right, const Graph& graph,
                      MapActivation activation) {
  return apply_operator(engine::sheaf_maps_operator(graph, activation), {left, right})[0];
}

at::Tensor edge_weights(const at::Tensor& left, const at::Tensor& right, const Graph& graph) {
  return apply_operator(engine::edge_weights_operator(graph), {left, right})[0];
}

at::Tensor orthogonal(const at::Tensor& params, std::int64_t dim, OrthogonalMethod method) {
  return apply_operator(engine::orthogonal_operator(dim, method), {params})[0];
}

std::pair<at::Tensor, at::Tensor> scaled_maps(const at::Tensor& maps,
                                              const at::Tensor& edge_weights, const Graph& graph,
                                              const DiffusionOptions& options) {
  const auto results =
      apply_operator(engine::scaled_maps_operator(graph, options), {maps, edge_weights});
  return {results[0], results[1]};
}

at::Tensor scaled_diffusion(const at::Tensor& x, const at::Tensor& scaled,
                            const at::Tensor& diagonal, const at::Tensor& charge,
                            const Graph& graph) {
  return apply_operator(engine::scaled_diffusion_operator(graph), {x, scaled, diagonal, charge})[0];
}

at::Tensor sheaf_diffusion(const at::Tensor& x, const at::Tensor& maps,
                           const at::Tensor& edge_weights, const at::Tensor& charge,
                           const Graph& graph, const DiffusionOptions& options) {
  const auto [scaled, diagonal] = scaled_maps(maps, edge_weights, graph, options);
  return scaled_diffusion(x, scaled, diagonal, charge, graph);
}

SparseMatrix sparse_from_dense(const at::Tensor& dense) {
  const at::Tensor places = dense.nonzero();  // by rows
  const at::Tensor values = dense.index({places.select(1, 0), places.select(1, 1)});
  std::vector<std::int64_t> row_offsets(static_cast<std::size_t>(dense.size(0)) + 1);
  for (const std::int64_t row : integers(places.select(1, 0))) {
    ++row_offsets[static_cast<std::size_t>(row) + 1];
  }
  for (std::size_t r = 1; r < row_offsets.size(); ++r) row_offsets[r] += row_offsets[r - 1];
  const std::vector<std::int64_t> cols = integers(places.select(1, 1));
  const at::Tensor exact = values.to(at::kDouble).contiguous();
  return {std::move(row_offsets),
          std::vector<std::int32_t>(cols.begin(), cols.end()),
          {exact.data_ptr<double>(), exact.data_ptr<double>() + exact.numel()},
          dense.size(1)};
}

at::Tensor spmm(const at::Tensor& x, const SparseMatrix& matrix) {
  return spmm(at::Tensor(), x, matrix);
}
at::Tensor spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  return apply_operator(engine::spmm_operator(matrix), {values, x})[0];
}

at::Tensor sparse_linear(const at::Tensor& weight, const SparseMatrix& matrix,
                         const DropoutOptions& options) {
  return apply_operator(engine::sparse_linear_operator(matrix, engine_dropout(options)), {weight},
                        seed_of(options))[0];
}

at::Tensor edge_sum(const at::Tensor& left, const at::Tensor& right, const SparseMatrix& matrix) {
  return apply_operator(engine::edge_sum_operator(matrix), {left, right})[0];
}

at::Tensor edge_dot(const at::Tensor& x, const at::Tensor& y, const SparseMatrix& matrix,
                    std::int64_t heads) {
  return apply_operator(engine::edge_dot_operator(matrix, heads), {x, y})[0];
}

at::Tensor edge_attention(const at::Tensor& left, const at::Tensor& right, const at::Tensor& weight,
                          const SparseMatrix& matrix, double slope) {
  return apply_operator(engine::edge_attention_operator(matrix, slope), {left, right, weight})[0];
}

at::Tensor edge_softmax(const at::Tensor& scores, const SparseMatrix& matrix) {
  return apply_operator(engine::edge_softmax_operator(matrix), {scores})[0];
}

at::Tensor edge_spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  return apply_operator(engine::edge_spmm_operator(matrix), {values, x})[0];
}

at::Tensor neighbour_max(const at::Tensor& x, const SparseMatrix& matrix) {
  return apply_operator(engine::neighbour_max_operator(matrix), {x})[0];
}

}  // namespace dsnn::ops
