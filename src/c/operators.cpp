#include "dsnn/engine/operator.h"
#include "dsnn/engine/operators/linear.h"

#include "c/arrays.h"
#include "c/devices.h"
#include "c/graphs.h"
#include "c/handles.h"
#include "c/operator_table.h"
#include "kernels/executor.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace dsnn::c {
namespace {

using engine::ArgumentSet;
using engine::Shape;
using engine::Shapes;

/// An operator and its number of arguments.
struct NamedOperator {
  engine::OperatorPtr op;
  int num_arguments = -1;  ///< negative: any number
};

Handles<dsnn_operator, const NamedOperator>& operators() {
  static auto* const instance = new Handles<dsnn_operator, const NamedOperator>("operator");
  return *instance;
}

constexpr int kMostTensors = 64;

/// Throws Error if a tensor would have more values than fit into memory.
void check_size(const Shape& shape, const char* what) {
  constexpr std::int64_t kMost = std::int64_t{1} << 58;
  std::int64_t least_product = 1;  // sizes of 0 count as 1, so that the others are checked
  for (const std::int64_t size : shape) {
    if (size < 0) throw Error(fmt::format("{} has shape {}", what, engine::shape_text(shape)));
    if (__builtin_mul_overflow(least_product, std::max<std::int64_t>(size, 1), &least_product) ||
        least_product > kMost) {
      throw Error(
          fmt::format("{} has shape {}, which is too large", what, engine::shape_text(shape)));
    }
  }
}

/// The shapes of all arguments of the operator; those that the caller does not give are omitted.
Shapes read_shapes(const NamedOperator& op, int count, const std::int64_t* numbers,
                   std::int64_t length) {
  const int most = op.num_arguments < 0 ? kMostTensors : op.num_arguments;
  if (count < 0 || count > most) {
    throw Error(
        fmt::format("{}: there are {} arguments, expected at most {}", op.op->name(), count, most));
  }
  if (length > 0) require(numbers, "shapes");
  const std::int64_t* const end = numbers + std::max<std::int64_t>(length, 0);
  const auto fail = [&](int i) {
    throw Error(
        fmt::format("{}: the shapes end within argument {}, or its number of axes is not "
                    "-1 to 8",
                    op.op->name(), i));
  };
  Shapes shapes;
  for (int i = 0; i < count; ++i) {
    if (numbers == end) fail(i);
    const std::int64_t num_axes = *numbers++;
    constexpr std::int64_t kMostAxes = 8;
    if (num_axes < -1 || num_axes > std::min<std::int64_t>(kMostAxes, end - numbers)) fail(i);
    if (num_axes < 0) {
      shapes.add(std::nullopt);
      continue;
    }
    Shape shape(numbers, numbers + num_axes);
    numbers += num_axes;
    check_size(shape, op.op->name().c_str());
    shapes.add(std::move(shape));
  }
  if (numbers != end) {
    throw Error(
        fmt::format("{}: the shapes have {} values too many", op.op->name(), end - numbers));
  }
  for (int i = count; i < op.num_arguments; ++i) shapes.add(std::nullopt);
  return shapes;
}

Shapes infer(const NamedOperator& op, const Shapes& shapes) {
  if (shapes.size() == 0) throw Error(op.op->name() + ": there is no argument");
  Shapes results = op.op->infer(shapes);
  for (std::size_t i = 0; i < results.size(); ++i) check_size(results[i], op.op->name().c_str());
  return results;
}

ArgumentSet set_of(std::uint64_t bits) {
  ArgumentSet set;
  for (int i = 0; i < kMostTensors; ++i) {
    if ((bits >> i & 1) != 0) set.add(i);
  }
  return set;
}

std::uint64_t bits_of(ArgumentSet set) {
  std::uint64_t bits = 0;
  for (int i = 0; i < kMostTensors; ++i) bits |= std::uint64_t{set.has(i)} << i;
  return bits;
}

/// The arguments of one call, apart from the operator.
struct Tensors {
  std::int32_t num_threads;
  std::uint64_t seed;
  Shapes shapes, results;
  const void* const* arguments;
  std::int32_t num_arguments;
  const void* const* outputs;
  std::int32_t num_results;
  const void* const* result_grads = nullptr;
  void* const* argument_grads = nullptr;
};

/// A caller's pointers in the form that the operator takes: one for each shape.
template <class T>
class Pointers {
 public:
  Pointers(const char* what, const Shapes& shapes, const void* const* given, int count)
      : what_(what), shapes_(shapes), pointers_(shapes.size(), nullptr) {
    if (given == nullptr) return;
    for (std::size_t i = 0; i < pointers_.size() && i < static_cast<std::size_t>(count); ++i) {
      if (!shapes.has(i)) continue;
      pointers_[i] = const_cast<T*>(static_cast<const T*>(given[i]));
      if (reinterpret_cast<std::uintptr_t>(given[i]) % sizeof(T) != 0) {
        throw Misuse(fmt::format("{} {} is not aligned to its {} bytes", what, i, sizeof(T)));
      }
    }
  }

