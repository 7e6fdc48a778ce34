# Install and export, so that another project can find_package(dsnn) and link dsnn::dsnn, or dsnn::core alone; or
# find_package(dsnn COMPONENTS sweep) and link dsnn::sweep, or COMPONENTS fetch and dsnn::fetch; in C, COMPONENTS c and dsnn::c.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)

# dsnn_install(<export set> <targets...>): libraries, with an export set that dsnn-config.cmake includes.
function(dsnn_install set)
  install(TARGETS ${ARGN} EXPORT ${set}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT ${set} NAMESPACE dsnn:: DESTINATION ${package_folder})
endfunction()

set(libraries dsnn_core dsnn_all)
if(DSNN_BUILD_LEARN)
  list(APPEND libraries dsnn_learn)
endif()
if(NOT BUILD_SHARED_LIBS)  # what static libraries name as link-only
  list(APPEND libraries dsnn_options)
  if(DSNN_BUILD_LEARN)
    list(APPEND libraries dsnn_kernels)
  endif()
endif()
dsnn_install(dsnn_targets ${libraries})
# Separate sets: SQLite or libcurl are needed only on request, if the libraries are static.
if(DSNN_BUILD_LEARN)
  dsnn_install(dsnn_sweep_targets dsnn_sweep)
  dsnn_install(dsnn_c_targets dsnn_c)
  if(TARGET dsnn_mpi)
    dsnn_install(dsnn_mpi_targets dsnn_mpi)
  endif()
endif()
if(DSNN_BUILD_FETCH)
  dsnn_install(dsnn_fetch_targets dsnn_fetch)
endif()
if(DSNN_BUILD_CLI)
  install(TARGETS dsnn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/dsnn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/dsnn-config.cmake.in ${PROJECT_BINARY_DIR}/dsnn-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dsnn-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dsnn-config.cmake ${PROJECT_BINARY_DIR}/dsnn-config-version.cmake
        DESTINATION ${package_folder})
