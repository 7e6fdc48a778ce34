#include "dsnn/data/csv.h"

#include "support.h"

// A byte of options, the edges, a form feed, and the nodes if there are any.

namespace {

dsnn::CsvOptions make_options(std::uint8_t bits) {
  using namespace dsnn;
  CsvOptions options;
  constexpr UnknownNodes kUnknown[] = {UnknownNodes::kRefuse, UnknownNodes::kAdd,
                                       UnknownNodes::kDrop, UnknownNodes::kAdd};
  constexpr Heading kHeadings[] = {Heading::kDetect, Heading::kPresent, Heading::kAbsent,
                                   Heading::kDetect};
  options.unknown_nodes = kUnknown[bits & 3];
  options.heading = kHeadings[bits >> 2 & 3];
  if (bits & 16) options.label_column = "2";
  if (bits & 32) options.categorical_columns = {"3"};
  if (bits & 64) options.split_columns = {"4", "5"};
  if (bits & 128) options.weight_column = "3";
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsnn;
  if (size == 0) return 0;
  const auto parts = fuzz::split_parts(fuzz::as_text(data + 1, size - 1), 2);
  CsvOptions options = make_options(data[0]);
  const auto& scratch = fuzz::Scratch::instance();
  options.edges = scratch.write("edges.csv", parts[0]);
  const auto nodes = scratch.write("nodes.csv", parts[1]);
  if (!parts[1].empty()) options.nodes = nodes;
  return fuzz::check_reading([&] { return read_csv_dataset(options); });
}