  /// Throws Misuse if a tensor of the set has no pointer and is not empty.
  void require(ArgumentSet set) const {
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      if (!set.has(static_cast<int>(i)) || !shapes_.has(i) || pointers_[i] != nullptr) continue;
      if (engine::num_numbers(shapes_[i]) > 0) {
        throw Misuse(fmt::format("the pointer to {} {} is NULL", what_, i));
      }
    }
  }

  std::span<T* const> get() const { return pointers_; }
  std::span<const T* const> get_const() const {
    return {const_cast<const T* const*>(pointers_.data()), pointers_.size()};
  }

 private:
  const char* what_;
  const Shapes& shapes_;
  std::vector<T*> pointers_;
};

/// Whether a pass takes long enough to be worth waking other threads.
bool is_worth_sharing(const engine::Operator& op, const Tensors& tensors, bool is_backward) {
  constexpr double kNumbers = 4e4, kOperations = 2e5;  // about 20 microseconds
  const engine::Cost cost = op.cost(tensors.shapes, tensors.results);
  return (is_backward ? 2 : 1) * (cost.numbers / kNumbers + cost.operations / kOperations) > 1;
}

bool has_numbers(const Shapes& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes.has(i) && engine::num_numbers(shapes[i]) > 0) return true;
  }
  return false;
}

template <class T>
void run_forward(const engine::Operator& op, const Tensors& tensors) {
  const Pointers<T> inputs("argument", tensors.shapes, tensors.arguments, tensors.num_arguments);
  const Pointers<T> outputs("result", tensors.results, tensors.outputs, tensors.num_results);
  inputs.require(ArgumentSet::all());
  outputs.require(ArgumentSet::all());
  if (!has_numbers(tensors.results)) return;
  const Threads threads(is_worth_sharing(op, tensors, false) ? tensors.num_threads : 1);
  const auto to = outputs.get();
  std::vector<T*> writable(to.begin(), to.end());
  op.forward(engine::Call<T>{threads.executor(), tensors.seed, tensors.shapes, tensors.results,
                             inputs.get_const(), writable});
}

