#include "nn/costs.h"

#include <map>
#include <string>

namespace dsnn::nn {
namespace {

/// Written by 'scripts/model-costs.py', from 'epoch_bench --costs'.
const std::map<std::string, double>& measured_costs() {
  static const std::map<std::string, double> all = {
      // costs
  };
  return all;
}

}  // namespace

void set_measured_cost(ModelEntry& entry) {
  const auto measured = measured_costs().find(entry.name);
  if (measured != measured_costs().end()) entry.relative_cost = measured->second;
}

}  // namespace dsnn::nn
