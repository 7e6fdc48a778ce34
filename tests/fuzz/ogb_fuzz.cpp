#include "dsnn/data/folders.h"

#include "support.h"

#include <array>

// The files of the folder in this order, with form feeds between them; an empty one is not there.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsnn;
  constexpr std::array kFiles = {
      "raw/edge.csv",        "raw/num-node-list.csv",  "raw/node-feat.csv",
      "raw/node-label.csv",  "split/time/train.csv",   "split/time/valid.csv",
      "split/time/test.csv", "mapping/nodeidx2id.csv", "mapping/labelidx2id.csv"};
  const auto parts = fuzz::split_parts(fuzz::as_text(data, size), kFiles.size());
  const auto& scratch = fuzz::Scratch::instance();
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    scratch.write(std::string("graph/") + kFiles[i], parts[i]);
  }
  std::error_code ignored;
  std::filesystem::remove(scratch.path() / "graph/split/time", ignored);  // if it is empty
  return fuzz::check_reading([&] { return read_ogb(scratch.path() / "graph"); });
}
