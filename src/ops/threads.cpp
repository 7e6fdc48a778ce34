#include "dsnn/ops/threads.h"

#include "dsnn/util/error.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>
#include <fmt/format.h>

namespace dsnn::ops {

void set_num_threads_of_caller(int count) {
  if (count < 1) throw Error(fmt::format("threads: {} asked for, expected 1 or more", count));
  at::set_num_threads(count);
}

void set_num_threads(int count) {
  set_num_threads_of_caller(count);
  // Not linked: LibTorch may use another library.
  using Setter = void (*)(int);
  if (const auto set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set(count);
  }
}

}  // namespace dsnn::ops
