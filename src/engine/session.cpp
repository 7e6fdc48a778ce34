#include "dsnn/engine/session.h"

#include "engine/schedule.h"
#include "kernels/executor.h"
#include "kernels/gpu.h"

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dsnn::engine {
namespace {

const kernels::SerialExecutor kSerial;

/// A rough time of a step on one thread, in microseconds; good enough to decide what is worth
/// sharing.
template <class T>
double microseconds(const Step& step) {
  constexpr double kBytes = 1e4, kOperations = 1e4;  // a microsecond
  const Cost cost = step.op->cost(step.shapes, step.result_shapes);
  return (step.is_backward ? 2 : 1) *
         (cost.numbers * sizeof(T) / kBytes + cost.operations / kOperations);
}

}  // namespace

template <class T>
struct Session<T>::Data {
  Data(const Program& given, Device where, std::span<const T> values, std::span<T> grads,
       std::shared_ptr<Arena> given_arena, Memory memory)
      : program(given),
        device(std::move(where)),
        gpu(device.gpu()),
        weights(values),
        gradients(grads),
        arena(given_arena ? std::move(given_arena) : std::make_shared<Arena>(device)),
        plan(gpu == nullptr ? engine::plan(given) : gpu_plan(given, sizeof(T))) {
    arena->reserve(static_cast<std::size_t>(plan.size) * sizeof(T));
    if (gpu != nullptr) {
      forward_schedule = schedule(given, plan, 0, given.num_forward_steps());
      backward_schedule = schedule(given, plan, given.num_forward_steps(), given.steps().size());
    }
    copies_weights = gpu != nullptr && memory == Memory::kHost;
    if (!copies_weights) return;
    own_weights = kernels::GpuArray<T>(*gpu, weights.size());
    own_gradients = kernels::GpuArray<T>(*gpu, gradients.size());
  }
  ~Data() {
    if (gpu != nullptr) gpu->forget(this);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  /// The address of a value. Weights and constants are never written.
  T* pointer(int id) const {
    if (id < 0) return nullptr;
    const Program::Tensor& tensor = program.tensor(program.root(id));
    switch (tensor.kind) {
      case Program::Kind::kParameter:
        return (copies_weights ? own_weights.data() : const_cast<T*>(weights.data())) +
               tensor.offset;
      case Program::Kind::kGradient:
        return (copies_weights ? own_gradients.data() : gradients.data()) + tensor.offset;
      case Program::Kind::kConstant:
        return constant(*tensor.numbers);
      case Program::Kind::kResult:
        break;
    }
    return static_cast<T*>(arena->data()) + plan.offsets[static_cast<std::size_t>(id)];
  }

  T* constant(const Constant& numbers) const {
    const void* data = numbers.template numbers<T>();
    if (gpu != nullptr) {
      data = gpu->mirror(data, static_cast<std::size_t>(numbers.size()) * sizeof(T));
    }
    return static_cast<T*>(const_cast<void*>(data));
  }

  /// All pointers of all steps, valid until the arena moves.
  void resolve() {
    if (base == arena->data() && !calls.empty()) return;
    base = arena->data();
    calls.clear();
    pointers.clear();
    const auto& steps = program.steps();
    std::size_t count = 0;
    for (const Step& s : steps) {
      count += s.inputs.size() + s.outputs.size() + s.grads.size() + s.input_grads.size();
    }
    pointers.reserve(count);  // spans must stay valid
    calls.reserve(steps.size());
    constexpr double kWorthSharing = 20;  // microseconds
    for (const Step& step : steps) {
      const auto put = [&](const std::vector<int>& ids) {
        const std::size_t begin = pointers.size();
        for (const int id : ids) pointers.push_back(pointer(id));
        return std::span<T*>(pointers.data() + begin, ids.size());
      };
      const auto inputs = put(step.inputs), outputs = put(step.outputs), grads = put(step.grads),
                 input_grads = put(step.input_grads);
      const bool is_shared = gpu != nullptr || microseconds<T>(step) > kWorthSharing;
      calls.push_back({is_shared ? device.executor() : kSerial,
                       0,
                       step.shapes,
                       step.result_shapes,
                       {inputs.data(), inputs.size()},
                       outputs,
                       {grads.data(), grads.size()},
                       input_grads});
    }
  }

  void show(const Step& step, const Probe& probe) const {
    for (const int id : step.outputs) {
      for (std::size_t other = 0; other < program.tensors().size(); ++other) {
        const Program::Tensor& tensor = program.tensors()[other];
        if (tensor.root != id || tensor.part.empty()) continue;
        probe(tensor.part, numbers(id));
      }
    }
  }

  void run_forward(const Probe& probe, int first_branch = 0) {
    if (copies_weights) own_weights.upload(weights);
    run_steps(forward_schedule, 0, program.num_forward_steps(), first_branch, probe);
  }
  void run_backward(int first_branch = 0) {
    run_steps(backward_schedule, program.num_forward_steps(), program.steps().size(), first_branch,
              {});
  }

  void run_step(std::size_t number, const Probe& probe) {
    const Step& step = program.steps()[number];
    if (step.is_backward) {
      step.op->backward(calls[number]);
    } else {
      step.op->forward(calls[number]);
    }
    if (probe) show(step, probe);
  }

  /// In order; on a GPU by the schedule, whose branches are numbered from first_branch on.
  void run_steps(const Schedule& order, std::size_t begin, std::size_t end, int first_branch,
                 const Probe& probe) {
    if (gpu == nullptr) {
      for (std::size_t i = begin; i < end; ++i) run_step(i, probe);
      return;
    }
    gpu->use_branch(first_branch);
    const int start = gpu->mark();
    std::vector<int> marks(end - begin, -1);
    std::vector<bool> is_begun(static_cast<std::size_t>(order.num_branches));
    for (std::size_t i = begin; i < end; ++i) {
      const Schedule::Item& item = order.items[i - begin];
      gpu->use_branch(first_branch + item.branch);
      gpu->start_step();
      const auto branch = static_cast<std::size_t>(item.branch);
      if (item.branch > 0 && !is_begun[branch]) gpu->after(start);
      is_begun[branch] = true;
      for (const std::size_t other : item.after) gpu->after(marks[other]);
      run_step(i, probe);
      if (item.is_awaited) marks[i - begin] = gpu->mark();
    }
    gpu->use_branch(first_branch);
    for (const std::size_t last : order.last) gpu->after(marks[last]);
  }

  /// The elements of a value, in the memory of the host.
  std::span<const T> numbers(int id) const {
    const auto size = static_cast<std::size_t>(num_numbers(program.tensor(id).shape));
    if (gpu == nullptr) return {pointer(id), size};
    std::vector<T>& copy = copies[id];
    copy.resize(size);
    gpu->download(copy.data(), pointer(id), size * sizeof(T));
    return copy;
  }

  /// Before the steps of a pass.
  void start_pass() const {
    if (gpu != nullptr) gpu->set_user(this);
  }

  const Program& program;
  Device device;
  const kernels::Gpu* gpu;  // or null
  std::span<const T> weights;
  std::span<T> gradients;
  std::shared_ptr<Arena> arena;
  Plan plan;
  Schedule forward_schedule, backward_schedule;  // on a GPU
  void* base = nullptr;
  std::vector<T*> pointers;
  std::vector<Call<T>> calls;

  // On a GPU.
  bool copies_weights = false;
  kernels::GpuArray<T> own_weights, own_gradients;
  mutable std::map<int, std::vector<T>> copies;  // of values, by their numbers
};

template <class T>
Session<T>::Session(const Program& program, Device device, std::span<const T> weights,
                    std::span<T> gradients, std::shared_ptr<Arena> arena, Memory memory)
    : data_(std::make_unique<Data>(program, std::move(device), weights, gradients, std::move(arena),
                                   memory)) {
  if (program.is_differentiated() && gradients.size() != weights.size()) {
    throw std::logic_error("a program with gradients needs as many gradients as weights");
  }
}

template <class T>
Session<T>::~Session() = default;

template <class T>
void Session<T>::forward(std::uint64_t seed, const Probe& probe) {
  data_->start_pass();
  data_->resolve();
  const kernels::Gpu* gpu = data_->gpu;
  for (Call<T>& call : data_->calls) call.seed = gpu == nullptr ? seed : 0;
  if (gpu != nullptr) gpu->upload(gpu->pass_seed(), &seed, sizeof(seed));
  data_->run_forward(probe);
}

template <class T>
void Session<T>::start_forward(int first_branch) {
  data_->start_pass();
  data_->resolve();
  data_->run_forward({}, first_branch);
}

template <class T>
void Session<T>::backward() {
  if (data_->calls.empty()) throw std::logic_error("backward() must be called after forward()");
  data_->start_pass();
  if (data_->copies_weights) data_->own_gradients.upload(data_->gradients);
  data_->run_backward();
  if (data_->copies_weights) data_->own_gradients.download(data_->gradients);
}

template <class T>
std::span<const T> Session<T>::numbers(const Value& value) const {
  return data_->numbers(value.id());
}

template <class T>
const T* Session<T>::address(const Value& value) const {
  return data_->pointer(value.id());
}

template <class T>
const Plan& Session<T>::plan() const {
  return data_->plan;
}

template <class T>
const std::shared_ptr<Arena>& Session<T>::arena() const {
  return data_->arena;
}

template class Session<float>;
template class Session<double>;

}  // namespace dsnn::engine
