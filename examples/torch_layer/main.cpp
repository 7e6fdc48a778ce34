// Operators of dsnn in a program that uses LibTorch for tensors and gradients. The first half wraps
// any operator, by pointers; the second learns a sheaf on a small ring.
#include <torch/torch.h>

#include <cstdio>
#include <dsnn/engine/device.h>
#include <dsnn/engine/operators/sheaf.h>
#include <vector>

namespace engine = dsnn::engine;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// One call of an operator, kept until its gradient is requested.
struct Use : torch::CustomClassHolder {
  engine::OperatorPtr op;
  engine::Shapes shapes, results;
  engine::ArgumentSet wanted;  ///< arguments that get a gradient
};

/// An undefined tensor becomes a null pointer: not needed, or not requested.
std::vector<float*> pointers(const variable_list& tensors) {
  std::vector<float*> result;
  for (const at::Tensor& t : tensors) result.push_back(t.defined() ? t.data_ptr<float>() : nullptr);
  return result;
}

/// The operator's results for float tensors; all arguments must be given.
class OperatorFunction : public torch::autograd::Function<OperatorFunction> {
 public:
  static variable_list forward(AutogradContext* context, const engine::OperatorPtr& op,
                               at::TensorList tensors) {
    const auto use = c10::make_intrusive<Use>();
    use->op = op;
    variable_list inputs, outputs;
    for (const at::Tensor& t : tensors) {
      const int i = static_cast<int>(inputs.size());
      if (t.requires_grad() && op->differentiable().has(i)) use->wanted.add(i);
      use->shapes.add(t.sizes().vec());
      inputs.push_back(t.contiguous());
    }
    use->results = op->infer(use->shapes);  // throws dsnn::Error if the shapes do not match
    for (std::size_t i = 0; i < use->results.size(); ++i) {
      outputs.push_back(at::empty(use->results[i]));
    }
    const auto in = pointers(inputs), out = pointers(outputs);
    op->forward(engine::Call<float>{
        device().executor(), /*seed=*/0, use->shapes, use->results, {in.data(), in.size()}, out});

    // Keeps only what the backward pass reads.
    const engine::Operator::Needs needs = op->backward_needs(use->wanted);
    variable_list saved, not_differentiable;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      saved.push_back(needs.inputs.has(static_cast<int>(i)) ? inputs[i] : at::Tensor());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int k = static_cast<int>(i);
      saved.push_back(needs.outputs.has(k) ? outputs[i] : at::Tensor());
      if (!op->differentiable_results().has(k)) not_differentiable.push_back(outputs[i]);
    }
    context->save_for_backward(saved);
    context->mark_non_differentiable(not_differentiable);
    context->saved_data["use"] = c10::IValue::make_capsule(use);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto use =
        c10::static_intrusive_pointer_cast<Use>(context->saved_data["use"].toCapsule());
    const std::size_t count = use->shapes.size();
    variable_list input_grads = {at::Tensor()};  // the operator itself has no gradient
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_wanted = use->wanted.has(static_cast<int>(i));
      input_grads.push_back(is_wanted ? at::empty(use->shapes[i]) : at::Tensor());
    }
    for (at::Tensor& grad : grads) grad = grad.contiguous();
    const auto saved = pointers(context->get_saved_variables());  // arguments, then results
    const auto from = pointers(grads), to = pointers(input_grads);
    use->op->backward(engine::Call<float>{device().executor(),
                                          /*seed=*/0,
                                          use->shapes,
                                          use->results,
                                          {saved.data(), count},
                                          {saved.data() + count, saved.size() - count},
                                          {from.data(), from.size()},
                                          {to.data() + 1, count}});
    return input_grads;
  }

 private:
  static const engine::Device& device() {
    static const engine::Device two_threads = engine::Device::cpu(2);
    return two_threads;
  }
};

variable_list apply(const engine::OperatorPtr& op, const variable_list& inputs) {
  return OperatorFunction::apply(op, at::TensorList(inputs));
}

int main() {
  torch::manual_seed(1);
  constexpr int kNodes = 12, kDim = 3, kChannels = 8;
  std::vector<dsnn::Arc> arcs;
  for (int u = 0; u < kNodes; ++u) arcs.push_back({u, (u + 1) % kNodes});
  const engine::Graph graph(dsnn::DirectedGraph::from_arcs(kNodes, arcs));
  const auto maps_op = engine::sheaf_maps_operator(graph, dsnn::MapActivation::kTanh);
  const auto weights_op = engine::edge_weights_operator(graph);
  const auto scale_op = engine::scaled_maps_operator(graph, {dsnn::MapFamily::kGeneral});
  const auto diffusion_op = engine::scaled_diffusion_operator(graph);

  const torch::Tensor x = torch::randn({2, kNodes, kDim, kChannels});
  const torch::Tensor left = torch::randn({kNodes, kDim * kDim}).requires_grad_();
  const torch::Tensor right = torch::randn({kNodes, kDim * kDim}).requires_grad_();
  const torch::Tensor weight = torch::zeros({kNodes}).requires_grad_();
  const torch::Tensor charge = torch::tensor(0.25f).requires_grad_();

  // The norm of a layer's output, which learning the sheaf can reduce.
  const auto energy = [&] {
    const torch::Tensor maps = apply(maps_op, {left, right})[0].view({-1, kDim, kDim});
    const torch::Tensor weights = apply(weights_op, {weight, weight})[0];
    const variable_list scaled = apply(scale_op, {maps, weights});
    const torch::Tensor y = apply(diffusion_op, {x, scaled[0], scaled[1], charge})[0];
    return (x - y).square().mean();
  };
  torch::optim::Adam adam(std::vector<torch::Tensor>{left, right, weight, charge}, 0.05);
  const float before = energy().item<float>();
  for (int step = 0; step < 50; ++step) {
    adam.zero_grad();
    energy().backward();
    adam.step();
  }
  const float after = energy().item<float>();
  std::printf("energy %.3f before, %.3f after 50 steps: %s\n", before, after,
              after < before ? "smaller" : "not smaller");
  return after < before ? 0 : 1;
}
