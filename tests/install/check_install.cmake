# Installs a build into a folder of its own and builds the examples with nothing but that:
# cmake -D BUILD=... -D SOURCE=... -D WORK=... [-D LINK_FLAGS=sanitizers] [-D IS_SHARED=ON] [-D HAS_CLI=ON] [-D HAS_FETCH=ON]
#       [-D HAS_LEARN=ON] [-D HAS_TORCH=ON] [-D HAS_MPI=ON] -P check_install.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(flags "")
if(LINK_FLAGS)
  set(flags "-fsanitize=${LINK_FLAGS}")
endif()

# check_project(<folder> <expected output> [ARGUMENTS ...] [OPTIONS ...]): builds a project with the installed package and
# runs its program, with the arguments; options are for CMake.
function(check_project folder expected)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGUMENTS;OPTIONS")
  string(MAKE_C_IDENTIFIER "${folder} ${arg_OPTIONS}" name)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${folder} -B ${WORK}/${name} -G Ninja -DCMAKE_BUILD_TYPE=Debug
      -DCMAKE_PREFIX_PATH=${WORK}/prefix "-DCMAKE_CXX_FLAGS=${flags}" ${arg_OPTIONS})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  run(${WORK}/${name}/example ${arg_ARGUMENTS})
  if(NOT output MATCHES "^${expected}$")
    message(FATAL_ERROR "${folder} printed\n${output}expected\n${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
check_project(examples/cmake_project
              "q = 0.250: smallest eigenvalue (-?)0.000000\nq = 0.125: smallest eigenvalue 0.292893\n")
if(HAS_CLI)
  run(${WORK}/prefix/bin/dsnn --version)
  if(NOT output MATCHES "^dsnn [0-9]+\\.[0-9]+\\.[0-9]+\n$")
    message(FATAL_ERROR "the installed program printed ${output}")
  endif()
endif()
# Each library finds the others, also where nothing but it is asked for.
if(IS_SHARED AND NOT LINK_FLAGS)
  file(GLOB_RECURSE libraries ${WORK}/prefix/libdsnn*.so)
  if(NOT libraries)
    message(FATAL_ERROR "no library is installed")
  endif()
  foreach(library ${libraries})
    run(python3 -c "import ctypes, sys; ctypes.CDLL(sys.argv[1])" ${library})
  endforeach()
endif()

set(good "([89][0-9]|100) %")
set(bad "[0-6]?[0-9] %")
if(HAS_LEARN)
  set(scores "diag-nsd +test accuracy ${bad}\ndiag-dsnn +test accuracy ${good}\n")
  check_project(examples/train "${scores}900 numbers for 300 nodes and 3 classes\n" ARGUMENTS ${WORK}/runs)
  check_project(examples/own_model "gcn +test accuracy ${bad}\ntwo-ways +test accuracy ${good}\n")
  check_project(tests/install/components "nowhere: [^\n]+\n" OPTIONS -DCOMPONENT=sweep)
  check_project(examples/c
                "300 nodes, [0-9]+ arcs\ndiag-nsd ${bad}\ndiag-dsnn ${good}\nsmallest eigenvalue without directions: 0.000000\n"
                ARGUMENTS ${WORK}/c_runs OPTIONS "-DCMAKE_C_FLAGS=${flags}")
  if(HAS_CLI)
    run(${WORK}/prefix/bin/dsnn models)
  endif()
endif()
if(HAS_FETCH)
  check_project(tests/install/components "nowhere: cannot be fetched, [^\n]+\n" OPTIONS -DCOMPONENT=fetch)
endif()
if(HAS_MPI)
  check_project(tests/install/components "partition: this dsnn has no method 'guess', [^\n]+\n" OPTIONS -DCOMPONENT=mpi)
endif()
if(HAS_LEARN AND HAS_TORCH)
  check_project(examples/torch_layer "energy [0-9.]+ before, [0-9.]+ after 50 steps: smaller\n")
endif()
