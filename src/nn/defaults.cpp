#include "nn/defaults.h"

#include "dsnn/config/config.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string>

namespace dsnn::nn {
namespace {

/// Written by 'scripts/choose-defaults.py choose --write', from the scores in results/defaults. A
/// model's own file has the values of its paper; these replace them.
const std::map<std::string, std::string>& chosen_defaults() {
  static const std::map<std::string, std::string> all = {
      {"mlp", "channels=128 dropout=0.4 layers=3 lr=0.003 weight_decay=5e-05"},
      {"gcn", "channels=32 dropout=0.2 layers=2 lr=0.1 weight_decay=5e-05"},
      {"gat",
       "attention_dropout=0.3 channels=16 dropout=0.0 heads=8 layers=2 lr=0.1 weight_decay=0.0"},
      {"sage", "channels=128 dropout=0.2 layers=4 lr=0.01 normalise=true weight_decay=0.0"},
      {"sgc", "dropout=0.2 hops=2 lr=0.1 weight_decay=0.0"},
      {"gcnii",
       "alpha=0.1 channels=64 dropout=0.2 lambda=1.0 layers=2 lr=0.01 weight_decay=0.0005"},
      {"mixhop", "channels=32 dropout=0.2 hops=2 layers=4 lr=0.01 weight_decay=5e-05"},
      {"geomgcn", "channels=32 dropout=0.2 layers=2 lr=0.1 weight_decay=5e-05"},
      {"fagcn", "channels=64 dropout=0.2 epsilon=0.3 layers=4 lr=0.03 weight_decay=5e-05"},
      {"gprgnn",
       "alpha=0.2 channels=128 dprate=0.0 dropout=0.2 hops=2 layers=2 lr=0.1 weight_decay=0.0005"},
      {"magnet",
       "channels=32 dropout=0.2 imag_init=copy layers=4 lr=0.01 order=3 q=0.05 weight_decay=5e-05"},
      {"sigmanet",
       "channels=64 dropout=0.2 imag_init=copy layers=4 lr=0.03 self_loops=true "
       "weight_decay=5e-05"},
      {"dirgnn",
       "alpha=0.2 channels=64 conv=sage dropout=0.6 jk=cat layers=4 lr=0.01 normalise=true "
       "weight_decay=5e-05"},
      {"diag-dsnn",
       "activation=none channels=32 diagonal=drop dropout=0.0 high_pass=true imag_init=copy "
       "input_act=relu input_dropout=0.4 layers=4 low_pass=false lr=0.01 q=0.05 sheaf_act=elu "
       "stalk_dim=2 weight_decay=0.005"},
      {"orth-dsnn",
       "activation=none channels=16 diagonal=drop dropout=0.0 high_pass=false imag_init=zero "
       "input_act=relu input_dropout=0.2 layers=3 low_pass=true lr=0.01 q=0.1 sheaf_act=elu "
       "stalk_dim=3 weight_decay=5e-05"},
      {"gen-dsnn",
       "activation=none channels=32 diagonal=drop dropout=0.0 high_pass=true imag_init=copy "
       "input_act=relu input_dropout=0.4 layers=4 low_pass=false lr=0.01 q=0.05 sheaf_act=elu "
       "stalk_dim=2 weight_decay=0.005"},
  };
  return all;
}

}  // namespace

void set_chosen_defaults(ModelEntry& entry) {
  const auto chosen = chosen_defaults().find(entry.name);
  if (chosen == chosen_defaults().end()) return;
  std::istringstream settings(chosen->second);
  for (std::string setting; settings >> setting;) {
    const std::string name = setting.substr(0, setting.find('='));
    const auto own = std::ranges::find(entry.parameters, name, &Parameter::name);
    if (own != entry.parameters.end()) {
      Config config({*own});
      config.set_text(setting);
      own->default_value = config.value(name);
      continue;
    }
    double value = 0;  // the parameters of training that are searched are numbers
    std::from_chars(setting.data() + name.size() + 1, setting.data() + setting.size(), value);
    std::erase_if(entry.training_defaults, [&](const auto& known) { return known.first == name; });
    entry.training_defaults.emplace_back(name, value);
  }
}

}  // namespace dsnn::nn
