// The models of a run on a graph in parts.
#include "dsnn/train/part_folder.h"
#include "dsnn/train/run.h"

#include "data/check_dataset.h"
#include "train/part_scores.h"
#include "train/run_input.h"
#include "train/training_data.h"
#include "util/index.h"

#include <fmt/format.h>

#include <utility>

namespace dsnn {

bool Run::has_other_splits(const TrainPart& part) const {
  return part.whole.content == content_ && part.whole.checksum != checksum_;
}

std::vector<float> Run::logits(int split, const Dataset& data, const TrainPart& part) const {
  part.halo->ranks().agree([&] {
    check_split(split);
    if (const std::string& reason = nn::find_model(model_).needs_whole_graph; !reason.empty()) {
      throw Error(fmt::format("{}: is in parts, but {} cannot: {}", data.name, model_, reason));
    }
  });
  return logits(split, prepare(data, part.halo), data);
}

std::vector<Scores> Run::test_scores(const std::vector<int>& splits, const Dataset& data,
                                     const TrainPart& part) const {
  Ranks& ranks = part.halo->ranks();
  std::vector<std::int64_t> labels;
  ranks.agree([&] {
    check_labels(data);
    check_splits(splits, data);
    labels = labels_of(data);
  });
  std::vector<Scores> scores;
  for (const int split : splits) {
    const std::vector<float> of_nodes = logits(split, data, part);
    std::vector<std::int64_t> nodes;
    for (std::size_t u = 0; u < labels.size(); ++u) {
      if (data.splits[at(split)].test[u] != 0 && labels[u] >= 0) {
        nodes.push_back(static_cast<std::int64_t>(u));
      }
    }
    const std::int64_t count = ranks.sum(std::ssize(nodes));
    if (count == 0) {
      throw AgreedError(fmt::format("{}: split {}: no test nodes with a label", data.name, split));
    }
    ClassCounts counts = count_classes(of_nodes, num_classes_, labels, nodes);
    add_up(counts, ranks);
    scores.push_back(std::move(counts).scores(at(count)));
  }
  return scores;
}

}  // namespace dsnn
