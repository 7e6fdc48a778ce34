#pragma once

// DSNN_API marks what the shared library exports; everything else stays hidden.
#if defined(_WIN32)
#if defined(DSNN_BUILDING_LIBRARY)
#define DSNN_API __declspec(dllexport)
#else
#define DSNN_API __declspec(dllimport)
#endif
#else
#define DSNN_API __attribute__((visibility("default")))
#endif
