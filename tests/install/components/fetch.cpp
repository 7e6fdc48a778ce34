// A dataset that no server offers.
#include <cstdio>
#include <dsnn/fetch/fetch.h>
#include <dsnn/util/error.h>

int main() {
  try {
    dsnn::fetch_dataset({.name = "nowhere"}, {.folder = "here"});
  } catch (const dsnn::Error& error) {
    std::printf("%s\n", error.what());
  }
}
