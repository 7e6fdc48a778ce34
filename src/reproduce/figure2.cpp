#include "reproduce/figure2.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/util/error.h"

#include "reproduce/bar_chart.h"
#include "reproduce/report.h"

#include <fmt/format.h>

#include <charconv>

namespace dsnn::reproduce {
namespace {

constexpr NodeId kNodes = 2500, kCommunities = 5;
constexpr double kAlphaIn = 0.1, kBeta = 0.2;
// Not 0: on that graph settings were tried by hand, with test scores in view.
constexpr std::uint64_t kSeed = 1;

double parse_alpha(const std::string& text) {
  double alpha = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, alpha);
  if (error != std::errc() || stop != end || !(alpha >= 0 && alpha <= 1)) {
    throw Error(fmt::format("alpha_out is '{}', expected a probability such as 0.05", text));
  }
  return alpha;
}

}  // namespace

std::string figure2_column(const std::string& alpha_out) {
  return fmt::format("{}", parse_alpha(alpha_out));
}

Dataset figure2_dataset(const std::string& column) {
  DsbmOptions options;
  options.num_nodes = kNodes;
  options.num_communities = kCommunities;
  options.alpha_in = kAlphaIn;
  options.alpha_out = parse_alpha(column);
  options.beta = kBeta;
  options.seed = kSeed;
  Dataset dataset = dsbm_dataset(options);
  dataset.name = "dsbm-" + column;
  return dataset;
}

Document make_figure2_report(const Grid& grid) {
  Document document = make_report(grid, "Figure 2: directed block models", "alpha_out");
  const std::string what = fmt::format(
      "Test accuracy on directed block models with {} nodes, {} communities, alpha_in = {} and "
      "beta = {}",
      kNodes, kCommunities, kAlphaIn, kBeta);
  const BarChartOptions chart = {what, "alpha_out: probability of an edge between communities",
                                 100.0 / kCommunities};
  document.blocks.insert(document.blocks.begin(),
                         {Document::Paragraph{what + ", by alpha_out."},
                          Document::Figure{"figure2.svg", what, bar_chart(grid, chart)}});
  return document;
}

}  // namespace dsnn::reproduce
