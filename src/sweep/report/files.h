#pragma once

namespace dsnn {

// The files of this folder as text, put into the library when it is built.
extern const char* const kReportPage;
extern const char* const kReportStyle;
extern const char* const kReportScript;

}  // namespace dsnn
