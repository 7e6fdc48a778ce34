// A build without CUDA: there is no GPU, and none can be made.
#include "dsnn/util/error.h"

#include "kernels/epoch.h"
#include "kernels/gpu.h"

namespace dsnn::kernels {

class Recording {};
struct Gpu::Data {};

int Gpu::count() { return 0; }
std::string Gpu::why_none() {
  return "this build of dsnn has no CUDA kernels; build it with -DDSNN_CUDA=ON";
}
Gpu::Gpu(int /*number*/) { throw Error("device cuda: " + why_none()); }
Gpu::~Gpu() = default;
std::string Gpu::name() const { return {}; }
void* Gpu::allocate(std::size_t /*bytes*/) const { return nullptr; }
void Gpu::release(void* /*memory*/) const noexcept {}
void Gpu::upload(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) const {}
void Gpu::download(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) const {}
void Gpu::copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) const {}
void Gpu::clear(void* /*memory*/, std::size_t /*bytes*/) const {}
void Gpu::wait() const {}
void* Gpu::scratch(std::size_t /*bytes*/) const { return nullptr; }
int* Gpu::counters(std::size_t /*count*/) const { return nullptr; }
void Gpu::start_step() const {}
void Gpu::use_branch(int /*branch*/) const {}
int Gpu::branch() const { return 0; }
int Gpu::part() const { return 0; }
void Gpu::start_part() const {}
void Gpu::return_to_part(int /*part*/) const {}
int Gpu::mark() const { return -1; }
void Gpu::after(int /*mark*/) const {}
const void* Gpu::mirror(const void* host, std::size_t /*bytes*/) const { return host; }
const void* Gpu::derived(const void* host, int /*kind*/, std::size_t /*bytes*/,
                         const std::function<void(void*)>& /*make*/) const {
  return host;
}
void Gpu::forget_arrays(std::span<const void* const> /*hosts*/) const {}
void Gpu::set_user(const void* /*user*/) const {}
void Gpu::forget(const void* /*user*/) const noexcept {}
std::size_t Gpu::bytes_kept() const { return 0; }
std::uint64_t* Gpu::pass_seed() const { return nullptr; }
void Gpu::start_recording() const {}
std::shared_ptr<Recording> Gpu::finish_recording() const { return {}; }
bool Gpu::is_recording() const { return false; }
void Gpu::replay(const Recording& /*recording*/) const {}

void start_epoch(const Gpu&, const EpochRules&, const EpochState*) {}
void update_weights(const Gpu&, const EpochRules&, const WeightUpdates&, const float*,
                    const ScoredNodes&, EpochState*) {}
void finish_epoch(const Gpu&, const EpochRules&, const float*, const ScoredNodes&, EpochState*) {}
void keep_best(const Gpu&, std::int64_t, const float*, float*, EpochState*) {}

}  // namespace dsnn::kernels
