#include "data/dates.h"

#include <chrono>

namespace dsnn {
namespace {

/// Takes pieces off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// Exactly this number of digits.
  std::optional<int> digits(std::size_t count) {
    if (text_.size() < count) return std::nullopt;
    int number = 0;
    for (const char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = 10 * number + (c - '0');
    }
    text_.remove_prefix(count);
    return number;
  }
  /// The digits of a fraction; 0 if there are none.
  double fraction() {
    double number = 0, place = 1;
    while (const std::optional<int> digit = digits(1)) number += *digit * (place /= 10);
    return number;
  }

 private:
  std::string_view text_;
};

/// "13:45", "13:45:59" or "13:45:59.5", with or without a final Z, as a part of a day.
std::optional<double> parse_time(Scanner& scanner) {
  const std::optional<int> hour = scanner.digits(2);
  if (!hour || !scanner.take(':')) return std::nullopt;
  const std::optional<int> minute = scanner.digits(2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  double seconds = 0;
  if (scanner.take(':')) {
    const std::optional<int> second = scanner.digits(2);
    if (!second || *second > 60) return std::nullopt;  // 60: a leap second
    seconds = *second;
    if (scanner.take('.')) seconds += scanner.fraction();
  }
  scanner.take('Z');
  return (60 * (60 * *hour + *minute) + seconds) / 86400;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  Scanner scanner(text);
  const std::optional<int> year = scanner.digits(4);
  if (!year || !scanner.take('-')) return std::nullopt;
  const std::optional<int> month = scanner.digits(2);
  if (!month || !scanner.take('-')) return std::nullopt;
  const std::optional<int> day = scanner.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
  if (scanner.is_at_end()) return days;
  if (!scanner.take('T') && !scanner.take(' ')) return std::nullopt;
  const std::optional<double> time = parse_time(scanner);
  if (!time || !scanner.is_at_end()) return std::nullopt;
  return days + *time;
}

}  // namespace dsnn
