#pragma once

#include "dsnn/data/dataset.h"

#include "util/internal_api.h"

#include <map>
#include <string>
#include <vector>

namespace dsnn {

/// The files of a citation graph in an archive of the LINQS group: `<stem>.content` and
/// `<stem>.cites` for cora and citeseer, two `.tab` files for pubmed.
DSNN_INTERNAL_API std::vector<std::string> linqs_files(const std::string& name);

/// Reads the graph from the text of these files, by their names; `where` stands for the archive in
/// errors. Nodes are in the order of the file,
/// arcs run from the citing paper to the cited one, classes are sorted by name, and ten splits are
/// made by numpy_stratified_splits(). Links to papers that are not there are dropped and noted.
DSNN_INTERNAL_API Dataset read_linqs(const std::map<std::string, std::string>& files,
                                     const std::string& where, const std::string& name);

}  // namespace dsnn
