#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "train/split_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// A checkpoint is an .npz: the weights, Adam's moments, the best weights, and every epoch's scores.
// Everything else follows from the number of epochs.

namespace dsnn {
namespace {

constexpr std::size_t kColumns = 14;
using Row = std::array<double, kColumns>;

// loss, accuracy, macro-F1, ROC-AUC (NaN: none)
void put(const Scores& scores, double* to) {
  to[0] = scores.loss;
  to[1] = scores.accuracy;
  to[2] = scores.macro_f1;
  to[3] = scores.roc_auc.value_or(std::nan(""));
}

Scores take(const double* from) {
  Scores scores;
  scores.loss = from[0];
  scores.accuracy = from[1];
  scores.macro_f1 = from[2];
  if (!std::isnan(from[3])) scores.roc_auc = from[3];
  return scores;
}

Row row_of(const EpochRecord& record) {
  Row row{};
  row[0] = static_cast<double>(record.epoch);
  row[1] = record.train_loss;
  put(record.train, row.data() + 2);
  put(record.validation, row.data() + 6);
  put(record.test, row.data() + 10);
  return row;
}

EpochRecord record_of(const double* row) {
  return {static_cast<std::int64_t>(row[0]), row[1], take(row + 2), take(row + 6), take(row + 10)};
}

// Of links: the metric, ROC-AUC, average precision, MRR and Hits@K of validation and test; NaN:
// none.
constexpr std::size_t kRanks = 7;
using RankRow = std::array<double, 2 * kRanks>;

void put_ranks(const Scores& scores, double* to) {
  to[0] = scores.metric.value_or(std::nan(""));
  std::fill(to + 1, to + kRanks, std::nan(""));
  if (!scores.ranks) return;
  to[1] = scores.ranks->roc_auc;
  to[2] = scores.ranks->average_precision;
  to[3] = scores.ranks->mrr;
  std::ranges::copy(scores.ranks->hits, to + 4);
}

void take_ranks(const double* from, Scores& scores) {
  if (!std::isnan(from[0])) scores.metric = from[0];
  if (std::isnan(from[1])) return;
  scores.ranks = RankScores{from[1], from[2], from[3], {from[4], from[5], from[6]}};
}

/// Missing in older checkpoints.
Arithmetic read_arithmetic(const NpzReader& npz) {
  Arithmetic arithmetic;
  if (!npz.contains("arithmetic") || !npz.contains("rounding")) return arithmetic;
  const Array<std::int64_t> version = npz.read<std::int64_t>("arithmetic");
  const std::vector<std::string> sets = npz.read_strings("rounding");
  if (version.data.size() == 1) arithmetic.version = static_cast<int>(version.data[0]);
  if (sets.size() == 1) arithmetic.rounding = sets[0];
  return arithmetic;
}

}  // namespace

void SplitTrainer::save(const std::filesystem::path& path, const std::string& fingerprint) const {
  NpzWriter npz(path);
  const std::int64_t size = model_->weights().size();
  npz.add<float>("weights", {size}, weights_);
  npz.add<float>("first_moments", {size}, first_moments_);
  npz.add<float>("second_moments", {size}, second_moments_);
  npz.add<float>("best_weights", {size}, best_weights_);
  std::vector<double> rows;
  for (const EpochRecord& record : records_) {
    const Row row = row_of(record);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  npz.add<double>("epochs", {std::ssize(records_), kColumns}, rows);
  std::vector<double> ranks;
  for (const EpochRecord& record : records_) {
    if (!record.validation.metric) continue;
    RankRow row{};
    put_ranks(record.validation, row.data());
    put_ranks(record.test, row.data() + kRanks);
    ranks.insert(ranks.end(), row.begin(), row.end());
  }
  if (!ranks.empty()) npz.add<double>("ranks", {std::ssize(records_), 2 * kRanks}, ranks);
  npz.add<std::int64_t>("best_epoch", {}, std::span(&result_.best_epoch, 1));
  npz.add<double>("seconds", {}, std::span(&result_.seconds, 1));
  const auto version = static_cast<std::int64_t>(result_.arithmetic.version);
  npz.add<std::int64_t>("arithmetic", {}, std::span(&version, 1));
  npz.add_strings("rounding", std::array{result_.arithmetic.rounding});
  const std::array<std::string, 2> texts = {fingerprint, result_.failure};
  npz.add_strings("texts", texts);
  npz.commit(/*can_be_cancelled=*/false);
}

void SplitTrainer::restore(const std::filesystem::path& path, const std::string& fingerprint) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", path.string(), what));
  };
  const NpzReader npz(path);
  const std::vector<std::string> texts = npz.read_strings("texts");
  if (texts.size() != 2) fail("array 'texts' has the wrong length, expected 2");
  if (texts[0] != fingerprint) {
    fail(
        "belongs to another run (different data, model, parameters or seed); choose another "
        "folder");
  }
  const std::int64_t size = model_->weights().size();
  const auto read = [&](const char* name, std::vector<float>& to) {
    const Array<float> array = npz.read<float>(name);
    if (array.shape != std::vector<std::int64_t>{size}) {
      fail(fmt::format("array '{}' has {} elements, expected {}", name, array.data.size(), size));
    }
    std::ranges::copy(array.data, to.begin());  // sessions keep pointers to it
  };
  const Array<double> rows = npz.read<double>("epochs");
  const Array<std::int64_t> best = npz.read<std::int64_t>("best_epoch");
  const Array<double> seconds = npz.read<double>("seconds");
  if (rows.shape.size() != 2 || rows.shape[1] != kColumns || best.data.size() != 1 ||
      seconds.data.size() != 1 || best.data[0] < 0 || best.data[0] > rows.shape[0]) {
    fail("its epochs are inconsistent");
  }
  read("weights", weights_);
  read("first_moments", first_moments_);
  read("second_moments", second_moments_);
  read("best_weights", best_weights_);
  is_evaluated_ = false;
  records_.clear();
  for (std::int64_t i = 0; i < rows.shape[0]; ++i) {
    records_.push_back(record_of(rows.data.data() + static_cast<std::size_t>(i) * kColumns));
  }
  if (npz.contains("ranks")) {
    const Array<double> ranks = npz.read<double>("ranks");
    if (ranks.shape != std::vector<std::int64_t>{rows.shape[0], 2 * kRanks}) {
      fail("its epochs are inconsistent");
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
      take_ranks(ranks.data.data() + 2 * kRanks * i, records_[i].validation);
      take_ranks(ranks.data.data() + 2 * kRanks * i + kRanks, records_[i].test);
    }
  }
  result_.epochs = rows.shape[0];
  result_.best_epoch = best.data[0];
  if (result_.best_epoch > 0) {
    const EpochRecord& record = records_[static_cast<std::size_t>(result_.best_epoch - 1)];
    result_.validation = record.validation;
    result_.test = record.test;
  }
  result_.seconds = seconds.data[0];
  result_.failure = texts[1];
  result_.arithmetic = read_arithmetic(npz);
  if (!is_finished()) {
    result_.arithmetic = result_.arithmetic.joined_with(Arithmetic::of(device_.is_gpu()));
  }
  if (!gpu_) return;
  kernels::EpochState state;
  state.epochs = result_.epochs;
  state.best_epoch = result_.best_epoch;
  state.best_loss = result_.validation.loss;
  state.best_accuracy = result_.validation.accuracy;
  gpu_->upload(arrays(), state);
}

}  // namespace dsnn
