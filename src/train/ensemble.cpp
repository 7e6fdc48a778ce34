#include "dsnn/train/ensemble.h"

#include "dsnn/train/link_run.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"

#include "util/index.h"
#include "util/json_text.h"
#include "util/log_sum_exp.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path file_of(const fs::path& folder) { return folder / "ensemble.json"; }

std::vector<std::int64_t> labelled(const std::vector<std::uint8_t>& mask, const Dataset& dataset) {
  std::vector<std::int64_t> nodes;
  for (std::size_t u = 0; u < std::min(mask.size(), dataset.labels.size()); ++u) {
    if (mask[u] != 0 && dataset.labels[u] >= 0) nodes.push_back(static_cast<std::int64_t>(u));
  }
  return nodes;
}

}  // namespace

bool Ensemble::is_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(file_of(folder), ignored);
}

Ensemble::Ensemble(const fs::path& folder, const std::string& device) {
  if (!is_in(folder)) {
    members_.emplace_back(folder, device);
    return;
  }
  const fs::path path = file_of(folder);
  std::ifstream file(path, std::ios::binary);
  const Json json = parse_json(file);
  if (!json.is_object() || !json.contains("members") || !json["members"].is_array()) {
    throw Error(fmt::format("{}: is damaged, expected a list of members", path.string()));
  }
  for (const Json& member : json["members"]) {
    if (!member.is_string()) throw Error(fmt::format("{}: is damaged", path.string()));
    members_.emplace_back(folder / member.get<std::string>(), device);
  }
  if (members_.empty()) throw Error(fmt::format("{}: lists no members", path.string()));
  for (const Run& run : members_) {
    if (run.num_classes() != first().num_classes() || run.label_names() != first().label_names()) {
      throw Error(fmt::format("{}: its members have different classes", path.string()));
    }
  }
}

bool Ensemble::is_finished() const {
  return std::ranges::all_of(members_, [](const Run& run) { return run.is_finished(); });
}

std::vector<float> Ensemble::logits(int split, const Dataset& dataset) const {
  return logits(std::vector<int>{split}, dataset).front();
}

std::vector<std::vector<float>> Ensemble::logits(const std::vector<int>& splits,
                                                 const Dataset& dataset) const {
  if (members_.size() == 1) return first().logits(splits, dataset);
  const auto classes = first().num_classes();
  std::vector<std::vector<double>> sums(splits.size());
  std::vector<double> probabilities(at(classes));
  for (const Run& run : members_) {
    const std::vector<std::vector<float>> logits = run.logits(splits, dataset);
    for (std::size_t k = 0; k < splits.size(); ++k) {
      sums[k].resize(logits[k].size(), 0);
      for (std::int64_t i = 0; i < std::ssize(logits[k]); i += classes) {
        softmax_of(logits[k].data() + i, classes, probabilities.data());
        for (std::int64_t c = 0; c < classes; ++c) sums[k][at(i + c)] += probabilities[at(c)];
      }
    }
  }
  std::vector<std::vector<float>> result(splits.size());
  constexpr double kLeast = 1e-30;  // its logarithm is finite
  for (std::size_t k = 0; k < splits.size(); ++k) {
    result[k].reserve(sums[k].size());
    for (const double sum : sums[k]) {
      const double mean = sum / static_cast<double>(members_.size());
      result[k].push_back(static_cast<float>(std::log(std::max(mean, kLeast))));
    }
  }
  return result;
}

std::vector<Scores> Ensemble::test_scores(const std::vector<int>& splits,
                                          const Dataset& dataset) const {
  return first().test_scores(splits, logits(splits, dataset), dataset);
}

void write_ensemble(const fs::path& folder, const std::vector<std::string>& members) {
  write_file(file_of(folder), json_text(Json{{"members", members}}, 2) + "\n");
}

EnsembleScores ensemble_scores(const Ensemble& ensemble, int split, const Dataset& dataset) {
  if (ensemble.first().task() == TaskKind::kLinks) return link_scores_of(ensemble, split, dataset);
  const std::vector<float> logits = ensemble.logits(split, dataset);
  const Split& parts = dataset.splits.at(at(split));
  const auto validation = labelled(parts.validation, dataset), test = labelled(parts.test, dataset);
  EnsembleScores scores;
  scores.split = split;
  scores.num_validation = std::ssize(validation);
  scores.num_test = std::ssize(test);
  const std::int64_t classes = ensemble.first().num_classes();
  scores.validation = score(logits, classes, dataset.labels, validation);
  scores.test = score(logits, classes, dataset.labels, test);
  return scores;
}

MembersResult train_members(const Dataset& dataset, const TrainOptions& options, int count,
                            const std::function<void(int)>& begin_member) {
  if (options.folder.empty()) throw Error("an ensemble needs a folder for its members");
  MembersResult result;
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) {
    if (begin_member) begin_member(k);
    names.push_back(fmt::format("member-{}", k + 1));
    TrainOptions member = options;
    member.folder = options.folder / names.back();
    member.seed = options.seed + static_cast<std::uint64_t>(k);
    result.members.push_back(train(dataset, member));
  }
  write_ensemble(options.folder, names);
  const Ensemble ensemble(options.folder);
  for (const SplitResult& split : result.members.front().splits) {
    result.splits.push_back(ensemble_scores(ensemble, split.split, dataset));
  }
  return result;
}

}  // namespace dsnn
