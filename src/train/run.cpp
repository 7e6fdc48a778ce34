#include "dsnn/train/run.h"

#include "dsnn/data/npz.h"
#include "dsnn/engine/session.h"
#include "dsnn/nn/model.h"
#include "dsnn/parts/part_program.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"
#include "data/feature_rows.h"
#include "train/preparation_json.h"
#include "train/run_files.h"
#include "train/run_input.h"
#include "train/training_data.h"
#include "util/index.h"
#include "util/json_text.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json read_json(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot open, expected a file of a run", path.string()));
  Json json = parse_json(file);
  if (!json.is_object()) throw Error(fmt::format("{}: is damaged (not JSON)", path.string()));
  return json;
}

template <class T>
T get(const fs::path& path, const Json& json, const char* key) {
  try {
    return json.at(key).get<T>();
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: '{}' is missing or has the wrong type", path.string(), key));
  }
}

FeaturePreparation read_preparation(const fs::path& path, const Json& json) {
  const auto preparation = preparation_of(json);
  if (!preparation) {
    throw Error(fmt::format("{}: 'preparation' is missing or damaged", path.string()));
  }
  return *preparation;
}

/// The entry of a split in result.json.
struct FinishedSplit {
  int number = 0;
  std::int64_t best_epoch = 0;
  std::optional<double> validation_score;  ///< nothing without validation nodes
};

/// None while the run has no result.
std::vector<FinishedSplit> finished_splits(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  std::vector<FinishedSplit> splits;
  for (const Json& json : get<std::vector<Json>>(path, read_json(path), "splits")) {
    FinishedSplit split;
    split.number = get<int>(path, json, "split");
    split.best_epoch = get<std::int64_t>(path, json, "best_epoch");
    for (const char* key : {"val_accuracy", "val_score"}) {  // the second of links
      if (json.contains(key)) split.validation_score = get<double>(path, json, key);
    }
    splits.push_back(split);
  }
  return splits;
}

/// The text before the = of a category; empty for a number.
std::string column_of_category(const std::string& name) {
  const std::size_t end = name.find('=');
  return end == std::string::npos ? "" : name.substr(0, end);
}

/// "X=missing", where X is a number among the names: the table whose X is complete has no such
/// column.
bool marks_missing(const std::string& name, const std::vector<std::string>& names) {
  return name.ends_with(kMissingSuffix) &&
         std::ranges::find(names, column_of_category(name)) != names.end();
}

std::set<std::string> columns_of_categories(const std::vector<std::string>& names) {
  std::set<std::string> columns;
  for (const std::string& name : names) columns.insert(column_of_category(name));
  columns.erase("");
  return columns;
}

/// Classes without names are named by their numbers.
std::vector<std::string> class_names(const std::vector<std::string>& names, std::int64_t count) {
  if (!names.empty()) return names;
  std::vector<std::string> numbers;
  for (std::int64_t c = 0; c < count; ++c) numbers.push_back(fmt::format("{}", c));
  return numbers;
}

}  // namespace

std::vector<float> read_weights(const fs::path& path, const nn::Model& model) {
  const NpzReader npz(path);
  std::vector<float> weights(at(model.num_weights()));
  for (const engine::Weight& weight : model.weights().all()) {
    const Array<float> array = npz.read<float>(weight.name);
    if (array.shape != weight.shape) {
      throw Error(fmt::format("{}: array '{}' has {} elements, expected {}", path.string(),
                              weight.name, array.data.size(), engine::num_numbers(weight.shape)));
    }
    std::ranges::copy(array.data, weights.begin() + weight.offset);
  }
  return weights;
}

PreparedInput input_for(const Run& run, const Dataset& dataset,
                        const FeaturePreparation& preparation, std::shared_ptr<const Halo> halo) {
  check_features(dataset.features);
  const std::vector<std::string>& names = run.feature_names();
  const bool has_names = !names.empty() && !dataset.feature_names.empty();
  const bool is_same = !has_names || dataset.feature_names == names;
  const Features matched = is_same ? Features() : match_features(dataset, names);
  const Features& features = is_same ? dataset.features : matched;
  if (features.num_columns != run.num_features()) {
    throw Error(fmt::format("{}: has {} features, but the model was trained on {}", dataset.name,
                            features.num_columns, run.num_features()));
  }
  return prepare_input(dataset, features, preparation, std::move(halo));
}

