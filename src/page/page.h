#pragma once

#include "util/internal_api.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dsnn {

/// The files of a page as text, put into the library when it is built (dsnn_add_page).
struct PageFiles {
  const char* page;    ///< HTML with {{title}}, {{style}}, {{data}} and {{script}}
  const char* style;   ///< base.css and the page's own
  const char* script;  ///< base.js and the page's own
};

/// A page in one file that needs no other and no network. The scripts find the data as JSON in the
/// element `data`. A byte of text that is no UTF-8 becomes U+FFFD.
DSNN_INTERNAL_API std::string make_page(const PageFiles& files, const std::string& title,
                                        const nlohmann::ordered_json& data);

}  // namespace dsnn
