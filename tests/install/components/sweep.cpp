// Reads a sweep from a missing folder.
#include <cstdio>
#include <dsnn/sweep/sweep.h>
#include <dsnn/util/error.h>

int main() {
  try {
    dsnn::read_sweep("nowhere");
  } catch (const dsnn::Error& error) {
    std::printf("%s\n", error.what());
  }
}
