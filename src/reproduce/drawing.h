#pragma once

#include <string>

namespace dsnn::reproduce {

/// A picture under construction, in pixels. Styles are classes that follow the reader's light or
/// dark mode: ink, soft, grid, axis, ink-line, halo, paper.
class Drawing {
 public:
  void line(const char* style, double x1, double y1, double x2, double y2, const char* more = "");
  void text(const char* style, const char* anchor, double x, double y, const std::string& words,
            const std::string& more = "");
  void bar(const char* colour, double x, double y, double width, double height,
           const std::string& title = "");
  void diamond(double x, double y, const std::string& title);
  /// Outlined in the colour of the page, to stay visible on dark bars.
  void error_bar(double x, double top, double bottom);

  /// The picture as a self-contained SVG; the title is its alternative text.
  std::string svg(double width, double height, const std::string& title) const;

 private:
  std::string body_;
};

}  // namespace dsnn::reproduce