Run::Run(fs::path folder, std::string device)
    : folder_(std::move(folder)), device_(std::move(device)) {
  const RunFiles files(folder_);
  if (!files.has_run()) {
    throw Error(
        fmt::format("{}: not a run (no config.toml), expected a folder written by dsnn train --out",
                    folder_.string()));
  }
  const RunConfig config = read_toml(files.config());
  model_ = config.model;
  dataset_ = config.dataset;
  checksum_ = config.checksum;
  config_ = config.config;
  seed_ = config.seed;
  const fs::path path = files.data();
  const Json data = read_json(path);
  if (task() == TaskKind::kNodes) preparation_ = read_preparation(path, data);
  content_ = get<std::string>(path, data, "content");
  num_features_ = get<std::int64_t>(path, data, "num_features");
  num_classes_ = get<std::int64_t>(path, data, "num_classes");
  feature_names_ = get<std::vector<std::string>>(path, data, "feature_names");
  label_names_ = get<std::vector<std::string>>(path, data, "label_names");
  if ((task() == TaskKind::kNodes && preparation_.num_prepared(num_features_) < 1) ||
      num_classes_ < 1 || (!label_names_.empty() && std::ssize(label_names_) != num_classes_) ||
      (!feature_names_.empty() && std::ssize(feature_names_) != num_features_)) {
    throw Error(fmt::format("{}: the numbers of features, classes and names are inconsistent",
                            path.string()));
  }
  splits_ = files.trained_splits();
  if (splits_.empty()) {
    throw Error(fmt::format("{}: contains no trained model yet", folder_.string()));
  }
}

FeaturePreparation Run::preparation(int split) const {
  if (task() == TaskKind::kNodes) return preparation_;
  check_split(split);
  const fs::path path = RunFiles(folder_).preparation(split);
  return read_preparation(path, read_json(path));
}

bool Run::is_finished() const {
  return std::ranges::all_of(splits_, [&](int split) { return best_epoch(split).has_value(); });
}

int Run::best_split() const {
  int best = splits_.front();
  double best_score = -1;
  for (const FinishedSplit& split : finished_splits(RunFiles(folder_).result())) {
    if (split.validation_score.value_or(-1) <= best_score ||
        !std::ranges::binary_search(splits_, split.number)) {
      continue;
    }
    best = split.number;
    best_score = *split.validation_score;
  }
  return best;
}

std::optional<std::int64_t> Run::best_epoch(int split) const {
  for (const FinishedSplit& finished : finished_splits(RunFiles(folder_).result())) {
    if (finished.number == split) return finished.best_epoch;
  }
  return std::nullopt;
}

void Run::check_split(int split) const {
  if (!std::ranges::binary_search(splits_, split)) {
    throw Error(fmt::format("{}: has no model of split {}", folder_.string(), split));
  }
}

void Run::check_splits(const std::vector<int>& splits, const Dataset& dataset) const {
  for (const int split : splits) {
    check_split(split);
    if (split >= std::ssize(dataset.splits)) {
      throw Error(fmt::format("{}: has {} splits, but the run has a split {}", dataset.name,
                              dataset.splits.size(), split));
    }
  }
}

Run::Prepared Run::prepare(const Dataset& dataset, std::shared_ptr<const Halo> halo) const {
  if (task() == TaskKind::kLinks) {
    throw Error(fmt::format("{}: predicts links, not classes of nodes", folder_.string()));
  }
  return {input_for(*this, dataset, preparation_, std::move(halo))};
}

std::vector<float> Run::logits(int split, const Prepared& prepared, const Dataset& dataset,
                               const std::vector<std::string>& names, NetworkParts* parts) const {
  const auto model =
      nn::make_model(model_, config_, {preparation_.num_prepared(num_features_), num_classes_}, 0);
  const std::vector<float> weights = read_weights(RunFiles(folder_).model(split), *model);
  engine::Program program;
  const std::shared_ptr<const Halo>& halo = prepared.input.halo();
  if (halo) program.set_rewriter(part_rewriter(halo));
  const engine::Value result = model->forward(prepared.input, {program});
  program.keep(result);
  for (const std::string& name : names) {
    const engine::Value value = program.marked(name);
    if (value.is_there()) program.keep(value);
  }
  engine::Session<float> session(program, engine::Device::of_word(device_, num_cores()), weights);
  session.forward();
  for (const std::string& name : names) {
    const engine::Value value = program.marked(name);
    if (!value.is_there()) continue;
    const std::span<const float> part = session.numbers(value);
    parts->parts[name] = {value.shape(), {part.begin(), part.end()}};
  }
  const std::span<const float> numbers = session.numbers(result);
  std::vector<float> logits(numbers.size());
  for (std::size_t i = 0; i < numbers.size() / at(num_classes_); ++i) {
    const NodeId node = prepared.node(i);
    if (halo && !halo->owns(node)) continue;
    const auto row = numbers.subspan(i * at(num_classes_), at(num_classes_));
    if (!std::ranges::all_of(row, [](float z) { return std::isfinite(z); })) {
      throw Error(fmt::format("{}: the model of split {} has non-finite outputs for node {}",
                              dataset.name, split, dataset.node_name(node)));
    }
    std::ranges::copy(row, logits.begin() + node * num_classes_);
  }
  return logits;
}

std::vector<float> Run::logits(int split, const Dataset& dataset) const {
  check_split(split);
  return logits(split, prepare(dataset), dataset);
}

std::vector<std::vector<float>> Run::logits(const std::vector<int>& splits,
                                            const Dataset& dataset) const {
  for (const int split : splits) check_split(split);
  const Prepared prepared = prepare(dataset);
  std::vector<std::vector<float>> all;
  for (const int split : splits) all.push_back(logits(split, prepared, dataset));
  return all;
}

