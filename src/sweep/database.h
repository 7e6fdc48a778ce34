#pragma once

#include "util/internal_api.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace dsnn {

/// An SQLite file. Failures are Errors that name the file. Not for several threads at a time.
class DSNN_INTERNAL_API Database {
 public:
  /// Opens the file for reading, or for writing, creating it if it does not exist.
  Database(const std::filesystem::path& path, bool read_only = false);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  using Field = std::variant<std::int64_t, double, std::string>;

  /// A row of a result.
  class Row {
   public:
    explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
    std::int64_t integer(int column) const;
    double number(int column) const;
    std::string text(int column) const;

   private:
    sqlite3_stmt* statement_;
  };

  /// Runs one statement with values for its question marks; `visit` is called for each row.
  void run(const std::string& statement, const std::vector<Field>& values = {},
           const std::function<void(const Row&)>& visit = {});

  /// Runs `work` as an exclusive transaction.
  void transaction(const std::function<void()>& work);

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace dsnn
