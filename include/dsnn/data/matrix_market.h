#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/block_sparse.h"

#include <filesystem>

namespace dsnn {

/// Writes a Hermitian matrix in MatrixMarket coordinate format, lower triangle, entries that are
/// exactly zero left out, every number with as many digits as it takes to read the same double
/// back. The header says `complex hermitian`, or `real symmetric` when every imaginary part is
/// zero. The file appears under its name only when it is complete.
DSNN_API void write_matrix_market(const std::filesystem::path& path,
                                  const BlockSparseMatrix& hermitian);

}  // namespace dsnn
