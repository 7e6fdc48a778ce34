// Asks for a partitioner that no dsnn has.
#include <cstdio>
#include <dsnn/mpi/mpi.h>
#include <dsnn/mpi/partitioners.h>
#include <dsnn/util/error.h>

int main() {
  try {
    dsnn::make_partition("guess", {}, {}, 2);
  } catch (const dsnn::Error& error) {
    std::printf("%s\n", error.what());
  }
}
