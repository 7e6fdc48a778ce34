#include "dsnn/data/matrix_market.h"

#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"
#include "dsnn/version.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>

namespace dsnn {
namespace {

// Between two reports: a few milliseconds of formatting.
constexpr std::size_t kReportBytes = std::size_t{1} << 20;

// Calls visit(row, column, value) for the non-zero entries of one block row in the lower triangle,
// by row and column. What rounding left in the imaginary part of the diagonal is dropped: there a
// Hermitian matrix is real.
template <class Visit>
void visit_lower_entries(const BlockSparseMatrix& matrix, std::int64_t block_row,
                         const Visit& visit) {
  const std::int64_t d = matrix.block_dim;
  const auto row_offset = [&](std::int64_t i) {
    return matrix.row_offsets[static_cast<std::size_t>(i)];
  };
  for (std::int64_t r = 0; r < d; ++r) {
    const std::int64_t row = block_row * d + r;
    for (std::int64_t b = row_offset(block_row); b < row_offset(block_row + 1); ++b) {
      const std::int64_t first_column = matrix.cols[static_cast<std::size_t>(b)] * d;
      const std::span<const Complex> block = matrix.block(b);
      for (std::int64_t c = 0; c < d && first_column + c <= row; ++c) {
        Complex value = block[static_cast<std::size_t>(r * d + c)];
        if (first_column + c == row) value.imag(0);
        if (value != Complex(0)) visit(row, first_column + c, value);
      }
    }
  }
}

struct Summary {
  std::int64_t num_entries = 0;
  bool is_real = true;
};

Summary summarise(const BlockSparseMatrix& matrix, const std::string& file) {
  Summary summary;
  for (std::int64_t i = 0; i < matrix.num_block_rows(); ++i) {
    visit_lower_entries(matrix, i, [&](std::int64_t row, std::int64_t column, Complex value) {
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
        throw Error(fmt::format("{}: cannot write: entry ({}, {}) of the matrix is not finite",
                                file, row, column));
      }
      ++summary.num_entries;
      if (value.imag() != 0) summary.is_real = false;
    });
  }
  return summary;
}

}  // namespace

void write_matrix_market(const std::filesystem::path& path, const BlockSparseMatrix& hermitian) {
  if (hermitian.num_rows() != hermitian.num_cols()) {
    throw Error(fmt::format("{}: cannot write: the matrix is {} x {}, expected a square matrix",
                            path.string(), hermitian.num_rows(), hermitian.num_cols()));
  }
  const Summary summary = summarise(hermitian, path.string());
  OutputFile file(path);
  fmt::memory_buffer lines;
  fmt::format_to(std::back_inserter(lines),
                 "%%MatrixMarket matrix coordinate {}\n% dsnn {}\n{} {} {}\n",
                 summary.is_real ? "real symmetric" : "complex hermitian", DSNN_VERSION,
                 hermitian.num_rows(), hermitian.num_cols(), summary.num_entries);
  const auto write_entry = [&](std::int64_t row, std::int64_t column, Complex value) {
    // MatrixMarket counts from 1.
    fmt::format_to(std::back_inserter(lines), FMT_COMPILE("{} {} {}"), row + 1, column + 1,
                   value.real());
    if (!summary.is_real)
      fmt::format_to(std::back_inserter(lines), FMT_COMPILE(" {}"), value.imag());
    lines.push_back('\n');
  };
  for (std::int64_t i = 0; i < hermitian.num_block_rows(); ++i) {
    visit_lower_entries(hermitian, i, write_entry);
    if (lines.size() < kReportBytes) continue;
    file.write({lines.data(), lines.size()});
    lines.clear();
    report_progress("writing", i + 1, hermitian.num_block_rows());
  }
  file.write({lines.data(), lines.size()});
  file.commit();
}

}  // namespace dsnn
