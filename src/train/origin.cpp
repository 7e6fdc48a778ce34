#include "train/origin.h"

#include "commit.h"

#include <fstream>

namespace dsnn {

const char* source_commit() { return DSNN_COMMIT; }

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace dsnn
