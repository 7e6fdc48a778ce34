// What became of a search in a folder that is not there.
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
