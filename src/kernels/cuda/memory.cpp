// Scratch memory and mirrors of a GPU, real or emulated.
#include "kernels/cuda/gpu_data.h"
#include "kernels/gpu.h"

namespace dsnn::kernels {

void* Gpu::scratch(std::size_t bytes) const { return data_->memory().scratch.take(*this, bytes); }
int* Gpu::counters(std::size_t count) const {
  return static_cast<int*>(data_->memory().counters.take(*this, count * sizeof(int), true));
}
void Gpu::start_step() const {
  data_->memory().scratch.restart();
  data_->memory().counters.restart();
  data_->num_parts = 1;
}
int Gpu::branch() const { return data_->branch; }

const void* Gpu::mirror(const void* host, std::size_t bytes) const {
  return data_->mirrors.get(*this, host, bytes, 0,
                            [&](void* memory) { upload(memory, host, bytes); });
}
const void* Gpu::derived(const void* host, int kind, std::size_t bytes,
                         const std::function<void(void*)>& make) const {
  return data_->mirrors.get(*this, host, bytes, kind, make);
}
void Gpu::forget_arrays(std::span<const void* const> hosts) const {
  wait();
  for (const void* host : hosts) data_->mirrors.forget_array(*this, host);
}
void Gpu::set_user(const void* user) const { data_->mirrors.set_user(user); }
void Gpu::forget(const void* user) const noexcept { data_->mirrors.forget(*this, user); }
std::size_t Gpu::bytes_kept() const {
  std::size_t sum = data_->mirrors.bytes();
  for (const auto& each : data_->branches) sum += each->scratch.bytes() + each->counters.bytes();
  return sum;
}
std::uint64_t* Gpu::pass_seed() const { return data_->pass_seed; }

}  // namespace dsnn::kernels
