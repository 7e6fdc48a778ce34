#pragma once

#include "page/page.h"

namespace dsnn {

extern const PageFiles kLinkPage;

}  // namespace dsnn
