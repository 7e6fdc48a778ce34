#include "dsnn/engine/operator.h"

namespace dsnn::engine {

Operator::~Operator() = default;

std::string Operator::attributes() const { return {}; }
ArgumentSet Operator::differentiable() const { return ArgumentSet::all(); }
ArgumentSet Operator::differentiable_results() const { return ArgumentSet::all(); }
Operator::Needs Operator::backward_needs(ArgumentSet /*wanted*/) const {
  return {ArgumentSet::all(), {}};
}
ArgumentSet Operator::overwritable() const { return {}; }
ArgumentSet Operator::overwritable_grad() const { return {}; }
bool Operator::is_cheap() const { return false; }
bool Operator::passes_grad(int /*input*/) const { return false; }

Cost Operator::cost(const Shapes& inputs, const Shapes& results) const {
  Cost cost;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs.has(i)) cost.numbers += static_cast<double>(num_numbers(inputs[i]));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    cost.numbers += static_cast<double>(num_numbers(results[i]));
    cost.operations += static_cast<double>(num_numbers(results[i]));
  }
  return cost;
}

std::int64_t Operator::scratch(const Shapes& /*inputs*/, const Shapes& /*results*/,
                               bool /*backward*/) const {
  return 0;
}

PartRule Operator::part_rule(const Shapes& /*inputs*/) const { return {}; }

}  // namespace dsnn::engine
