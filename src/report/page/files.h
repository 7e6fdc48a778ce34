#pragma once

#include "page/page.h"

namespace dsnn {

extern const PageFiles kRunPage;

}  // namespace dsnn
