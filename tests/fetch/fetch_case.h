#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/fetch/fetch.h"
#include "dsnn/util/error.h"

#include "fetch/loopback_server.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <openssl/evp.h>
#include <string>
#include <vector>

namespace dsnn::testing {

inline std::string sha256(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

/// A folder, short time limits, and no proxy between the test and the server.
class FetchTest : public ::testing::Test {
 protected:
  using Names = std::vector<std::string>;

  FetchTest() {
    options_.folder = dir_ / "data";
    options_.retries = 2;
    options_.stall = std::chrono::milliseconds(300);
    options_.connect_timeout = std::chrono::milliseconds(2000);
    options_.back_off = std::chrono::milliseconds(10);
  }

  FetchResult fetch(const DatasetEntry& entry, const LoopbackServer& server) {
    options_.mirror = server.url();
    return fetch_dataset(entry, options_);
  }
  std::string error_of(const DatasetEntry& entry, const LoopbackServer& server) {
    return message_of<Error>([&] { fetch(entry, server); });
  }

  /// All files below the folder for datasets, by their paths in it.
  Names files() const {
    Names names;
    std::error_code ignored;
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(options_.folder, ignored)) {
      if (file.is_directory()) continue;
      names.push_back(std::filesystem::relative(file.path(), options_.folder).string());
    }
    std::ranges::sort(names);
    return names;
  }

  void put(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((options_.folder / name).parent_path());
    write_text(options_.folder / name, bytes);
  }

  TempDir dir_;
  FetchOptions options_;
  ScopedEnvironment no_proxy_{"no_proxy", "127.0.0.1"};
  ScopedEnvironment no_mirror_{"DSNN_MIRROR", nullptr};
};

}  // namespace dsnn::testing
