#include "reproduce/drawing.h"

#include "reproduce/document.h"

#include <fmt/format.h>

namespace dsnn::reproduce {
namespace {

constexpr const char* kStyle =
    ".page{fill:#fff}.ink{fill:#1b1f24}.soft{fill:#59636e}.grid{stroke:#d5dae0}.axis{stroke:#"
    "59636e}"
    ".ink-line{stroke:#1b1f24;stroke-width:1.2}.halo{stroke:#fff;stroke-width:3;opacity:.9}"
    ".paper{fill:#fff;stroke:#1b1f24}"
    "text{font:13px system-ui,sans-serif}"
    "@media(prefers-color-scheme:dark){.page{fill:#15181c}.ink{fill:#e6e9ed}.soft{fill:#9aa5b1}"
    ".grid{stroke:#353b43}.axis{stroke:#9aa5b1}.ink-line{stroke:#e6e9ed}.halo{stroke:#15181c}"
    ".paper{fill:#15181c;stroke:#e6e9ed}}";

}  // namespace

void Drawing::line(const char* style, double x1, double y1, double x2, double y2,
                   const char* more) {
  body_ += fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", style, x1,
      y1, x2, y2, more);
}

void Drawing::text(const char* style, const char* anchor, double x, double y,
                   const std::string& words, const std::string& more) {
  body_ +=
      fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n",
                  style, anchor, x, y, more, escaped(words));
}

void Drawing::bar(const char* colour, double x, double y, double width, double height,
                  const std::string& title) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
      "<title>{}</title></rect>\n",
      x, y, width, height, colour, escaped(title));
}

void Drawing::diamond(double x, double y, const std::string& title) {
  constexpr double kRadius = 4.5;
  body_ += fmt::format(
      "<path class=\"paper\" stroke-width=\"1.4\" d=\"M{:.1f} {:.1f}l{r} {r}l-{r} {r}l-{r} "
      "-{r}z\"><title>{}</title></path>\n",
      x, y - kRadius, escaped(title), fmt::arg("r", kRadius));
}

void Drawing::error_bar(double x, double top, double bottom) {
  constexpr double kCap = 3.5;
  for (const char* style : {"halo", "ink-line"}) {
    line(style, x, top, x, bottom);
    line(style, x - kCap, top, x + kCap, top);
    line(style, x - kCap, bottom, x + kCap, bottom);
  }
}

std::string Drawing::svg(double width, double height, const std::string& title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n{4}</svg>\n",
      width, height, escaped(title), kStyle, body_);
}

}  // namespace dsnn::reproduce
