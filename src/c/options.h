#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn::c {

/// The options of a call: one JSON object. The reader gets each option by its name, then calls
/// done(), which throws Error for names that were not read.
class Options {
 public:
  /// `where` begins all messages; null text or "" means no options.
  Options(const char* text, std::string where);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  bool has(const char* name);
  bool flag(const char* name, bool fallback);
  std::int64_t integer(const char* name, std::int64_t fallback, std::int64_t least,
                       std::int64_t most);
  double number(const char* name, double fallback);
  std::string text(const char* name, const std::string& fallback);
  std::vector<std::int64_t> integers(const char* name);
  std::vector<std::string> texts(const char* name);
  /// Members of an object as "name=value", for Config::set_text.
  std::vector<std::string> assignments(const char* name);

  void done() const;

 private:
  const nlohmann::ordered_json* find(const char* name);
  [[noreturn]] void fail(const char* name, const nlohmann::ordered_json& got,
                         std::string_view expected) const;

  std::string where_;
  std::unique_ptr<nlohmann::ordered_json> json_;
  std::vector<std::string> known_;
};

}  // namespace dsnn::c
