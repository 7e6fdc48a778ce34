# Runs the example in C in a folder of its own: cmake -D PROGRAM=... -D WORK=... -P check_example.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${PROGRAM} ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
if(NOT result EQUAL 0 OR NOT output MATCHES "diag-nsd [0-6]?[0-9] %\ndiag-dsnn ([89][0-9]|100) %\n")
  message(FATAL_ERROR "the example printed\n${output}${error}")
endif()
