#pragma once

#include "dsnn/util/error.h"

#include <gtest/gtest.h>

#include <string>

namespace dsnn::testing {

/// The call throws an Error with exactly this sentence.
template <class Call>
void expect_error(const Call& call, const std::string& sentence) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << sentence;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

}  // namespace dsnn::testing
