# Installs libnopal-io, its headers, and what CMake and pkg-config find it by, as components of their own. Included by
# NopalInstall, whose variables it uses. Of a library that was not built, nothing that would be found is installed.
set(io_libraries nopal_io)
if(TARGET nopal_io_static)
  list(APPEND io_libraries nopal_io_static)
endif()
install(TARGETS ${io_libraries} EXPORT nopal_io_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT io_development OPTIONAL
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT io NAMELINK_COMPONENT io_development OPTIONAL
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(BUILD_SHARED_LIBS AND NOT NOPAL_DEBIAN)
  # Side by side.
  set_target_properties(nopal_io PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/include/nopal/io.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nopal"
  COMPONENT io_development)
install(FILES "${PROJECT_SOURCE_DIR}/include/nopal/detail/io_parallel.hpp" "${PROJECT_SOURCE_DIR}/include/nopal/detail/io_elided.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nopal/detail" COMPONENT io_development)
install(EXPORT nopal_io_targets NAMESPACE nopal:: FILE nopalIoTargets.cmake DESTINATION "${package_dir}"
  COMPONENT io_development)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/NopalLibevent.cmake" DESTINATION "${package_dir}" COMPONENT io_development)

# The archive needs libevent in the program, a shared library brings it along.
set(NOPAL_IO_PC_REQUIRES "nopal = ${PROJECT_VERSION}")
set(NOPAL_IO_PC_PRIVATE "")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND NOPAL_IO_PC_REQUIRES ", libevent_core, libevent_pthreads")
elseif(TARGET nopal_io_static)
  set(NOPAL_IO_PC_PRIVATE "Requires.private: libevent_core, libevent_pthreads\n")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/nopal-io.pc.in" "${PROJECT_BINARY_DIR}/configured/nopal-io.pc" @ONLY)
# Beside the library, once that is built.
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/nopal-io.pc"
  COMMAND ${CMAKE_COMMAND} -E copy "${PROJECT_BINARY_DIR}/configured/nopal-io.pc" "${PROJECT_BINARY_DIR}/nopal-io.pc"
  DEPENDS "${PROJECT_BINARY_DIR}/configured/nopal-io.pc" nopal_io)
add_custom_target(nopal_io_pc ALL DEPENDS "${PROJECT_BINARY_DIR}/nopal-io.pc")
install(FILES "${PROJECT_BINARY_DIR}/nopal-io.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT io_development
  OPTIONAL)
