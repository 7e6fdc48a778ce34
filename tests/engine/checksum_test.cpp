// Every operator, and thus every kernel, gives the same bits on all machines with fused
// multiply-add; their checksums are in checksums.txt. After an intended change of bits, run
//   DSNN_WRITE_CHECKSUMS=tests/engine/checksums.txt build/release/tests/engine/engine_tests
//   --gtest_filter=Checksums.*
// on one machine, and check that the tests pass for all instruction sets.
#include "engine/operator_runner.h"
#include "kernels/simd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

namespace dsnn {
namespace {

using testing::OperatorCase;

/// FNV-1a.
class Hash {
 public:
  template <class T>
  void add(const std::vector<T>& numbers) {
    for (const T number : numbers) {
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &number, sizeof(T));
      for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3u;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

template <class T>
std::uint64_t checksum(const OperatorCase& each) {
  testing::Runner<T> runner(each, 2);
  const auto factors = testing::random_factors<T>(each, runner.results());
  runner.forward();
  runner.backward(factors, engine::ArgumentSet::all());
  Hash hash;
  for (const auto& output : runner.outputs()) hash.add(output.data);
  for (const auto& grad : runner.input_grads()) hash.add(grad.data);
  return hash.value();
}

/// Of every case and number type.
std::map<std::string, std::string> checksums() {
  std::map<std::string, std::string> result;
  const auto add = [&](const std::vector<OperatorCase>& cases, const std::string& set) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::string name = fmt::format("{} {:03}: {}", set, i, cases[i].name);
      result[name] =
          fmt::format("{:016x} {:016x}", checksum<float>(cases[i]), checksum<double>(cases[i]));
    }
  };
  add(testing::operator_cases(true), "operators");
  add(testing::shape_cases(), "shapes");
  return result;
}

TEST(Checksums, AreThoseOfAllMachines) {
  if (!kernels::has_fused_multiply_add()) GTEST_SKIP() << "no fused multiply-add";
  const auto found = checksums();
  if (const char* path = std::getenv("DSNN_WRITE_CHECKSUMS")) {
    std::ofstream file(path);
    for (const auto& [name, value] : found) file << value << ' ' << name << '\n';
    return;
  }
  std::ifstream file(DSNN_CHECKSUMS);
  std::map<std::string, std::string> expected;
  for (std::string line; std::getline(file, line);) {
    constexpr std::size_t kValue = 33;  // two hashes and the blank between them
    expected[line.substr(kValue + 1)] = line.substr(0, kValue);
  }
  ASSERT_FALSE(expected.empty()) << DSNN_CHECKSUMS;
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, value] : found) EXPECT_EQ(value, expected[name]) << name;
}

}  // namespace
}  // namespace dsnn
