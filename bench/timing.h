#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace dsnn::bench {

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest of several runs: disturbances only make a run longer.
template <class Work>
double best_seconds(int repeats, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) best = std::min(best, seconds(work));
  return best;
}

}  // namespace dsnn::bench
