#include "nn/costs.h"

#include <map>
#include <string>

namespace dsnn::nn {
namespace {

/// Written by 'scripts/model-costs.py', from 'epoch_bench --costs'.
const std::map<std::string, double>& measured_costs() {
  static const std::map<std::string, double> all = {
      {"diag-dsnn", 21},      {"orth-dsnn", 25},      {"gen-dsnn", 25},
      {"diag-nsd", 6.6},      {"orth-nsd", 8.8},      {"gen-nsd", 11},
      {"diag-nsd-compl", 12}, {"orth-nsd-compl", 16}, {"gen-nsd-compl", 29},
      {"sheafan", 26},        {"sheafan-phase", 46},  {"nlsd", 17},
      {"nlsd-phase", 33},     {"mlp", 4.7},           {"gcn", 1},
      {"gat", 4.3},           {"sage", 18},           {"sgc", 0.71},
      {"gcnii", 3.3},         {"mixhop", 9.5},        {"geomgcn", 3.2},
      {"h2gcn", 7.2},         {"fagcn", 3.5},         {"gprgnn", 1.8},
      {"ggcn", 2.1},          {"magnet", 10},         {"sigmanet", 7.9},
      {"dirgnn", 13},         {"gatedgcn", 33},       {"dgcn", 7.1},
      {"digcn", 3.2},         {"sheafnn", 2.6},
  };
  return all;
}

}  // namespace

void set_measured_cost(ModelEntry& entry) {
  const auto measured = measured_costs().find(entry.name);
  if (measured != measured_costs().end()) entry.relative_cost = measured->second;
}

}  // namespace dsnn::nn
