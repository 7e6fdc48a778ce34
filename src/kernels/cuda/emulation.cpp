#include "kernels/cuda/emulation.h"

#include "dsnn/util/error.h"

#include "kernels/cuda/gpu_data.h"

#include <fmt/format.h>
#include <ucontext.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace dsnn::kernels {

class Recording {
 public:
  std::vector<std::function<void()>> steps;
};

namespace {

struct EmulatedData final : Gpu::Data {
  std::shared_ptr<Recording> recording;

  /// Now, or later as a part of the recording.
  void run(const std::function<void()>& work) {
    if (recording) {
      recording->steps.push_back(work);
    } else {
      work();
    }
  }
};

EmulatedData& data_of(const Gpu& gpu) { return static_cast<EmulatedData&>(gpu.data()); }

}  // namespace

int Gpu::count() { return 1; }
std::string Gpu::why_none() { return {}; }
Gpu::Gpu(int number) : data_(std::make_unique<EmulatedData>()) {
  if (number != 0) throw Error(fmt::format("device cuda:{}: there is only cuda:0", number));
  data_->open(*this);
}
Gpu::~Gpu() { data_->close(*this); }
std::string Gpu::name() const { return "emulated GPU"; }

void* Gpu::allocate(std::size_t bytes) const {
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr)
    throw Error(fmt::format("device cuda: cannot allocate {} MB", bytes / 1000000));
  return memory;
}
void Gpu::release(void* memory) const noexcept { std::free(memory); }
void Gpu::upload(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
void Gpu::download(void* to, const void* from, std::size_t bytes) const {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void Gpu::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes > 0) data_of(*this).run([=] { std::memcpy(to, from, bytes); });
}
void Gpu::clear(void* memory, std::size_t bytes) const {
  if (bytes > 0) data_of(*this).run([=] { std::memset(memory, 0, bytes); });
}
void Gpu::wait() const {}

void Gpu::start_recording() const { data_of(*this).recording = std::make_shared<Recording>(); }
std::shared_ptr<Recording> Gpu::finish_recording() const {
  return std::move(data_of(*this).recording);
}
bool Gpu::is_recording() const { return data_of(*this).recording != nullptr; }
// All work is in order, recorded or not.
void Gpu::use_branch(int branch) const { data_->branch = branch; }
int Gpu::part() const { return 0; }
void Gpu::start_part() const {}
void Gpu::return_to_part(int /*part*/) const {}
int Gpu::mark() const { return -1; }
void Gpu::after(int /*mark*/) const {}
void Gpu::replay(const Recording& recording) const {
  for (const auto& step : recording.steps) step();
}

namespace cuda::emulation {
namespace {

/// The threads of the block that runs now.
struct Block {
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool is_done = false;
  };
  struct Barrier {
    int size = 0, arrived = 0;
    std::int64_t round = 0;
  };
  ucontext_t scheduler;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Barrier> warps;
  Barrier all;
  std::vector<std::uint64_t> slots;
  const std::function<void(int)>* body = nullptr;
  int now = 0;

  void yield() { swapcontext(&fibers[static_cast<std::size_t>(now)]->context, &scheduler); }
  void wait(Barrier& barrier) {
    const std::int64_t round = barrier.round;
    if (++barrier.arrived == barrier.size) {
      barrier.arrived = 0;
      ++barrier.round;
      return;
    }
    while (barrier.round == round) yield();
  }
  Barrier& warp() { return warps[static_cast<std::size_t>(now / 32)]; }
};

thread_local Block block;

void enter() {
  (*block.body)(block.now);
  block.fibers[static_cast<std::size_t>(block.now)]->is_done = true;
  // A thread that has ended is waited for no longer.
  --block.all.size;
  --block.warp().size;
  for (Block::Barrier* barrier : {&block.all, &block.warp()}) {
    if (barrier->size > 0 && barrier->arrived == barrier->size) {
      barrier->arrived = 0;
      ++barrier->round;
    }
  }
}

}  // namespace

void launch(const Gpu& gpu, const std::function<void()>& work) { data_of(gpu).run(work); }

void run_block(int num_threads, const std::function<void(int)>& body) {
  constexpr std::size_t kStack = 64 * 1024;
  const auto count = static_cast<std::size_t>(num_threads);
  while (block.fibers.size() < count) {
    block.fibers.push_back(std::make_unique<Block::Fiber>());
    block.fibers.back()->stack.resize(kStack);
  }
  block.slots.resize(std::max(block.slots.size(), count));
  block.warps.assign((count + 31) / 32, {32, 0, 0});
  block.all = {num_threads, 0, 0};
  block.body = &body;
  for (std::size_t i = 0; i < count; ++i) {
    Block::Fiber& fiber = *block.fibers[i];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &block.scheduler;
    fiber.is_done = false;
    makecontext(&fiber.context, enter, 0);
  }
  for (std::size_t left = count; left > 0;) {
    left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (block.fibers[i]->is_done) continue;
      block.now = static_cast<int>(i);
      swapcontext(&block.scheduler, &block.fibers[i]->context);
      if (!block.fibers[i]->is_done) ++left;
    }
  }
}

void wait_for_block() { block.wait(block.all); }
int lane() { return block.now % 32; }
std::uint64_t bits_of_lane(std::uint64_t bits, int lane) {
  const int first = block.now / 32 * 32;
  block.slots[static_cast<std::size_t>(block.now)] = bits;
  block.wait(block.warp());
  const std::uint64_t result = block.slots[static_cast<std::size_t>(first + lane)];
  block.wait(block.warp());
  return result;
}

}  // namespace cuda::emulation
}  // namespace dsnn::kernels
