// Scratch memory and mirrors of a GPU, real or emulated.
#include "kernels/cuda/gpu_data.h"
#include "kernels/gpu.h"

namespace dsnn::kernels {

void* Gpu::scratch(std::size_t bytes) const { return data_->scratch.take(*this, bytes); }
void Gpu::start_step() const { data_->scratch.restart(); }

const void* Gpu::mirror(const void* host, std::size_t bytes) const {
  return data_->mirrors.get(*this, host, bytes, 0,
                            [&](void* memory) { upload(memory, host, bytes); });
}
const void* Gpu::derived(const void* host, int kind, std::size_t bytes,
                         const std::function<void(void*)>& make) const {
  return data_->mirrors.get(*this, host, bytes, kind, make);
}
void Gpu::set_user(const void* user) const { data_->mirrors.set_user(user); }
void Gpu::forget(const void* user) const noexcept { data_->mirrors.forget(*this, user); }
std::size_t Gpu::bytes_kept() const { return data_->mirrors.bytes() + data_->scratch.bytes(); }
std::uint64_t* Gpu::pass_seed() const { return data_->pass_seed; }

}  // namespace dsnn::kernels
