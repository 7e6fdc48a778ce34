#include "support.h"

// Text with an arc a line, plain or gzipped.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsnn;
  const auto path = fuzz::Scratch::instance().write("arcs.txt", fuzz::as_text(data, size));
  return fuzz::check_reading([&] { return read_dataset(path); });
}
