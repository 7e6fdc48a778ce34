# Writes OUT, a header with the commit that SOURCE is at, with a + if the code is not that of the commit, if that changed since the
# last build; empty outside a repository. cmake -D SOURCE=... -D OUT=... -P commit.cmake
find_program(git git)
set(commit "")
if(git AND EXISTS ${SOURCE}/.git)
  set(here ${git} --git-dir=${SOURCE}/.git --work-tree=${SOURCE})
  execute_process(COMMAND ${here} rev-parse --short HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Changes of documents, results and tests are ignored: the program is that of the commit.
  execute_process(COMMAND ${here} diff --quiet HEAD -- CMakeLists.txt cmake include src WORKING_DIRECTORY ${SOURCE}
                  RESULT_VARIABLE differs ERROR_QUIET)
  if(commit AND NOT differs EQUAL 0)
    string(APPEND commit "+")
  endif()
endif()
set(text "#define DSNN_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUT} "${text}")
endif()
