#pragma once

#include "util/internal_api.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dsnn {

/// The files of a page as text, embedded into the library at build time (dsnn_add_page).
struct PageFiles {
  const char* page;    ///< HTML with {{title}}, {{style}}, {{data}} and {{script}}
  const char* style;   ///< base.css and the page's own
  const char* script;  ///< base.js and the page's own
};

/// A self-contained page. The scripts find the data as JSON in the element `data`. Bytes that are
/// not UTF-8 become U+FFFD.
DSNN_INTERNAL_API std::string make_page(const PageFiles& files, const std::string& title,
                                        const nlohmann::ordered_json& data);

}  // namespace dsnn
