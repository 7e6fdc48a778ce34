#include "train/run_folder.h"

#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/version.h"

#include "train/link_config.h"
#include "train/link_scores.h"
#include "train/origin.h"
#include "train/preparation_json.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

double percent(double share) { return 100 * share; }

Json scores_json(const Scores& scores, const char* prefix) {
  Json json = {{fmt::format("{}_accuracy", prefix), percent(scores.accuracy)},
               {fmt::format("{}_macro_f1", prefix), percent(scores.macro_f1)},
               {fmt::format("{}_loss", prefix), scores.loss}};
  if (scores.roc_auc) json[fmt::format("{}_roc_auc", prefix)] = percent(*scores.roc_auc);
  if (scores.metric) json[fmt::format("{}_score", prefix)] = percent(*scores.metric);
  if (!scores.ranks) return json;
  for (const auto& [name, share] : named_ranks(*scores.ranks)) {
    json[fmt::format("{}_{}", prefix, name)] = percent(share);
  }
  return json;
}

Json split_json(const SplitResult& result) {
  Json split = {{"split", result.split}};
  const bool has_scores = result.best_epoch > 0;
  if (has_scores && result.num_test > 0) split.update(scores_json(result.test, "test"));
  if (has_scores && result.num_validation > 0) {
    split.update(scores_json(result.validation, "val"));
  }
  split["best_epoch"] = result.best_epoch;
  split["epochs"] = result.epochs;
  split["seconds"] = result.seconds;
  if (!result.failure.empty()) split["failure"] = result.failure;
  return split;
}

/// These splits and those that are only in an earlier result.json, by number. A damaged file counts
/// as empty.
Json merged_splits(const Json& splits, const std::string& earlier) {
  std::map<int, Json> by_number;
  try {
    const Json json = parse_json(earlier);
    for (const Json& split : json.at("splits")) {
      by_number[split.at("split").get<int>()] = split;
    }
  } catch (const Json::exception&) {
    by_number.clear();
  }
  for (const Json& split : splits) by_number[split["split"].get<int>()] = split;
  Json merged = Json::array();
  for (const auto& [number, split] : by_number) merged.push_back(split);
  return merged;
}

/// The arithmetic of all splits. `earlier` is the result that `num_taken` of them come from.
Arithmetic arithmetic_of(const TrainResult& result, const std::string& earlier,
                         std::size_t num_taken) {
  std::optional<Arithmetic> all;
  const auto add = [&](const Arithmetic& each) { all = all ? all->joined_with(each) : each; };
  for (const SplitResult& split : result.splits) add(split.arithmetic);
  if (num_taken > 0) add(read_arithmetic(earlier));
  return all.value_or(Arithmetic());
}

/// Mean and sample standard deviation over the splits, if all have this value.
void add_mean(Json& json, const Json& splits, const std::string& name) {
  std::vector<double> values;
  for (const Json& split : splits) {
    if (!split.contains(name)) return;
    values.push_back(split[name].is_number() ? split[name].get<double>() : std::nan(""));
  }
  if (values.empty()) return;
  const auto [mean, deviation] = mean_and_deviation(values);
  json[name + "_mean"] = mean;
  json[name + "_std"] = deviation;
}

/// ",val_score,val_auc,...": the columns that only links have; rankings of one of three classes are
/// empty.
std::string link_columns() {
  std::string text;
  for (const char* part : {"val", "test"}) {
    text += fmt::format(",{0}_score,{0}_auc", part);
    for (const auto& [name, share] : named_ranks({})) text += fmt::format(",{}_{}", part, name);
  }
  return text;
}

std::string link_values(const Scores& scores) {
  std::string text = fmt::format(",{}", percent(scores.value()));
  text += scores.ranks ? fmt::format(",{}", percent(scores.ranks->roc_auc)) : ",";
  for (const auto& [name, share] : named_ranks(scores.ranks.value_or(RankScores()))) {
    text += scores.ranks ? fmt::format(",{}", percent(share)) : ",";
  }
  return text;
}

std::string metrics_csv(const std::vector<EpochRecord>& records) {
  std::string text =
      "epoch,step_loss,train_loss,train_accuracy,val_loss,val_accuracy,val_macro_f1,test_loss,"
      "test_accuracy,test_macro_f1\n";
  const bool is_of_links = !records.empty() && records.front().validation.metric.has_value();
  if (is_of_links) {
    text.pop_back();
    text += link_columns() + "\n";
  }
  for (const EpochRecord& r : records) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}", r.epoch, r.train_loss, r.train.loss,
                        percent(r.train.accuracy), r.validation.loss,
                        percent(r.validation.accuracy), percent(r.validation.macro_f1), r.test.loss,
                        percent(r.test.accuracy), percent(r.test.macro_f1));
    if (is_of_links) text += link_values(r.validation) + link_values(r.test);
    text += "\n";
  }
  return text;
}

}  // namespace

