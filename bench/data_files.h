#pragma once

#include <cstdint>
#include <filesystem>

// A random dataset in the formats that dsnn reads: the same nodes, arcs and labels in each. The
// text is written as it is made, so that making it takes no memory worth speaking of.

namespace dsnn::bench {

struct DataSize {
  std::int64_t nodes = 0;
  std::int64_t arcs = 0;
  std::int64_t features = 0;
};

inline constexpr std::int64_t kNumClasses = 5;

enum class Ids { kNumbers, kWords };

/// One archive, as write_dataset() has it, or with its members deflated.
void make_npz(const std::filesystem::path& path, const DataSize& size, bool is_deflated);
/// nodes.csv and edges.csv.
void make_csv(const std::filesystem::path& folder, const DataSize& size, Ids ids);
void make_edge_list(const std::filesystem::path& path, const DataSize& size);
/// Rows of the columns that are 1, `size.features` of 100 times as many.
void make_geom_gcn(const std::filesystem::path& folder, const DataSize& size);
/// All files gzipped.
void make_ogb(const std::filesystem::path& folder, const DataSize& size);

}  // namespace dsnn::bench