template <class T>
void run_backward(const engine::Operator& op, const Tensors& tensors) {
  const Pointers<T> inputs("argument", tensors.shapes, tensors.arguments, tensors.num_arguments);
  const Pointers<T> outputs("result", tensors.results, tensors.outputs, tensors.num_results);
  const Pointers<T> grads("gradient of result", tensors.results, tensors.result_grads,
                          tensors.num_results);
  const Pointers<T> input_grads("gradient of argument", tensors.shapes,
                                const_cast<const void* const*>(tensors.argument_grads),
                                tensors.num_arguments);
  const auto to = input_grads.get();
  ArgumentSet wanted;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == nullptr) continue;
    if (!op.differentiable().has(static_cast<int>(i))) {
      throw Error(fmt::format("{}: argument {} has no gradient", op.name(), i));
    }
    wanted.add(static_cast<int>(i));
  }
  if (wanted.empty()) return;
  const engine::Operator::Needs needs = op.backward_needs(wanted);
  inputs.require(needs.inputs);
  outputs.require(needs.outputs);
  grads.require(op.differentiable_results());
  std::vector<T*> writable(to.begin(), to.end());
  const auto results = outputs.get();
  std::vector<T*> read(results.begin(), results.end());
  if (!has_numbers(tensors.results)) {  // without results, all gradients are 0
    for (std::size_t i = 0; i < writable.size(); ++i) {
      if (writable[i] == nullptr) continue;
      std::fill_n(writable[i], engine::num_numbers(tensors.shapes[i]), T{0});
    }
    return;
  }
  const Threads threads(is_worth_sharing(op, tensors, true) ? tensors.num_threads : 1);
  op.backward(engine::Call<T>{threads.executor(), tensors.seed, tensors.shapes, tensors.results,
                              inputs.get_const(), read, grads.get_const(), writable});
}

dsnn_operator* new_operator(engine::OperatorPtr op, int num_arguments) {
  return operators().add(
      std::make_shared<const NamedOperator>(NamedOperator{std::move(op), num_arguments}));
}

template <class Given>
void check_given(const OperatorEntry& entry, bool takes, const Given* given, const char* what) {
  if (takes && given == nullptr) throw Error(fmt::format("{} needs a {}", entry.name, what));
  if (!takes && given != nullptr) throw Error(fmt::format("{} takes no {}", entry.name, what));
}

void check_type(std::int32_t type) {
  if (type == DSNN_FLOAT32 || type == DSNN_FLOAT64) return;
  throw Error(fmt::format("type is {}, expected DSNN_FLOAT32 or DSNN_FLOAT64", type));
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_operator_list(char** json) {
  return guarded([&] {
    require(json, "json");
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OperatorEntry& entry : operator_table()) {
      list.push_back({{"name", entry.name},
                      {"arguments", entry.arguments},
                      {"takes_graph", entry.takes_graph},
                      {"takes_matrix", entry.takes_matrix}});
    }
    list.push_back({{"name", "cross_entropy"},
                    {"arguments", {"logits"}},
                    {"takes_graph", false},
                    {"takes_matrix", false}});
    *json = new_text(dsnn::json_text(list));
  });
}

dsnn_status dsnn_operator_create(const char* name, const char* attributes, dsnn_graph* graph,
                                 dsnn_matrix* matrix, dsnn_operator** op) {
  return guarded([&] {
    require(name, "name");
    require(op, "op");
    const OperatorEntry& entry = find_operator(name);
    check_given(entry, entry.takes_graph, graph, "graph");
    check_given(entry, entry.takes_matrix, matrix, "matrix");
    Options options(attributes, name);
    OperatorSetup setup{options};
    std::shared_ptr<const dsnn::engine::Graph> graph_data;
    std::shared_ptr<const dsnn::engine::SparseMatrix> matrix_data;
    if (entry.takes_graph) graph_data = graphs().get(graph);
    if (entry.takes_matrix) matrix_data = matrices().get(matrix);
    setup.graph = graph_data.get();
    setup.matrix = matrix_data.get();
    dsnn::engine::OperatorPtr made = entry.make(setup);
    options.done();
    const auto count = static_cast<int>(entry.arguments.size());
    *op = new_operator(std::move(made), count == 0 ? -1 : count);
  });
}

dsnn_status dsnn_operator_create_cross_entropy(const dsnn_array* labels, const dsnn_array* nodes,
                                               dsnn_operator** op) {
  return guarded([&] {
    require(op, "op");
    *op = new_operator(dsnn::engine::cross_entropy_operator(whole_numbers(labels, "labels"),
                                                            whole_numbers(nodes, "nodes")),
                       1);
  });
}

dsnn_status dsnn_operator_close(dsnn_operator* op) {
  return guarded([&] { operators().close(op); });
}

