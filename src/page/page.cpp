#include "page/page.h"

#include "util/json_text.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string_view>

namespace dsnn {
namespace {

/// Text with some characters replaced.
std::string with_replaced(std::string_view text, const std::map<char, std::string_view>& by) {
  std::string result;
  for (const char c : text) {
    const auto found = by.find(c);
    found == by.end() ? result += c : result += found->second;
  }
  return result;
}

std::string escape_html(std::string_view text) {
  return with_replaced(
      text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

/// JSON for a script element: '<', which could end the element or begin a comment, is escaped; it
/// occurs only in JSON strings.
std::string script_json(const nlohmann::ordered_json& json) {
  return with_replaced(json_text(json), {{'<', "\\u003c"}});
}

/// A page with its {{placeholders}} filled in. Inserted text is not expanded again.
std::string fill(std::string_view page, const std::map<std::string, std::string, std::less<>>& by) {
  std::string result;
  for (;;) {
    const std::size_t begin = page.find("{{");
    result += page.substr(0, begin);
    if (begin == std::string_view::npos) return result;
    const std::size_t end = page.find("}}", begin);
    result += by.find(page.substr(begin + 2, end - begin - 2))->second;
    page.remove_prefix(end + 2);
  }
}

}  // namespace

std::string make_page(const PageFiles& files, const std::string& title,
                      const nlohmann::ordered_json& data) {
  return fill(files.page, {{"title", escape_html(title)},
                           {"style", files.style},
                           {"script", files.script},
                           {"data", script_json(data)}});
}

}  // namespace dsnn