NetworkParts Run::parts(int split, const Dataset& dataset,
                        const std::vector<std::string>& names) const {
  check_split(split);
  const Prepared prepared = prepare(dataset);
  NetworkParts parts;
  logits(split, prepared, dataset, names, &parts);
  parts.graph = prepared.input.graph().directed();
  for (NodeId i = 0; i < parts.graph.num_nodes(); ++i) parts.nodes.push_back(prepared.node(at(i)));
  return parts;
}

bool Run::has_other_splits(const Dataset& dataset) const {
  return content_checksum(dataset) == content_ && dsnn::checksum(dataset) != checksum_;
}

std::vector<std::int64_t> Run::labels_of(const Dataset& dataset) const {
  const std::vector<std::string> known = class_names(label_names_, num_classes_);
  std::vector<std::int64_t> class_of;
  for (const std::string& name : class_names(dataset.label_names, dataset.num_classes)) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      throw Error(
          fmt::format("{}: has a class '{}' that is unknown to the model", dataset.name, name));
    }
    class_of.push_back(found - known.begin());
  }
  std::vector<std::int64_t> labels = dataset.labels;
  for (std::int64_t& label : labels) {
    if (label >= 0) label = class_of[at(label)];
  }
  return labels;
}

Scores Run::test_scores(int split, const Dataset& dataset) const {
  return test_scores(std::vector{split}, dataset)[0];
}

std::vector<Scores> Run::test_scores(const std::vector<int>& splits, const Dataset& dataset) const {
  check_labels(dataset);
  check_splits(splits, dataset);
  return test_scores(splits, logits(splits, dataset), dataset);
}

std::vector<Scores> Run::test_scores(const std::vector<int>& splits,
                                     const std::vector<std::vector<float>>& logits,
                                     const Dataset& dataset) const {
  check_labels(dataset);
  check_splits(splits, dataset);
  const std::vector<std::int64_t> labels = labels_of(dataset);
  std::vector<Scores> scores;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const auto& mask = dataset.splits[at(splits[i])].test;
    std::vector<std::int64_t> nodes;
    for (std::size_t u = 0; u < std::min(mask.size(), labels.size()); ++u) {
      if (mask[u] != 0 && labels[u] >= 0) nodes.push_back(static_cast<std::int64_t>(u));
    }
    if (nodes.empty()) {
      throw Error(fmt::format("{}: split {}: no test nodes with a label", dataset.name, splits[i]));
    }
    scores.push_back(score(logits[i], num_classes_, labels, nodes));
  }
  return scores;
}

Features match_features(const Dataset& dataset, const std::vector<std::string>& names) {
  if (dataset.feature_names == names) return dataset.features;
  std::unordered_map<std::string, std::int32_t> column_of;
  for (std::size_t i = 0; i < names.size(); ++i) {
    column_of.emplace(names[i], static_cast<std::int32_t>(i));
  }
  const std::set<std::string> known = columns_of_categories(names);
  const std::set<std::string> given = columns_of_categories(dataset.feature_names);
  std::vector<std::int32_t> new_column;  // of each column of the dataset; -1: dropped
  std::vector<bool> is_found(names.size(), false);
  for (const std::string& name : dataset.feature_names) {
    const auto found = column_of.find(name);
    const std::string category = column_of_category(name);
    const bool is_known = known.contains(category) || marks_missing(name, names);
    if (found == column_of.end() && !is_known) {
      throw Error(fmt::format("{}: has a feature '{}' that is unknown to the model", dataset.name,
                              category.empty() ? name : category));
    }
    new_column.push_back(found == column_of.end() ? -1 : found->second);
    if (found != column_of.end()) is_found[at(found->second)] = true;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string category = column_of_category(names[i]);
    if (is_found[i] || given.contains(category)) continue;
    if (marks_missing(names[i], dataset.feature_names)) continue;
    throw Error(fmt::format("{}: feature '{}', which the model was trained on, is missing",
                            dataset.name, category.empty() ? names[i] : category));
  }
  const Features from = dataset.features.to_sparse();
  Features to;
  to.num_rows = from.num_rows;
  to.num_columns = std::ssize(names);
  to.offsets.push_back(0);
  for (std::int64_t row = 0; row < from.num_rows; ++row) {
    std::vector<std::pair<std::int32_t, float>> entries;
    for (std::int64_t e = from.offsets[at(row)]; e < from.offsets[at(row + 1)]; ++e) {
      const std::int32_t column = new_column[at(from.columns[at(e)])];
      if (column >= 0) entries.emplace_back(column, from.values[at(e)]);
    }
    std::ranges::sort(entries);
    for (const auto& [column, value] : entries) {
      to.columns.push_back(column);
      to.values.push_back(value);
    }
    to.offsets.push_back(std::ssize(to.values));
  }
  return to;
}

}  // namespace dsnn
