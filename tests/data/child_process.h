#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace dsnn::testing {

/// Runs `action`, which returns an AssertionResult, in a child process: for irreversible changes
/// such as limits and request_cancel(). The child's failure message is printed.
template <class Action>
::testing::AssertionResult passes_in_child(const Action& action) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return ::testing::AssertionFailure() << "cannot fork";
  if (child == 0) {
    int code = 1;
    try {
      const ::testing::AssertionResult result = action();
      code = result ? 0 : 1;
      if (!result) std::fprintf(stderr, "in the child: %s\n", result.message());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the child ended with status " << status;
}

}  // namespace dsnn::testing
