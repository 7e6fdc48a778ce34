#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dsnn::reproduce {

/// The content of a report, to be written as Markdown and as HTML.
struct Document {
  struct Heading {
    std::string text;
  };
  struct Paragraph {
    std::string text;
  };
  struct TableCell {
    std::vector<std::string> lines;
    std::string kind = {};   ///< a word that determines its colour: agrees, close, differs, failed
    std::string place = {};  ///< "best" or "second" of its column: the first line stands out
  };
  struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<TableCell>> rows;
  };
  struct Figure {
    std::string file, alternative;  ///< name of the SVG, and its alternative text
    std::string svg;
  };
  using Block = std::variant<Heading, Paragraph, Table, Figure>;

  std::string title;
  std::vector<Block> blocks;

  void add(Block block) { blocks.push_back(std::move(block)); }
};

/// Without the title, for inclusion in a larger document; a figure is a link.
std::string to_markdown(const Document& document);
/// A self-contained page.
std::string to_html(const Document& document);

/// Text for HTML and XML.
std::string escaped(const std::string& text);

}  // namespace dsnn::reproduce
