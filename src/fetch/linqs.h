#pragma once

#include "dsnn/data/dataset.h"

#include <filesystem>
#include <string>

namespace dsnn {

/// Reads a citation graph from an archive of the LINQS group: `<stem>.content` and `<stem>.cites`
/// for cora and citeseer, the two `.tab` files for pubmed. Nodes are in the order of the file, arcs
/// run from the citing paper to the cited one, classes are sorted by name, and ten splits are drawn
/// by numpy_stratified_splits(). Links to missing papers are dropped and noted.
Dataset read_linqs(const std::filesystem::path& archive, const std::string& name);

}  // namespace dsnn
