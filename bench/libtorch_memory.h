#pragma once

namespace dsnn::bench {

/// From now on large tensors lie in large pages, and freed ones wait for the next tensor of their
/// size. Elsewhere than on Linux it does nothing.
void use_large_pages();

}  // namespace dsnn::bench
