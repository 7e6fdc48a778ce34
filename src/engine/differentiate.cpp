// The gradient of a program: the chain rule over its steps, in reverse. Values are roots here:
// reshaped values share the gradient of their root.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/program.h"
#include "dsnn/util/error.h"

#include <map>
#include <vector>

namespace dsnn::engine {

class Program::Differentiation {
 public:
  Differentiation(Program& program, bool recomputes) : program_(program), recomputes_(recomputes) {
    find_makers();
    needs_grad_.resize(program.tensors_.size());
    for (std::size_t id = 0; id < needs_grad_.size(); ++id) {
      needs_grad_[id] = program.tensors_[id].kind == Kind::kParameter;
    }
    for (const Step& step : program.steps_) {
      bool any = false;
      for (std::size_t i = 0; i < step.inputs.size(); ++i) any = any || is_wanted(step, i);
      for (const int output : step.outputs) needs_grad_[at(output)] = any;
    }
  }

  void run(Value loss) {
    grads_[program_.root(loss.id())] = program_.constant(loss.shape(), std::vector<double>{1});
    for (std::size_t i = program_.num_forward_steps_; i-- > 0;) differentiate(i);
    for (const auto& [place, id] : program_.parameters_) place_gradient(place.first, id);
  }

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id); }

  bool is_wanted(const Step& step, std::size_t i) const {
    return step.inputs[i] >= 0 && step.op->differentiable().has(static_cast<int>(i)) &&
           needs_grad_[at(program_.root(step.inputs[i]))] &&
           !program_.tensor(step.inputs[i]).is_detached;
  }

  /// Appends the backward pass of one step.
  void differentiate(std::size_t number) {
    const Step forward = program_.steps_[number];  // a copy: the steps grow
    const Operator& op = *forward.op;
    bool has_grad = false;
    for (const int output : forward.outputs) has_grad = has_grad || grads_.contains(output);
    if (!has_grad) return;
    ArgumentSet wanted;
    for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
      if (!is_wanted(forward, i)) continue;
      const int argument = static_cast<int>(i);
      if (op.passes_grad(argument)) {
        add_to_grad(forward.inputs[i], grads_.at(forward.outputs[0]));
      } else {
        wanted.add(argument);
      }
    }
    if (wanted.empty()) return;
    const Operator::Needs needs = op.backward_needs(wanted);
    Step step{forward.op, true, forward.shapes, forward.result_shapes, {}, {}, {}, {}};
    const auto needed = [&](const std::vector<int>& ids, ArgumentSet set) {
      std::vector<int> result;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        result.push_back(set.has(static_cast<int>(i)) ? at_hand(ids[i]) : -1);
      }
      return result;
    };
    step.inputs = needed(forward.inputs, needs.inputs);
    step.outputs = needed(forward.outputs, needs.outputs);
    for (std::size_t i = 0; i < forward.outputs.size(); ++i) {
      step.grads.push_back(op.differentiable_results().has(static_cast<int>(i))
                               ? grad_or_zeros(forward.outputs[i])
                               : -1);
    }
    std::vector<Value> results(forward.inputs.size());
    for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
      if (wanted.has(static_cast<int>(i))) {
        results[i] = program_.add({.shape = program_.tensor(forward.inputs[i]).shape});
      }
      step.input_grads.push_back(results[i].id());
    }
    program_.steps_.push_back(std::move(step));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_there()) add_to_grad(forward.inputs[i], results[i]);
    }
  }

  void find_makers() {
    maker_.assign(program_.tensors_.size(), -1);
    for (std::size_t i = 0; i < program_.num_forward_steps_; ++i) {
      for (const int output : program_.steps_[i].outputs) maker_[at(output)] = static_cast<int>(i);
    }
  }

  /// A value of the forward pass for the backward pass: itself, or recomputed.
  int at_hand(int id) {
    if (id < 0 || !recomputes_) return id;
    const int root = program_.root(id);
    const int maker = maker_[at(root)];
    // Values computed shortly before the backward pass will be needed soon.
    constexpr int kNear = 8;
    const bool is_far = maker >= 0 && maker + kNear < static_cast<int>(program_.num_forward_steps_);
    if (!is_far || program_.tensor(root).is_kept || !program_.steps_[at(maker)].op->is_cheap()) {
      return id;
    }
    if (!remade_.contains(root)) make_again(at(maker));
    const Value value(&program_, remade_.at(root));
    return program_.reshape(value, program_.tensor(id).shape).id();
  }

  void make_again(std::size_t number) {
    Step step = program_.steps_[number];
    for (int& input : step.inputs) input = at_hand(input);
    for (int& output : step.outputs) {
      const int before = output;
      output = program_.add({.shape = program_.tensor(before).shape}).id();
      remade_[before] = output;
    }
    program_.steps_.push_back(std::move(step));
  }

  int grad_or_zeros(int output) {
    const auto found = grads_.find(output);
    return found != grads_.end() ? found->second.id()
                                 : program_.zeros(program_.tensor(output).shape).id();
  }

  /// In the order in which the steps run: later uses of a value come first.
  void add_to_grad(int input, Value grad) {
    const int root = program_.root(input);
    const Value part = program_.reshape(grad, program_.tensor(root).shape);
    const auto found = grads_.find(root);
    if (found == grads_.end()) {
      grads_[root] = part;
    } else {
      found->second = found->second + part;
    }
  }

  /// Places the gradient of a parameter in the array of the gradients of all weights.
  void place_gradient(std::int64_t offset, int parameter) {
    const auto found = grads_.find(parameter);
    if (found == grads_.end()) return;
    Value grad = found->second;
    const Tensor& tensor = program_.tensor(grad.id());
    if (tensor.kind != Kind::kResult || tensor.root != grad.id()) grad = 1.0 * grad;  // a copy
    Tensor& placed = program_.tensors_[at(grad.id())];
    placed.kind = Kind::kGradient;
    placed.offset = offset;
  }

  Program& program_;
  bool recomputes_;
  std::vector<int> maker_;        // the step that writes a root, or -1
  std::map<int, int> remade_;     // recomputed roots
  std::vector<bool> needs_grad_;  // of roots
  std::map<int, Value> grads_;    // of roots
};

void Program::differentiate(Value loss, bool recomputes) {
  if (is_differentiated_) {
    throw Error(
        "differentiate: the program has gradients already; there are no second "
        "derivatives");
  }
  if (num_numbers(loss.shape()) != 1) {
    throw Error("differentiate: the loss has shape " + shape_text(loss.shape()) +
                ", expected a single value");
  }
  num_forward_steps_ = steps_.size();
  is_differentiated_ = true;
  Differentiation(*this, recomputes).run(loss);
}

}  // namespace dsnn::engine
