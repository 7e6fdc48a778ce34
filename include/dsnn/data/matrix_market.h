#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/block_sparse.h"

#include <filesystem>

namespace dsnn {

/// Writes a Hermitian matrix in MatrixMarket coordinate format: the lower triangle without entries
/// that are exactly zero, with enough digits to read back the same doubles. The header is `complex
/// hermitian`, or `real symmetric` if all imaginary parts are zero. The file appears under its name
/// only when it is complete.
DSNN_API void write_matrix_market(const std::filesystem::path& path,
                                  const BlockSparseMatrix& hermitian);

}  // namespace dsnn
