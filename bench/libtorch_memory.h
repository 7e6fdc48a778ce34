#pragma once

namespace dsnn::bench {

/// From now on large tensors use large pages, and freed memory is kept for the next tensor of the
/// same size. Does nothing except on Linux.
void use_large_pages();

}  // namespace dsnn::bench
