# Install and export, so that another project can find_package(dsnn) and link dsnn::core, or
# find_package(dsnn COMPONENTS torch) and link dsnn::dsnn or dsnn::sweep, or COMPONENTS fetch and dsnn::fetch.
include(CMakePackageConfigHelpers)

install(TARGETS dsnn_core EXPORT dsnn_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(NOT BUILD_SHARED_LIBS)
  install(TARGETS dsnn_options EXPORT dsnn_targets)  # a static library names it as link-only
endif()
install(DIRECTORY include/dsnn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(DSNN_BUILD_FETCH)
  install(TARGETS dsnn_fetch EXPORT dsnn_fetch_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT dsnn_fetch_targets NAMESPACE dsnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)
endif()
if(DSNN_BUILD_TORCH)
  install(TARGETS dsnn_torch EXPORT dsnn_torch_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT BUILD_SHARED_LIBS)
    install(TARGETS dsnn_kernels EXPORT dsnn_torch_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  install(TARGETS dsnn_sweep EXPORT dsnn_torch_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT dsnn_torch_targets NAMESPACE dsnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)
endif()
install(EXPORT dsnn_targets NAMESPACE dsnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)
if(DSNN_BUILD_CLI)
  install(TARGETS dsnn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(DSNN_BUILD_TORCH)
    install(TARGETS dsnn_learn RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dsnn)
  endif()
endif()

configure_package_config_file(cmake/dsnn-config.cmake.in ${PROJECT_BINARY_DIR}/dsnn-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dsnn-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dsnn-config.cmake ${PROJECT_BINARY_DIR}/dsnn-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsnn)
