#include "train/link_config.h"

#include "dsnn/util/error.h"

#include "train/link_scores.h"

#include <fmt/format.h>

namespace dsnn {

std::vector<Parameter> link_parameters() {
  using I = std::int64_t;
  std::vector<std::string> metrics = link_metrics();
  metrics.insert(metrics.begin(), "auto");
  return {
      {"link_task",
       std::string("existence"),
       "Question about a pair: an arc or none, one of two directions, both with three classes, an "
       "arc or none in this direction",
       {"existence", "direction", "three-class", "existence-direction"}},
      {"protocol",
       std::string("auto"),
       "Division of the arcs: as in MagNet, in PyTorch Geometric Signed Directed, the link splits "
       "of the data (those of DirLinkBench), random; auto: the data's, else magnet",
       {"auto", "magnet", "pygsd", "dirlink", "random"}},
      {"test_share", 0.15, "Share of the arcs for the test, where splits are drawn", {}, 0, 1},
      {"validation_share", 0.05, "Share of the arcs for validation", {}, 0, 1},
      {"num_splits", I{10}, "Number of splits, where they are drawn", {}, 1, 10'000},
      {"split_seed", I{0}, "Seed of the splits and of fixed pairs without an arc", {}, 0, 1e15},
      {"negatives",
       std::string("auto"),
       "Training pairs without an arc: the same in all epochs, drawn in each epoch; auto: fixed "
       "unless protocol=random",
       {"auto", "fixed", "epoch"}},
      {"negatives_per_arc", 1.0, "Pairs without an arc, for each arc", {}, 0.01, 1000},
      {"metric", std::string("auto"),
       "Validation score that chooses the best epoch if select_by=accuracy; auto: accuracy for "
       "direction and three-class, else auc",
       metrics}};
}

LinkQuestion link_question(const Config& config) {
  const std::string& word = config.word("link_task");
  if (word == "direction") return LinkQuestion::kDirection;
  if (word == "three-class") return LinkQuestion::kThreeClass;
  return word == "existence" ? LinkQuestion::kExistence : LinkQuestion::kExistenceDirection;
}

LinkOptions link_options(const Config& config, const Dataset& dataset) {
  LinkOptions options;
  options.question = link_question(config);
  const std::string& protocol = config.word("protocol");
  if (protocol == "pygsd") options.protocol = LinkProtocol::kPygsd;
  if (protocol == "random") options.protocol = LinkProtocol::kRandom;
  if (protocol == "dirlink" || (protocol == "auto" && !dataset.link_splits.empty())) {
    options.protocol = LinkProtocol::kGiven;
  }
  options.test_share = config.number("test_share");
  options.validation_share = config.number("validation_share");
  options.negatives_per_arc = config.number("negatives_per_arc");
  const std::string& negatives = config.word("negatives");
  options.has_fixed_negatives =
      negatives == "fixed" || (negatives == "auto" && options.protocol != LinkProtocol::kRandom);
  options.seed = static_cast<std::uint64_t>(config.integer("split_seed"));
  return options;
}

std::string link_metric(const Config& config) {
  const std::string& metric = config.word("metric");
  const LinkQuestion question = link_question(config);
  const bool is_share = metric == "accuracy" || metric == "macro_f1";
  if (metric != "auto") {
    if (question == LinkQuestion::kThreeClass && !is_share) {
      throw Error(fmt::format(
          "metric={} ranks pairs of two classes; for link_task=three-class choose accuracy or "
          "macro_f1",
          metric));
    }
    return metric;
  }
  const bool has_classes =
      question == LinkQuestion::kDirection || question == LinkQuestion::kThreeClass;
  return has_classes ? "accuracy" : "auc";
}

int num_link_splits(const Config& config, const Dataset& dataset) {
  return num_link_splits(dataset, link_options(config, dataset).protocol,
                         static_cast<int>(config.integer("num_splits")));
}

}  // namespace dsnn
