#include "reproduce/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dsnn::reproduce {
namespace {

struct MarkdownWriter {
  std::string text;

  void operator()(const Document::Heading& heading) {
    text += fmt::format("### {}\n\n", heading.text);
  }
  void operator()(const Document::Paragraph& paragraph) { text += paragraph.text + "\n\n"; }
  void operator()(const Document::Figure& figure) {
    text += fmt::format("![{}]({})\n\n", figure.alternative, figure.file);
  }
  void operator()(const Document::Table& table) {
    text += "|";
    for (const std::string& word : table.header) text += fmt::format(" {} |", cell_text(word));
    text += "\n|";
    for (std::size_t i = 0; i < table.header.size(); ++i) text += "---|";
    text += "\n";
    for (const auto& row : table.rows) {
      text += "|";
      for (const Document::TableCell& cell : row) {
        std::vector<std::string> lines = cell.lines;
        if (cell.place == "best") lines[0] = fmt::format("**{}**", lines[0]);
        if (cell.place == "second") lines[0] = fmt::format("<u>{}</u>", lines[0]);
        text += fmt::format(" {} |", cell_text(fmt::format("{}", fmt::join(lines, "<br>"))));
      }
      text += "\n";
    }
    text += "\n";
  }

  /// A vertical bar would end the cell.
  static std::string cell_text(const std::string& words) {
    std::string result;
    for (const char c : words) result += c == '|' ? "\\|" : std::string(1, c);
    return result;
  }
};

}  // namespace

std::string to_markdown(const Document& document) {
  MarkdownWriter writer;
  for (const Document::Block& block : document.blocks) std::visit(writer, block);
  if (writer.text.ends_with("\n\n")) writer.text.pop_back();
  return writer.text;
}

}  // namespace dsnn::reproduce
