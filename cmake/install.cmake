# `cmake --install` and `find_package(hwgcn)`; tests/install builds an outside client against the result.
include(CMakePackageConfigHelpers)

set_target_properties(hwgcn_core PROPERTIES EXPORT_NAME core)
set_target_properties(hwgcn_fetch PROPERTIES EXPORT_NAME fetch)
install(TARGETS hwgcn_core EXPORT hwgcn_core_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hwgcn_fetch hwgcn EXPORT hwgcn_fetch_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hwgcn_program hwgcn_reproduce_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(HWGCN_BUILD_MPI)
  install(TARGETS hwgcn_mpi_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/hwgcn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(component core fetch)
  install(EXPORT hwgcn_${component}_targets FILE hwgcn-${component}-targets.cmake NAMESPACE hwgcn::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hwgcn)
endforeach()

if(TARGET METIS::METIS)
  set(hwgcn_has_metis ON)
else()
  set(hwgcn_has_metis OFF)
endif()
configure_package_config_file(cmake/hwgcn-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hwgcn)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/hwgcn-config-version.cmake
  cmake/FindLibZip.cmake cmake/FindMETIS.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hwgcn)
