#include "fit/link_candidates.h"

#include "dsnn/util/random.h"

#include "fit/candidates.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dsnn {
namespace {

/// The first trials: kinds of encoders, each with a decoder that suits it.
struct Start {
  const char* model;
  const char* decoder;
};
constexpr Start kStarts[] = {{"diag-dsnn", "mlp"}, {"dirgnn", "dual"},    {"gcn", "mlp"},
                             {"magnet", "mlp"},    {"sage", "dual"},      {"diag-dsnn", "bilinear"},
                             {"mlp", "mlp"},       {"gprgnn", "dual"},    {"orth-dsnn", "dual"},
                             {"gat", "mlp"},       {"magnet", "bilinear"}};

bool has(const Config& config, const std::string& name) {
  return std::ranges::find(config.parameters(), name, &Parameter::name) !=
         config.parameters().end();
}

/// Sets a parameter to one of some values, if the model has it.
void vary(Config& config, const char* name, const std::vector<ParameterValue>& values,
          Random& random) {
  const ParameterValue& value = values[random.below(values.size())];
  if (has(config, name)) config.set(name, value);
}

/// "layers=3" for those that have this parameter.
void set_all(Config& config, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    if (has(config, setting.substr(0, setting.find('=')))) config.set_text(setting);
  }
}

}  // namespace

FitTrial make_link_candidate(std::int64_t number, const FitOptions& options) {
  using I = std::int64_t;
  FitTrial trial;
  trial.number = number;
  Random random(options.seed * 1'000'003 + static_cast<std::uint64_t>(number));
  const bool is_first = number < std::ssize(kStarts);
  const Start& start = kStarts[is_first ? at(number) : random.below(std::size(kStarts))];
  trial.model = start.model;
  trial.config = default_config(trial.model, TaskKind::kLinks);
  trial.config.set("decoder", std::string(start.decoder));
  if (!is_first) {
    vary(trial.config, "decoder",
         {std::string("inner"), std::string("bilinear"), std::string("dual"), std::string("mlp")},
         random);
    vary(trial.config, "lr", {0.003, 0.01, 0.03}, random);
    vary(trial.config, "weight_decay", {0.0, 1e-4, 1e-3}, random);
    vary(trial.config, "layers", {I{1}, I{2}, I{3}}, random);
    vary(trial.config, "dropout", {0.0, 0.3, 0.6}, random);
    vary(trial.config, "decoder_channels", {I{32}, I{64}, I{128}}, random);
    vary(trial.config, "decoder_dropout", {0.0, 0.3}, random);
  }
  set_all(trial.config, options.settings);
  trial.config.set("epochs", kFitEpochs);
  trial.config.set("patience", kFitPatience);
  trial.seed = options.seed + static_cast<std::uint64_t>(number);
  trial.changes = fmt::format("decoder={} lr={} {}", trial.config.word("decoder"),
                              trial.config.number("lr"), is_first ? "defaults" : "drawn");
  return trial;
}

void check_link_settings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::string name = setting.substr(0, setting.find('='));
    const bool is_known = std::ranges::any_of(kStarts, [&](const Start& start) {
      return has(default_config(start.model, TaskKind::kLinks), name);
    });
    if (!is_known) default_config(kStarts[0].model, TaskKind::kLinks).set_text(setting);
  }
}

}  // namespace dsnn
