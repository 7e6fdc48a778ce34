#include "train/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace dsnn {
namespace {

constexpr std::string_view kSplitPrefix = "split-";

}  // namespace

std::filesystem::path RunFiles::split(int number) const {
  return folder_ / fmt::format("{}{}", kSplitPrefix, number);
}

bool RunFiles::has_run() const {
  std::error_code ignored;
  return std::filesystem::exists(config(), ignored);
}

std::vector<int> RunFiles::trained_splits() const {
  std::vector<int> splits;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kSplitPrefix)) continue;
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kSplitPrefix.size(), end, number);
    if (error != std::errc() || stop != end) continue;
    if (std::filesystem::exists(model(number), ignored)) splits.push_back(number);
  }
  std::ranges::sort(splits);
  return splits;
}

}  // namespace dsnn
