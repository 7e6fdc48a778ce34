#pragma once

#include <cstdint>
#include <filesystem>

// A random dataset in the formats that dsnn reads: the same nodes, arcs and labels in each. The
// text is written while it is generated, so that this needs little memory.

namespace dsnn::bench {

struct DataSize {
  std::int64_t nodes = 0;
  std::int64_t arcs = 0;
  std::int64_t features = 0;
};

inline constexpr std::int64_t kNumClasses = 5;

enum class Ids { kNumbers, kWords };

/// One archive, as by write_dataset(), or with deflated members.
void make_npz(const std::filesystem::path& path, const DataSize& size, bool is_deflated);
/// nodes.csv and edges.csv.
void make_csv(const std::filesystem::path& folder, const DataSize& size, Ids ids);
void make_edge_list(const std::filesystem::path& path, const DataSize& size);
/// Rows of the columns that are 1, `size.features` of 100 times as many.
void make_geom_gcn(const std::filesystem::path& folder, const DataSize& size);
/// All files gzipped.
void make_ogb(const std::filesystem::path& folder, const DataSize& size);

}  // namespace dsnn::bench