dsnn_status dsnn_operator_differentiable(dsnn_operator* op, uint64_t* arguments,
                                         uint64_t* results) {
  return guarded([&] {
    require(arguments, "arguments");
    require(results, "results");
    const auto data = operators().get(op);
    *arguments = bits_of(data->op->differentiable());
    *results = bits_of(data->op->differentiable_results());
  });
}

dsnn_status dsnn_operator_backward_needs(dsnn_operator* op, uint64_t wanted, uint64_t* arguments,
                                         uint64_t* results) {
  return guarded([&] {
    require(arguments, "arguments");
    require(results, "results");
    const auto needs = operators().get(op)->op->backward_needs(set_of(wanted));
    *arguments = bits_of(needs.inputs);
    *results = bits_of(needs.outputs);
  });
}

dsnn_status dsnn_operator_infer(dsnn_operator* op, int32_t num_arguments, const int64_t* shapes,
                                int64_t shapes_length, int64_t capacity, int64_t* result_shapes,
                                int64_t* length, int32_t* num_results) {
  return guarded([&] {
    require(length, "length");
    require(num_results, "num_results");
    if (capacity > 0) require(result_shapes, "result_shapes");
    const auto data = operators().get(op);
    const Shapes results = infer(*data, read_shapes(*data, num_arguments, shapes, shapes_length));
    std::vector<int64_t> numbers;
    for (std::size_t i = 0; i < results.size(); ++i) {
      numbers.push_back(std::ssize(results[i]));
      numbers.insert(numbers.end(), results[i].begin(), results[i].end());
    }
    *length = std::ssize(numbers);
    *num_results = static_cast<int32_t>(results.size());
    if (capacity < *length) {
      throw Misuse(fmt::format("result_shapes has room for {}, expected {}", capacity, *length));
    }
    std::copy(numbers.begin(), numbers.end(), result_shapes);
  });
}

dsnn_status dsnn_operator_forward(dsnn_operator* op, int32_t type, int32_t num_threads,
                                  uint64_t seed, int32_t num_arguments, const int64_t* shapes,
                                  int64_t shapes_length, const void* const* arguments,
                                  int32_t num_results, void* const* results) {
  return guarded([&] {
    check_type(type);
    const auto data = operators().get(op);
    Tensors tensors{num_threads,
                    seed,
                    read_shapes(*data, num_arguments, shapes, shapes_length),
                    {},
                    arguments,
                    num_arguments,
                    const_cast<const void* const*>(results),
                    num_results};
    tensors.results = infer(*data, tensors.shapes);
    check_room(num_results, static_cast<std::int64_t>(tensors.results.size()), "results");
    require(arguments, "arguments");
    require(results, "results");
    if (type == DSNN_FLOAT32) {
      run_forward<float>(*data->op, tensors);
    } else {
      run_forward<double>(*data->op, tensors);
    }
  });
}

dsnn_status dsnn_operator_backward(dsnn_operator* op, int32_t type, int32_t num_threads,
                                   uint64_t seed, int32_t num_arguments, const int64_t* shapes,
                                   int64_t shapes_length, const void* const* arguments,
                                   int32_t num_results, const void* const* results,
                                   const void* const* result_grads, void* const* argument_grads) {
  return guarded([&] {
    check_type(type);
    const auto data = operators().get(op);
    Tensors tensors{num_threads,
                    seed,
                    read_shapes(*data, num_arguments, shapes, shapes_length),
                    {},
                    arguments,
                    num_arguments,
                    results,
                    num_results,
                    result_grads,
                    argument_grads};
    tensors.results = infer(*data, tensors.shapes);
    check_room(num_results, static_cast<std::int64_t>(tensors.results.size()), "results");
    require(result_grads, "result_grads");
    require(argument_grads, "argument_grads");
    if (type == DSNN_FLOAT32) {
      run_backward<float>(*data->op, tensors);
    } else {
      run_backward<double>(*data->op, tensors);
    }
  });
}

}  // extern "C"
