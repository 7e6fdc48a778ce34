# What every target of this project is compiled with, kept off what it exports.
add_library(dsnn_options INTERFACE)
target_compile_options(dsnn_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                              -Woverloaded-virtual)
# Every machine shall give the same numbers, so the compiler joins no products and sums by itself: whether it
# did would depend on the processor. Kernels say where they want it.
target_compile_options(dsnn_options INTERFACE -ffp-contract=off)
if(DSNN_WERROR)
  target_compile_options(dsnn_options INTERFACE -Werror)
endif()
if(DSNN_SANITIZE)
  target_compile_options(dsnn_options INTERFACE -fsanitize=${DSNN_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(dsnn_options INTERFACE -fsanitize=${DSNN_SANITIZE})
endif()

# Complex products without a detour through the rules for infinities; quotients stay safe from overflow.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcx-fortran-rules DSNN_HAS_CX_FORTRAN_RULES)
if(DSNN_HAS_CX_FORTRAN_RULES)
  target_compile_options(dsnn_options INTERFACE -fcx-fortran-rules)
endif()

# dsnn_precompile(<target> [<headers>...]): reads what most units include once, not once a unit. They include what they use all
# the same: scripts/lint.sh compiles without.
function(dsnn_precompile target)
  if(DSNN_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <cmath> <complex> <filesystem> <fstream> <functional> <map>
                                                <memory> <numeric> <optional> <set> <span> <string> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# dsnn_optimise_lightly(<target>): for what reads arguments and writes reports, where nothing waits for the processor.
function(dsnn_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>
                                           # gcc looks less far then, and takes variables for uninitialised
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()
