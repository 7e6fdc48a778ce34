#pragma once

#include "page/page.h"

namespace dsnn {

extern const PageFiles kSweepPage;

}  // namespace dsnn
