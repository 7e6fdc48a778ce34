// One layer of a directed sheaf network on a small ring, and a step down its gradient.
#include <torch/torch.h>

#include <cstdio>
#include <dsnn/ops/sheaf_diffusion.h>
#include <dsnn/ops/sheaf_maps.h>
#include <dsnn/ops/stalk_update.h>
#include <dsnn/ops/threads.h>
#include <vector>

int main() {
  dsnn::ops::set_num_threads(2);
  torch::manual_seed(1);
  constexpr int kNodes = 12;
  constexpr int kDim = 3;
  constexpr int kChannels = 8;
  std::vector<dsnn::Arc> arcs;
  for (int u = 0; u < kNodes; ++u) arcs.push_back({u, (u + 1) % kNodes});
  const dsnn::ops::Graph graph(dsnn::DirectedGraph::from_arcs(kNodes, arcs));

  const torch::Tensor x = torch::randn({2, kNodes, kDim, kChannels});
  torch::Tensor left = torch::randn({kNodes, kDim * kDim}).requires_grad_();
  torch::Tensor right = torch::randn({kNodes, kDim * kDim}).requires_grad_();
  torch::Tensor charge = torch::tensor(0.25f).requires_grad_();
  const torch::Tensor eps = torch::zeros({kDim});

  // How much the layer's output differs between neighbours, which learning the sheaf can reduce.
  const auto energy = [&] {
    const torch::Tensor maps = dsnn::ops::sheaf_maps(left, right, graph, dsnn::MapActivation::kTanh)
                                   .view({-1, kDim, kDim});
    const torch::Tensor y =
        dsnn::ops::sheaf_diffusion(x, maps, {}, charge, graph, {dsnn::MapFamily::kGeneral});
    return dsnn::ops::stalk_update(x, y, eps, dsnn::StalkActivation::kIdentity).square().mean();
  };
  torch::optim::Adam adam(std::vector<torch::Tensor>{left, right, charge}, 0.05);
  const float before = energy().item<float>();
  for (int step = 0; step < 50; ++step) {
    adam.zero_grad();
    energy().backward();
    adam.step();
  }
  const float after = energy().item<float>();
  std::printf("energy %.3f before, %.3f after 50 steps: %s\n", before, after,
              after < before ? "smaller" : "not smaller");
  return after < before ? 0 : 1;
}