RunFolder::RunFolder(fs::path path, const RunConfig& config, bool resume)
    : files_(std::move(path)), config_(config) {
  const std::string name = files_.folder().string();
  std::error_code error;
  fs::create_directories(files_.folder(), error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", name, error.message()));
  lock_.emplace(files_.folder());
  if (!lock_->try_lock()) {
    throw FolderInUse(fmt::format("{}: another process is training into this folder", name));
  }
  if (!files_.has_run()) {
    write_file(files_.config(), write_toml(config_));
    return;
  }
  if (!resume) {
    throw Error(fmt::format(
        "{}: contains a run already; continue it with --resume, or choose another folder", name));
  }
  if (read_toml(files_.config()).fingerprint() != config_.fingerprint()) {
    throw Error(
        fmt::format("{}: contains another run (different data, model, parameters or seed); choose "
                    "another folder",
                    name));
  }
}

FeaturePreparation RunFolder::preparation(const Dataset& dataset,
                                          const FeaturePreparation& fitted) const {
  std::ifstream file(files_.data(), std::ios::binary);
  const Json json = file ? parse_json(file) : Json();
  const auto kept = json.is_object() ? preparation_of(json) : std::nullopt;
  if (!kept || *kept == fitted) return fitted;
  if (!json.contains("preparation")) {
    const FeatureScale scale = kept->smallest ? FeatureScale::kRows : FeatureScale::kNone;
    return FeaturePreparation::fit(dataset, scale, DegreeColumns::kNo);
  }
  // With 'auto' the preparation depends on the dataset's name, which may have changed.
  throw Error(fmt::format("{}: was started with other feature preparation ({}); now: {}",
                          files_.folder().string(), kept->description(dataset.feature_names),
                          fitted.description(dataset.feature_names)));
}

void RunFolder::write_data(const Dataset& dataset, const FeaturePreparation& preparation,
                           const std::string& content) const {
  const Json json = {
      {"num_features", dataset.features.num_columns}, {"num_classes", dataset.num_classes},
      {"preparation", to_json(preparation)},          {"content", content},
      {"label_names", dataset.label_names},           {"feature_names", dataset.feature_names}};
  write_file(files_.data(), json_text(json, 2) + "\n");
}

void RunFolder::write_link_data(const Dataset& dataset) const {
  const Json json = {{"num_features", dataset.features.num_columns},
                     {"num_classes", num_classes(link_question(config_.config))},
                     {"content", content_checksum(dataset)},
                     {"label_names", Json::array()},
                     {"feature_names", dataset.feature_names}};
  write_file(files_.data(), json_text(json, 2) + "\n");
}

void RunFolder::make_folder(int split) const {
  const fs::path folder = files_.split(split);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
}

void RunFolder::write_preparation(int split, const FeaturePreparation& preparation) const {
  make_folder(split);
  const Json json = {{"preparation", to_json(preparation)}};
  write_file(files_.preparation(split), json_text(json, 2) + "\n");
}

void RunFolder::write_split(const SplitTrainer& trainer) const {
  const int split = trainer.result().split;
  make_folder(split);
  write_file(files_.metrics(split), metrics_csv(trainer.records()));
  if (trainer.result().best_epoch == 0) return;
  NpzWriter npz(files_.model(split));
  for (const engine::Weight& weight : trainer.model().weights().all()) {
    npz.add<float>(weight.name, weight.shape, trainer.best_weights(weight));
  }
  npz.commit(/*can_be_cancelled=*/false);
}

void RunFolder::write_result(const TrainResult& result) const {
  const fs::path path = files_.result();
  std::ifstream file(path, std::ios::binary);
  const std::string earlier{std::istreambuf_iterator<char>(file), {}};
  write_file(path, result_json(result, earlier) + "\n");
}

Arithmetic read_arithmetic(const std::string& result) {
  const Json json = Json::parse(result, nullptr, false);
  Arithmetic arithmetic;
  if (!json.is_object()) return arithmetic;
  const auto version = json.find("arithmetic"), set = json.find("rounding");
  if (version != json.end() && version->is_number_integer()) {
    arithmetic.version = version->get<int>();
  }
  if (set != json.end() && set->is_string()) arithmetic.rounding = set->get<std::string>();
  return arithmetic;
}

std::string result_json(const TrainResult& result, const std::string& earlier) {
  const RunConfig& config = result.config;
  Json json = {{"model", config.model}, {"dataset", config.dataset}};
  if (task_of(config.config) == TaskKind::kLinks) {
    json["task"] = "links";
    json["metric"] = link_metric(config.config);
  }
  Json splits = Json::array();
  for (const SplitResult& split : result.splits) splits.push_back(split_json(split));
  if (!earlier.empty()) splits = merged_splits(splits, earlier);
  const Arithmetic arithmetic =
      arithmetic_of(result, earlier, splits.size() - result.splits.size());
  for (const char* name : {"test_accuracy", "val_accuracy", "test_macro_f1", "val_macro_f1",
                           "test_roc_auc", "val_roc_auc", "test_score", "val_score", "test_ap",
                           "val_ap", "test_mrr", "val_mrr", "test_hits@20", "val_hits@20",
                           "test_hits@50", "val_hits@50", "test_hits@100", "val_hits@100"}) {
    add_mean(json, splits, name);
  }
  json["splits"] = splits;
  json["version"] = DSNN_VERSION;
  json["commit"] = source_commit();
  json["processor"] = processor_name();
  json["arithmetic"] = arithmetic.version;
  json["rounding"] = arithmetic.rounding;
  json["seed"] = config.seed;
  json["checksum"] = config.checksum;
  for (const Parameter& parameter : config.config.parameters()) {
    const ParameterValue& value = config.config.value(parameter.name);
    std::visit([&](const auto& v) { json["parameters"][parameter.name] = v; }, value);
  }
  return json_text(json, 2);
}

}  // namespace dsnn
