#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
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

void update_weights(const Gpu& gpu, const EpochRules& rules, const WeightUpdates& given,
                    const float* loss, const ScoredNodes& scored, EpochState* state) {
  const WeightUpdates updates = given;
  EpochResult* results = scored.results;
  const std::int64_t slots = scored.slots;
  const std::uint64_t seed = rules.seed;
  std::uint64_t* pass_seed = gpu.pass_seed();
  for_each(gpu, std::max<std::int64_t>(1, updates.count), [=] DSNN_GPU(std::int64_t i) {
    const std::int64_t t = state->epochs + 1;
    // is_over may change meanwhile, if the loss is not finite.
    const bool stays = state->is_over != 0 || !is_finite(*loss);
    if (i == 0 && state->is_over == 0) {
      results[state->epochs % slots].train_loss = static_cast<double>(*loss);
      if (!is_finite(*loss)) {
        state->failure = 1;
        state->is_over = 1;
      }
    }
    if (stays) return;
    if (i == 0) *pass_seed = mix_seed(seed, static_cast<std::uint64_t>(t + 1));
    if (i >= updates.count || updates.step_of[i] == WeightUpdates::kFixed) return;
    const AdamStep& step = updates.steps[updates.step_of[i]];
    const double rate = step.learning_rate / (1 - power(step.beta1, t));
    const double root = 1 / sqrt(1 - power(step.beta2, t));
    float w = updates.weights[i];
    const float g = static_cast<float>(step.weight_decay) * w + updates.gradients[i];
    const float m = static_cast<float>(step.beta1) * updates.first_moments[i] +
                    static_cast<float>(1 - step.beta1) * g;
    const float v = static_cast<float>(step.beta2) * updates.second_moments[i] +
                    static_cast<float>(1 - step.beta2) * (g * g);
    const float scale = sqrtf(v) * static_cast<float>(root) + static_cast<float>(step.epsilon);
    w -= static_cast<float>(rate) * (m / scale);
    updates.weights[i] = w;
    updates.first_moments[i] = m;
    updates.second_moments[i] = v;
  });
}

void finish_epoch(const Gpu& gpu, const EpochRules& rules, const float* logits,
                  const ScoredNodes& scored, EpochState* state) {
  const std::int64_t classes = scored.classes, counts_of_slot = kScoredSets * 3 * classes;
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
  // Blocks of nodes of each set, whose sums are added in order by the last block.
  constexpr int kThreads = 128;
  constexpr std::int64_t kMostBlocks = 64;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((total + kThreads - 1) / kThreads, 1, kMostBlocks);
  auto* partial = static_cast<double*>(
      gpu.scratch(static_cast<std::size_t>(kScoredSets * blocks) * sizeof(double)));
  int* counter = gpu.counters(1);
  const std::int64_t validation = scored.sizes[1];
  launch_blocks<kThreads>(gpu, {blocks, kScoredSets}, [=] DSNN_GPU(const Place& place) {
    if (state->is_over != 0) return;
    const int set = place.row;
    const std::int64_t begin = set == 0 ? 0 : set == 1 ? first_end : second_end;
    const std::int64_t end = set == 0 ? first_end : set == 1 ? second_end : total;
    double sum = 0;
    for (std::int64_t i = begin + place.block * kThreads + place.thread; i < end;
         i += blocks * kThreads) {
      sum += count(i, set);
    }
    sum = block_sum<kThreads>(sum, place.thread);
    if (place.thread == 0) partial[set * blocks + place.block] = sum;
    if (!is_last_block(counter, kScoredSets * blocks, place.thread)) return;
    const std::int64_t next_slot = (state->epochs + 1) % scored.slots;
    for (std::int64_t i = place.thread; i < counts_of_slot; i += kThreads) {
      scored.counts[next_slot * counts_of_slot + i] = 0;
    }
    double sums[kScoredSets];
    for (int each = 0; each < kScoredSets; ++each) {
      double value = place.thread < blocks ? partial[each * blocks + place.thread] : 0;
      sums[each] = block_sum<kThreads>(value, place.thread);
    }
    if (place.thread > 0) return;
    for (int each = 0; each < kScoredSets; ++each) {
      const std::int64_t size = scored.sizes[static_cast<std::size_t>(each)];
      if (size > 0) sums[each] /= static_cast<double>(size);
    }
    const std::int64_t slot = state->epochs % scored.slots;
    state->is_best = 0;
    const bool is_bad = *scored.num_bad > 0;
    *scored.num_bad = 0;
    if (is_bad) {
      state->failure = 2;
      state->is_over = 1;
      return;
    }
    EpochResult& result = scored.results[slot];
    for (std::size_t each = 0; each < kScoredSets; ++each) result.losses[each] = sums[each];
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
