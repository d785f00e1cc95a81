# `cmake --install` and `find_package(hwgcn)`; tests/install builds an outside client against the result. Each component
# is installed alone, too: cmake --install build/release --component program | reproduce | mpi | library | python
include(CMakePackageConfigHelpers)

install(TARGETS hwgcn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS hwgcn_reproduce_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT reproduce)
if(HWGCN_BUILD_MPI)
  install(TARGETS hwgcn_mpi_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hwgcn)
install(TARGETS hwgcn_core EXPORT hwgcn_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY include/hwgcn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT hwgcn_targets FILE hwgcn-targets.cmake NAMESPACE hwgcn:: DESTINATION ${package_folder} COMPONENT library)
configure_package_config_file(cmake/hwgcn-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config-version.cmake
  cmake/FindLibZip.cmake cmake/FindMETIS.cmake DESTINATION ${package_folder} COMPONENT library)
