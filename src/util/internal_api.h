#pragma once

#include "dsnn/export.h"

// DSNN_INTERNAL_API marks symbols that the shared libraries export to programs, libraries and tests
// of this project: they are not part of the public interface or of public headers.
#define DSNN_INTERNAL_API DSNN_API
