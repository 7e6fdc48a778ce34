# What every target of this project is compiled with, kept off what it exports.
add_library(dsnn_options INTERFACE)
target_compile_options(dsnn_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                              -Woverloaded-virtual)
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
