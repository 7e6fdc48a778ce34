#include "kernels/half_edges.h"

namespace dsnn::kernels {
namespace {

constexpr std::int64_t kWorkPerNode = 4;     // in half-edges
constexpr std::int64_t kWorkPerBlock = 512;  // tens of microseconds: small against a thread's start

}  // namespace

NodeBlocks::NodeBlocks(const HalfEdgeId* row_offsets, std::int64_t num_nodes)
    : row_offsets_(row_offsets), num_nodes_(num_nodes) {
  const std::int64_t work = row_offsets[num_nodes] + kWorkPerNode * num_nodes;
  count_ = (work + kWorkPerBlock - 1) / kWorkPerBlock;
}

// The first node before which there is block * kWorkPerBlock work or more.
std::int64_t NodeBlocks::lower(std::int64_t block) const {
  if (block >= count_) return num_nodes_;
  std::int64_t low = 0;
  std::int64_t high = num_nodes_;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (row_offsets_[middle] + kWorkPerNode * middle < block * kWorkPerBlock) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace dsnn::kernels
