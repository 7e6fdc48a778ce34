# Compile options of all targets of this project, not exported.
add_library(dsnn_options INTERFACE)
target_compile_options(dsnn_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                              -Woverloaded-virtual)
# Every machine must give the same results, so the compiler must not fuse products and sums by itself, which
# would depend on the processor. Kernels do so explicitly.
target_compile_options(dsnn_options INTERFACE -ffp-contract=off)
if(DSNN_WERROR)
  target_compile_options(dsnn_options INTERFACE -Werror)
endif()
if(DSNN_SANITIZE)
  target_compile_options(dsnn_options INTERFACE -fsanitize=${DSNN_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(dsnn_options INTERFACE -fsanitize=${DSNN_SANITIZE})
endif()

# Complex products without the rules for infinities; quotients remain safe from overflow.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcx-fortran-rules DSNN_HAS_CX_FORTRAN_RULES)
if(DSNN_HAS_CX_FORTRAN_RULES)
  target_compile_options(dsnn_options INTERFACE -fcx-fortran-rules)
endif()

# dsnn_precompile(<target> [<headers>...]): precompiles headers that most units include. Units must still include what they
# use: scripts/lint.sh compiles without precompiled headers.
function(dsnn_precompile target)
  if(DSNN_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <cmath> <complex> <filesystem> <fstream> <functional> <map>
                                                <memory> <numeric> <optional> <set> <span> <string> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# dsnn_optimise_lightly(<target>): for code that reads arguments and writes reports, which need not be fast.
function(dsnn_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>
                                           # gcc looks less far then, and takes variables for uninitialised
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()
