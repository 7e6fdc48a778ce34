#include "engine/thread_pool.h"

#include <system_error>

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dsnn::engine {
namespace {

// The word: number of the job << 32 | helpers that may join << 16 | helpers at work.
constexpr std::uint64_t kAtWork = 1, kOpen = 1u << 16, kNumber = std::uint64_t{1} << 32;
std::uint64_t at_work(std::uint64_t state) { return state & 0xffff; }
std::uint64_t open_places(std::uint64_t state) { return state >> 16 & 0xffff; }
std::uint64_t number_of(std::uint64_t state) { return state >> 32; }

constexpr int kMaxHelpers = 4096;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Spins until is_done() or the time limit. The clock is read only occasionally.
template <class IsDone>
bool spin(std::chrono::microseconds time, const IsDone& is_done) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (is_done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return is_done();
}

// An idle helper spins this long, then sleeps.
constexpr std::chrono::microseconds kLook{100};
// The caller waits for the last blocks of helpers. These are short, unless a helper was
// descheduled; then the core is better left to it.
constexpr std::chrono::microseconds kWait{50};

}  // namespace

ThreadPool::ThreadPool(int num_threads)
    : size_(std::clamp(num_threads, 1, kMaxHelpers + 1)), limit_(size_) {}

void ThreadPool::start_helpers() const {
  try {
    while (static_cast<int>(helpers_.size()) < size_ - 1) {
      helpers_.emplace_back([this] { help(); });
    }
  } catch (const std::system_error&) {  // no more threads available: work with these
  }
}

ThreadPool::~ThreadPool() {
  stops_.store(true);
  state_.fetch_add(kNumber);
  state_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::run(int count, FunctionRef<void()> work) const {
  const int num_helpers = std::min(count, limit_) - 1;
  if (num_helpers < 1) return work();
  if (helpers_.empty()) start_helpers();
  work_ = &work;
  const std::uint64_t number = number_of(state_.load(std::memory_order_relaxed)) + 1;
  state_.store(number * kNumber + static_cast<std::uint64_t>(num_helpers) * kOpen);
  if (num_asleep_.load() > 0) state_.notify_all();
  work();
  // Helpers may no longer join; wait for those that have joined.
  std::uint64_t state = state_.load();
  while (!state_.compare_exchange_weak(state, state - open_places(state) * kOpen)) {
  }
  const auto is_done = [&] { return at_work(state_.load(std::memory_order_acquire)) == 0; };
  if (spin(kWait, is_done)) return;
  caller_sleeps_.store(true);
  for (state = state_.load(); at_work(state) > 0; state = state_.load()) state_.wait(state);
  caller_sleeps_.store(false);
}

std::uint64_t ThreadPool::wait_for_other(std::uint64_t seen) const {
  const auto is_other = [&] { return number_of(state_.load(std::memory_order_acquire)) != seen; };
  if (!spin(kLook, is_other)) {
    num_asleep_.fetch_add(1);
    for (std::uint64_t state = state_.load(); number_of(state) == seen; state = state_.load()) {
      state_.wait(state);
    }
    num_asleep_.fetch_sub(1);
  }
  return number_of(state_.load());
}

void ThreadPool::help() const {
  std::uint64_t seen = 0;
  while (true) {
    seen = wait_for_other(seen);
    if (stops_.load()) return;
    std::uint64_t state = state_.load();
    while (number_of(state) == seen && open_places(state) > 0) {
      if (!state_.compare_exchange_weak(state, state - kOpen + kAtWork)) continue;
      (*work_)();
      state_.fetch_sub(kAtWork);
      if (caller_sleeps_.load()) state_.notify_all();
      break;
    }
  }
}

}  // namespace dsnn::engine
