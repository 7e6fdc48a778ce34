#pragma once

#include "dsnn/export.h"

// DSNN_INTERNAL_API marks what the shared libraries export to this project's own programs,
// libraries and tests: it is no part of the interface, and no public header has it.
#define DSNN_INTERNAL_API DSNN_API
