#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn::testing {

/// A temporary folder for one test, removed with its contents.
class TempDir {
 public:
  TempDir() {
#ifdef DSNN_TEST_TMP
    const std::filesystem::path parent = DSNN_TEST_TMP;
#else
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
#endif
    std::filesystem::create_directories(parent);
    std::string name = (parent / "dsnn-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// The sorted names of its files, including hidden ones: shows what a failure left behind.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// Writes the bytes and returns the path.
inline std::filesystem::path write_text(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  return path;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// Sets an environment variable for one test; a null pointer removes it.
class ScopedEnvironment {
 public:
  ScopedEnvironment(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = ::getenv(name_.c_str())) {
      had_value_ = true;
      before_ = before;
    }
    set(value);
  }
  ~ScopedEnvironment() { set(had_value_ ? before_.c_str() : nullptr); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_.c_str());
    } else {
      ::setenv(name_.c_str(), value, 1);
    }
  }

  std::string name_, before_;
  bool had_value_ = false;
};

/// The message of the exception of `action`; the test fails unless it throws an `Exception`.
template <class Exception, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// For EXPECT_TRUE: these show the text when they fail.
inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
}

inline ::testing::AssertionResult ends_with(const std::string& text, const std::string& part) {
  if (text.ends_with(part)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not end with '" << part << "'";
}

}  // namespace dsnn::testing
