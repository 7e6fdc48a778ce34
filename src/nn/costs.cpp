#include "nn/costs.h"

#include <map>
#include <string>

namespace dsnn::nn {
namespace {

/// Written by 'scripts/model-costs.py', from 'epoch_bench --costs'.
const std::map<std::string, double>& measured_costs() {
  static const std::map<std::string, double> all = {
      {"diag-dsnn", 19},      {"orth-dsnn", 13},      {"gen-dsnn", 23},
      {"diag-nsd", 6.1},      {"orth-nsd", 8.4},      {"gen-nsd", 9.6},
      {"diag-nsd-compl", 11}, {"orth-nsd-compl", 15}, {"gen-nsd-compl", 27},
      {"sheafan", 26},        {"sheafan-phase", 47},  {"nlsd", 17},
      {"nlsd-phase", 33},     {"mlp", 4.7},           {"gcn", 1},
      {"gat", 4.1},           {"sage", 18},           {"sgc", 0.7},
      {"gcnii", 3.2},         {"mixhop", 8.8},        {"geomgcn", 2.7},
      {"h2gcn", 5.9},         {"fagcn", 3.5},         {"gprgnn", 1.8},
      {"ggcn", 2.1},          {"magnet", 10},         {"sigmanet", 8.2},
      {"dirgnn", 13},         {"gatedgcn", 33},       {"dgcn", 7.4},
      {"digcn", 3.1},         {"sheafnn", 2.6},
  };
  return all;
}

}  // namespace

void set_measured_cost(ModelEntry& entry) {
  const auto measured = measured_costs().find(entry.name);
  if (measured != measured_costs().end()) entry.relative_cost = measured->second;
}

}  // namespace dsnn::nn
