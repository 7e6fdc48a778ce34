# Writes OUT, a header with the commit that SOURCE is at, if that changed since the last build; empty outside a
# repository. cmake -D SOURCE=... -D OUT=... -P commit.cmake
find_program(git git)
set(commit "")
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${git} --git-dir=${SOURCE}/.git --work-tree=${SOURCE} describe --always --dirty=+ --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "#define DSNN_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUT} "${text}")
endif()
