#include "dsnn/engine/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::engine {
namespace {

/// "12.3 kB": three digits.
std::string amount(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}{}", value, kPrefixes[prefix], unit);
}

class Text {
 public:
  Text(const Program& program, const Plan& plan, std::int64_t bytes)
      : program_(program), plan_(plan), bytes_(bytes) {}

  std::string make() {
    std::string text = fmt::format("{:>4}  {:<36} {:<40} {:>9} {:>9}  {}\n", "step", "operator",
                                   "results and shapes", "moved", "flop", "from");
    Cost total;
    for (std::size_t i = 0; i < program_.steps().size(); ++i) {
      if (i == program_.num_forward_steps()) text += "-- gradients --\n";
      text += line(i, total);
    }
    text += fmt::format("{} steps: {} moved, {}; arena {}, scratch {}\n", program_.steps().size(),
                        amount(total.numbers * static_cast<double>(bytes_), "B"),
                        amount(total.operations, "flop"),
                        amount(static_cast<double>(plan_.size * bytes_), "B"),
                        amount(static_cast<double>(plan_.scratch * bytes_), "B"));
    return text;
  }

 private:
  /// "%12 [5, 4] @1024": the value, its shape, its offset in the arena in bytes.
  std::string result(int id) const {
    const Program::Tensor& tensor = program_.tensor(id);
    const std::int64_t place = plan_.offsets[static_cast<std::size_t>(id)];
    return fmt::format("%{} {}{}", id, shape_text(tensor.shape),
                       place >= 0 ? fmt::format(" @{}", place * bytes_) : " gradient");
  }
  std::string argument(int id) const {
    const int root = program_.root(id);
    const Program::Tensor& tensor = program_.tensor(root);
    if (tensor.kind == Program::Kind::kParameter) return tensor.name;
    if (tensor.kind == Program::Kind::kConstant) return "constant";
    return fmt::format("%{}", root);
  }

  std::string line(std::size_t number, Cost& total) const {
    const Step& step = program_.steps()[number];
    std::string name = step.op->name() + (step.is_backward ? "'" : "");
    if (const std::string attributes = step.op->attributes(); !attributes.empty()) {
      name += " (" + attributes + ")";
    }
    std::string results, arguments;
    const auto add = [](std::string& list, const std::string& text) {
      list += (list.empty() ? "" : ", ") + text;
    };
    for (const int id : step.is_backward ? step.input_grads : step.outputs) {
      if (id >= 0) add(results, result(id));
    }
    const auto add_all = [&](const std::vector<int>& ids) {
      for (const int id : ids) {
        if (id >= 0) add(arguments, argument(id));
      }
    };
    add_all(step.inputs);
    if (step.is_backward) {
      add_all(step.outputs);
      add_all(step.grads);
    }
    Cost cost = step.op->cost(step.shapes, step.result_shapes);
    if (step.is_backward) cost = {2 * cost.numbers, 2 * cost.operations};
    total.numbers += cost.numbers;
    total.operations += cost.operations;
    return fmt::format("{:>4}  {:<36} {:<40} {:>9} {:>9}  {}\n", number, name, results,
                       amount(cost.numbers * static_cast<double>(bytes_), "B"),
                       amount(cost.operations, ""), arguments);
  }

  const Program& program_;
  const Plan& plan_;
  std::int64_t bytes_;
};

}  // namespace

std::string program_text(const Program& program, const Plan& plan, std::int64_t bytes_per_number) {
  return Text(program, plan, bytes_per_number).make();
}

}  // namespace dsnn::engine
