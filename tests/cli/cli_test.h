#pragma once

#include "dsnn/data/npz.h"

#include "cli/process.h"
#include "support/test_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace dsnn::testing {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;  // slow, greedy for address space, and first to be loaded
#else
constexpr bool kIsSanitized = false;
#endif

using Words = std::vector<std::string>;
using Json = nlohmann::json;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Without progress lines such as 'dsnn: writing 3 %, 8 s', which occur on a busy machine.
inline Outcome without_progress(Outcome outcome) {
  std::string kept;
  for (const std::string& line : lines_of(outcome.err)) {
    const bool has_time = line.ends_with(" s") || line.ends_with(" min") || line.ends_with(" left");
    const bool is_of_sweep = line.find(" trainings, ") != std::string::npos;
    if (!has_time && !is_of_sweep) kept += line + '\n';
  }
  outcome.err = kept;
  return outcome;
}

/// Success, without output on stderr.
inline ::testing::AssertionResult succeeded(const Outcome& outcome) {
  if (outcome.code == 0 && without_progress(outcome).err.empty()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "code " << outcome.code << ": " << outcome.err;
}

/// The expected failure: a non-zero exit code, nothing on stdout, and one line on stderr that
/// contains all of `parts`.
inline ::testing::AssertionResult failed_with(const Outcome& outcome, const Words& parts) {
  const auto complain = [&](const std::string& what) {
    return ::testing::AssertionFailure()
           << what << "\ncode " << outcome.code << "\nstdout: " << outcome.out
           << "\nstderr: " << outcome.err;
  };
  if (outcome.code <= 0) return complain("expected an error");
  if (!outcome.out.empty()) return complain("expected nothing on stdout");
  if (!outcome.err.starts_with("dsnn: ")) return complain("expected 'dsnn: ' first");
  if (std::count(outcome.err.begin(), outcome.err.end(), '\n') != 1 ||
      !outcome.err.ends_with('\n')) {
    return complain("expected one line");
  }
  if (!std::all_of(outcome.err.begin(), outcome.err.end() - 1,
                   [](char c) { return c < 0 || c >= ' '; })) {
    return complain("expected no control characters");
  }
  for (const std::string& part : parts) {
    if (outcome.err.find(part) == std::string::npos) return complain("lacks '" + part + "'");
  }
  return ::testing::AssertionSuccess();
}

/// Each test has its own folder.
class CliTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((dir_ / name).parent_path());
    return write_text(dir_ / name, bytes).string();
  }
  std::string read(const std::string& name) const { return read_text(dir_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(dir_ / name); }

  /// An .npz with `edges`, and more arrays by `add`.
  template <class Add>
  std::string write_graph(const std::string& name, const std::vector<std::int64_t>& edges,
                          const Add& add) const {
    NpzWriter writer(dir_ / name);
    writer.add<std::int64_t>("edges", {static_cast<std::int64_t>(edges.size() / 2), 2}, edges);
    add(writer);
    writer.commit();
    return path(name);
  }
  std::string write_graph(const std::string& name, const std::vector<std::int64_t>& edges) const {
    return write_graph(name, edges, [](NpzWriter&) {});
  }

  /// An .npz that is accepted as the dataset texas: it has the same sizes.
  std::string write_texas(const std::string& name) const {
    constexpr std::int64_t kNodes = 183, kArcs = 309, kClasses = 5, kFeatures = 1703;
    std::vector<std::int64_t> edges, labels;
    for (std::int64_t i = 0; i < kArcs; ++i) {
      edges.push_back(i % kNodes);
      edges.push_back((i + 1 + i / kNodes) % kNodes);
    }
    for (std::int64_t u = 0; u < kNodes; ++u) labels.push_back(u % kClasses);
    const std::vector<float> features(kNodes * kFeatures, 0);
    std::filesystem::create_directories((dir_ / name).parent_path());
    return write_graph(name, edges, [&](NpzWriter& writer) {
      writer.add<std::int64_t>("node_labels", {kNodes}, labels);
      writer.add<float>("node_features", {kNodes, kFeatures}, features);
    });
  }

  /// An .npz with one array.
  template <class T>
  std::string write_array(const std::string& file, const std::string& name,
                          const std::vector<std::int64_t>& shape,
                          const std::vector<T>& data) const {
    NpzWriter writer(dir_ / file);
    writer.add<T>(name, shape, data);
    writer.commit();
    return path(file);
  }

  /// The output of the program with --json.
  static Json json_of(const Words& arguments) {
    const Outcome outcome = run_dsnn(arguments + Words{"--json"});
    EXPECT_TRUE(succeeded(outcome)) << joined(arguments);
    const Json result = Json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(result.is_discarded()) << outcome.out;
    return result;
  }

  TempDir dir_;
};

}  // namespace dsnn::testing
