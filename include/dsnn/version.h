#pragma once

// The only definition of the version; CMake reads it from here.
#define DSNN_VERSION_MAJOR 0
#define DSNN_VERSION_MINOR 1
#define DSNN_VERSION_PATCH 0
#define DSNN_VERSION "0.1.0"
