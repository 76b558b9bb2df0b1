# Installs the library, the headers, the CMake package, the pkg-config file and the manual pages. Both packages find
# the library relative to themselves, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/nopal")

install(TARGETS nopal EXPORT nopal_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/nopal" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

install(EXPORT nopal_targets NAMESPACE nopal:: FILE nopalTargets.cmake DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nopalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nopalConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES "${PROJECT_BINARY_DIR}/nopalConfig.cmake" "${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake"
  DESTINATION "${package_dir}")

file(RELATIVE_PATH NOPAL_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" NOPAL_PC_TO_PREFIX "${NOPAL_PC_TO_PREFIX}")
set(NOPAL_PC_DEFINITIONS "")
foreach(definition IN LISTS NOPAL_VARIANT_DEFINITIONS)
  string(APPEND NOPAL_PC_DEFINITIONS " -D${definition}")
endforeach()
# Who links the archive needs what the archive needs, whether or not they ask for `--static`: there
# is no shared library that would bring it along.
if(BUILD_SHARED_LIBS)
  set(NOPAL_PC_LIBS "")
else()
  set(NOPAL_PC_LIBS " -pthread -lstdc++")
  string(APPEND NOPAL_PC_DEFINITIONS " -DNOPAL_STATIC")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/nopal.pc.in" "${PROJECT_BINARY_DIR}/nopal.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nopal.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

file(GLOB man_pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.[1-9]")
if(NOT NOPAL_BUILD_TOOLS)
  list(FILTER man_pages EXCLUDE REGEX "\\.1$")  # those of the command
endif()
foreach(page IN LISTS man_pages)
  string(REGEX REPLACE ".*\\." "" section "${page}")
  install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
endforeach()
