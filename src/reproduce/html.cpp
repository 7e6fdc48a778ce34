#include "reproduce/document.h"

#include <fmt/format.h>

namespace dsnn::reproduce {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d5dae0; --soft: #59636e;
  --agrees: #d9f0e3; --close: #fbeecb; --differs: #f8d9d3; --failed: #e6e2ee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #15181c; --line: #353b43;
  --soft: #9aa5b1; --agrees: #173d2b; --close: #463a12; --differs: #53231b; --failed: #332d42; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; padding: 0 1rem; max-width: 90rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
p { max-width: 60rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.55rem; text-align: left;
  vertical-align: top; white-space: nowrap; }
th { font-weight: 600; }
td:first-child, th:first-child { position: sticky; left: 0; background: var(--paper); }
td span { display: block; } td span + span { color: var(--soft); }
td.agrees { background: var(--agrees); } td.close { background: var(--close); }
td.best span:first-child { font-weight: 700; }
td.second span:first-child { text-decoration: underline; }
td.differs { background: var(--differs); } td.failed { background: var(--failed); }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
)";

/// "1 +- 2" with the sign for it.
std::string words_of(const std::string& text) {
  std::string result = escaped(text);
  for (std::size_t at = 0; (at = result.find("+-", at)) != std::string::npos;) {
    result.replace(at, 2, "&#177;");
  }
  return result;
}

struct HtmlWriter {
  std::string text;

  void operator()(const Document::Heading& heading) {
    text += fmt::format("<h2>{}</h2>\n", words_of(heading.text));
  }
  void operator()(const Document::Paragraph& paragraph) {
    text += fmt::format("<p>{}</p>\n", words_of(paragraph.text));
  }
  void operator()(const Document::Figure& figure) {
    text += fmt::format("<figure>\n{}</figure>\n", figure.svg);
  }
  void operator()(const Document::Table& table) {
    text += "<div class=\"wide\"><table>\n<thead><tr>";
    for (const std::string& word : table.header) {
      text += fmt::format("<th>{}</th>", words_of(word));
    }
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (const Document::TableCell& cell : row) {
        const std::string classes = fmt::format(
            "{}{}{}", cell.kind, cell.kind.empty() || cell.place.empty() ? "" : " ", cell.place);
        text += classes.empty() ? "<td>" : fmt::format("<td class=\"{}\">", classes);
        for (const std::string& line : cell.lines) {
          text += fmt::format("<span>{}</span>", words_of(line));
        }
        text += "</td>";
      }
      text += "</tr>\n";
    }
    text += "</tbody></table></div>\n";
  }
};

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string to_html(const Document& document) {
  HtmlWriter writer;
  for (const Document::Block& block : document.blocks) std::visit(writer, block);
  const std::string title = words_of(document.title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
      title, kStyle, title, writer.text);
}

}  // namespace dsnn::reproduce
