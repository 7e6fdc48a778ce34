#include "kernels/adam.h"

#include "kernels/kernel_case.h"

namespace dsnn::kernels {
namespace {

using testing::expect_same_bits;
using testing::random_values;

constexpr std::int64_t kSize = 40'001;  // several blocks, and partly filled vectors
constexpr int kSteps = 5;

/// [eq:adam] for one value, written literally.
struct PlainWeight {
  long double w = 0, m = 0, v = 0;

  void step(long double gradient, long double rate, long double decay, int t) {
    const long double b1 = 0.9L, b2 = 0.999L, epsilon = 1e-8L;
    const long double g = gradient + decay * w;
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    const long double m_hat = m / (1 - std::pow(b1, t)), v_hat = v / (1 - std::pow(b2, t));
    w -= rate * m_hat / (std::sqrt(v_hat) + epsilon);
  }
};

template <class T>
class Adam : public ::testing::Test {
 protected:
  static std::vector<T> gradients(int t) {
    return random_values<T>(kSize, static_cast<std::uint64_t>(t));
  }
  /// Weights and moments after some steps.
  static std::vector<std::vector<T>> trained(const Executor& executor, double rate, double decay) {
    std::vector<std::vector<T>> arrays = {random_values<T>(kSize, 100), std::vector<T>(kSize),
                                          std::vector<T>(kSize)};
    for (int t = 1; t <= kSteps; ++t) {
      adam_step(executor, {.learning_rate = rate, .weight_decay = decay, .step = t}, kSize,
                gradients(t).data(), arrays[0].data(), arrays[1].data(), arrays[2].data());
    }
    return arrays;
  }
};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Adam, Numbers);

TYPED_TEST(Adam, IsItsEquation) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-13;
  for (const double decay : {0.0, 0.3}) {
    const double rate = 0.02;
    std::vector<PlainWeight> expected(at(kSize));
    const auto initial = random_values<T>(kSize, 100);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i].w = initial[i];
    for (int t = 1; t <= kSteps; ++t) {
      const auto gradients = this->gradients(t);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i].step(gradients[i], rate, decay, t);
      }
    }
    const auto arrays = this->trained(testing::ThreadExecutor(2), rate, decay);
    double difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const PlainWeight& plain = expected[i];
      for (const long double error :
           {plain.w - arrays[0][i], plain.m - arrays[1][i], plain.v - arrays[2][i]}) {
        difference = std::max(difference, static_cast<double>(std::abs(error)));
      }
    }
    EXPECT_LT(difference, tolerance) << "decay " << decay;
  }
}

TYPED_TEST(Adam, HasTheSameBitsForAnyThreads) {
  expect_same_bits([&](const Executor& executor) { return this->trained(executor, 0.02, 0.3); });
}

}  // namespace
}  // namespace dsnn::kernels
