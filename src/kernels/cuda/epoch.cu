#include "kernels/cuda/math.h"
#include "kernels/epoch.h"

namespace dsnn::kernels {

using namespace cuda;

namespace {

/// As in train/split_trainer.cpp.
DSNN_GPU_INLINE std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + purpose + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// As util/portable_math.h.
DSNN_GPU_INLINE double power(double x, std::int64_t n) {
  double result = 1;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) result *= x;
  }
  return result;
}

template <class T>
DSNN_GPU_INLINE bool is_finite(T x) {
  return x - x == 0;
}

}  // namespace

void start_epoch(const Gpu& gpu, const EpochRules& rules, const EpochState* state) {
  std::uint64_t* pass_seed = gpu.pass_seed();
  const std::uint64_t seed = rules.seed;
  for_each(gpu, 1, [=] DSNN_GPU(std::int64_t) {
    *pass_seed = mix_seed(seed, static_cast<std::uint64_t>(state->epochs + 1));
  });
}

void check_loss(const Gpu& gpu, const float* loss, const ScoredNodes& scored, EpochState* state) {
  EpochResult* results = scored.results;
  const std::int64_t slots = scored.slots;
  for_each(gpu, 1, [=] DSNN_GPU(std::int64_t) {
    if (state->is_over != 0) return;
    results[state->epochs % slots].train_loss = static_cast<double>(*loss);
    if (is_finite(*loss)) return;
    state->failure = 1;
    state->is_over = 1;
  });
}

void adam_epoch(const Gpu& gpu, const AdamStep& step, std::int64_t size, const float* gradients,
                float* weights, float* first_moments, float* second_moments,
                const EpochState* state) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    if (state->is_over != 0) return;
    const std::int64_t t = state->epochs + 1;
    const double rate = step.learning_rate / (1 - power(step.beta1, t));
    const double root = 1 / sqrt(1 - power(step.beta2, t));
    float w = weights[i];
    const float g = static_cast<float>(step.weight_decay) * w + gradients[i];
    const float m =
        static_cast<float>(step.beta1) * first_moments[i] + static_cast<float>(1 - step.beta1) * g;
    const float v = static_cast<float>(step.beta2) * second_moments[i] +
                    static_cast<float>(1 - step.beta2) * (g * g);
    const float scale = sqrtf(v) * static_cast<float>(root) + static_cast<float>(step.epsilon);
    w -= static_cast<float>(rate) * (m / scale);
    weights[i] = w;
    first_moments[i] = m;
    second_moments[i] = v;
  });
}

void finish_epoch(const Gpu& gpu, const EpochRules& rules, const float* logits,
                  const ScoredNodes& scored, EpochState* state) {
  const std::int64_t classes = scored.classes, counts_of_slot = kScoredSets * 3 * classes;
  for_each(gpu, counts_of_slot + 1, [=] DSNN_GPU(std::int64_t i) {
    if (i < counts_of_slot) {
      scored.counts[state->epochs % scored.slots * counts_of_slot + i] = 0;
    } else {
      *scored.num_bad = 0;
    }
  });
  const std::int64_t first_end = scored.sizes[0], second_end = first_end + scored.sizes[1];
  const std::int64_t total = second_end + scored.sizes[2];
  /// Counts node i of all sets, and returns its loss. Counts of integers do not depend on their
  /// order.
  const auto count = [=] DSNN_GPU(std::int64_t i, int set) {
    const std::int64_t slot = state->epochs % scored.slots;
    const float* row = logits + scored.nodes[i] * classes;
    const std::int64_t label = scored.labels[i];
    std::int64_t best = 0;
    bool is_bad = false;
    for (std::int64_t c = 0; c < classes; ++c) {
      if (row[c] > row[best]) best = c;
      is_bad = is_bad || !is_finite(row[c]);
    }
    int* counts = scored.counts + (slot * kScoredSets + set) * 3 * classes;
    if (best == label) add_count(counts + label);
    add_count(counts + classes + best);
    add_count(counts + 2 * classes + label);
    if (is_bad) add_count(scored.num_bad);
    if (scored.margins != nullptr) {
      scored.margins[slot * total + i] = static_cast<double>(row[1]) - static_cast<double>(row[0]);
    }
    const auto largest = static_cast<double>(row[best]);
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += exp(static_cast<double>(row[c]) - largest);
    return largest + log(sum) - static_cast<double>(row[label]);
  };
  // Blocks of nodes of each set, whose sums are added in order.
  constexpr int kThreads = 256;
  constexpr std::int64_t kMostBlocks = 64;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((total + kThreads - 1) / kThreads, 1, kMostBlocks);
  auto* partial = static_cast<double*>(
      gpu.scratch(static_cast<std::size_t>(kScoredSets * blocks) * sizeof(double)));
  launch_blocks<kThreads>(gpu, {blocks, kScoredSets}, [=] DSNN_GPU(const Place& place) {
    const int set = place.row;
    const std::int64_t begin = set == 0 ? 0 : set == 1 ? first_end : second_end;
    const std::int64_t end = set == 0 ? first_end : set == 1 ? second_end : total;
    double sum = 0;
    for (std::int64_t i = begin + place.block * kThreads + place.thread; i < end;
         i += blocks * kThreads) {
      sum += count(i, set);
    }
    sum = warp_sum(sum);
    double* shared = shared_array<double, kThreads / kWarp>();
    if (place.thread % kWarp == 0) shared[place.thread / kWarp] = sum;
    wait_for_block();
    if (place.thread > 0) return;
    sum = 0;
    for (int i = 0; i < kThreads / kWarp; ++i) sum += shared[i];
    partial[set * blocks + place.block] = sum;
  });
  const std::int64_t validation = scored.sizes[1];
  for_each(gpu, 1, [=] DSNN_GPU(std::int64_t) {
    if (state->is_over != 0) return;
    const std::int64_t slot = state->epochs % scored.slots;
    double sums[kScoredSets];
    for (int set = 0; set < kScoredSets; ++set) {
      const std::int64_t size = set == 0   ? first_end
                                : set == 1 ? second_end - first_end
                                           : total - second_end;
      sums[set] = 0;
      for (std::int64_t b = 0; b < blocks; ++b) sums[set] += partial[set * blocks + b];
      if (size > 0) sums[set] /= static_cast<double>(size);
    }
    state->is_best = 0;
    if (*scored.num_bad > 0) {
      state->failure = 2;
      state->is_over = 1;
      return;
    }
    EpochResult& result = scored.results[slot];
    for (int set = 0; set < kScoredSets; ++set) result.losses[set] = sums[set];
    const int* hits = scored.counts + (slot * kScoredSets + 1) * 3 * classes;
    double accuracy = 0;
    for (std::int64_t c = 0; c < classes; ++c) accuracy += hits[c];
    if (validation > 0) accuracy /= static_cast<double>(validation);
    ++state->epochs;
    const bool is_better =
        validation == 0 ||
        (rules.selects_by_loss ? sums[1] < state->best_loss : accuracy > state->best_accuracy);
    if (is_better || state->best_epoch == 0) {
      state->is_best = 1;
      state->best_epoch = state->epochs;
      state->best_loss = sums[1];
      state->best_accuracy = accuracy;
    }
    const bool is_perfect = !rules.selects_by_loss && state->best_accuracy >= 1;
    if (is_perfect || state->epochs - state->best_epoch >= rules.patience) state->is_over = 1;
  });
}

void keep_best(const Gpu& gpu, std::int64_t size, const float* weights, float* best,
               EpochState* state) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    if (state->is_best != 0) best[i] = weights[i];
  });
}

}  // namespace dsnn::kernels
