#include "reproduce/document.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;

const Document kDocument = {
    "A <title>",
    {Document::Heading{"Part"}, Document::Paragraph{"1 +- 2 & more."},
     Document::Table{{"a", "b|c"}, {{{{"x"}}, {{"1 +- 2", "paper 3"}, "agrees"}}}},
     Document::Figure{"f.svg", "a drawing", "<svg/>"}}};

TEST(DocumentTest, AsMarkdown) {
  EXPECT_EQ(to_markdown(kDocument),
            "### Part\n\n1 +- 2 & more.\n\n| a | b\\|c |\n|---|---|\n| x | 1 +- 2<br>paper 3 |\n\n"
            "![a drawing](f.svg)\n");
}

TEST(DocumentTest, AsHtml) {
  const std::string html = to_html(kDocument);
  EXPECT_TRUE(contains(html, "<title>A &lt;title&gt;</title>"));
  EXPECT_TRUE(contains(html, "<p>1 &#177; 2 &amp; more.</p>"));
  EXPECT_TRUE(
      contains(html, "<td class=\"agrees\"><span>1 &#177; 2</span><span>paper 3</span></td></tr>"));
  EXPECT_TRUE(contains(html, "<figure>\n<svg/></figure>"));
  EXPECT_EQ(html.find("src="), std::string::npos);  // nothing from elsewhere
  EXPECT_EQ(html.find("href="), std::string::npos);
}

}  // namespace
}  // namespace dsnn::reproduce
