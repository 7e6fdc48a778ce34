#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

// Runs a fuzz target over the files of a folder: a regression test of findings that needs no
// fuzzer.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// No input of a few kilobytes is worth more; 2^24 nodes, which a stray number may ask for, take
// less.
constexpr long kMostMegabytes = 1024;

bool is_modest() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;  // the sanitizer's own memory would be counted
#else
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024 <= kMostMegabytes;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER-OR-FILE\n", argv[0]);
    return 2;
  }
  std::vector<fs::path> paths;
  if (fs::is_directory(argv[1])) {
    for (const auto& entry : fs::directory_iterator(argv[1])) paths.push_back(entry.path());
  } else {
    paths.emplace_back(argv[1]);
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);  // the last line names the input, however the process ends
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) return std::fprintf(stderr, "cannot read it\n"), 2;
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::exception& error) {
      return std::fprintf(stderr, "threw what is no dsnn::Error: %s\n", error.what()), 1;
    }
    if (!is_modest()) {
      return std::fprintf(stderr, "took more than %ld MB\n", kMostMegabytes), 1;
    }
  }
  std::printf("%zu inputs\n", paths.size());
  return paths.empty() ? 2 : 0;
}
