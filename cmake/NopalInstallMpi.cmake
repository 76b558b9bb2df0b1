# Installs libnopal-mpi, its header, and what CMake and pkg-config find it by, as components of their own. Included by
# NopalInstall, whose variables it uses. Of a library that was not built, nothing that would be found is installed.
set(mpi_libraries nopal_mpi)
if(TARGET nopal_mpi_static)
  list(APPEND mpi_libraries nopal_mpi_static)
endif()
install(TARGETS ${mpi_libraries} EXPORT nopal_mpi_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi_development OPTIONAL
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi NAMELINK_COMPONENT mpi_development OPTIONAL
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(BUILD_SHARED_LIBS)
  # Side by side.
  set_target_properties(nopal_mpi PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/include/nopal/mpi.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nopal"
  COMPONENT mpi_development)
install(EXPORT nopal_mpi_targets NAMESPACE nopal:: FILE nopalMpiTargets.cmake DESTINATION "${package_dir}"
  COMPONENT mpi_development)

# The header includes MPI's, and programs call MPI themselves: its flags are those that CMake found.
set(NOPAL_MPI_PC_CFLAGS "-DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1")
foreach(directory IN LISTS MPI_C_INCLUDE_DIRS)
  string(APPEND NOPAL_MPI_PC_CFLAGS " -I${directory}")
endforeach()
string(JOIN " " NOPAL_MPI_PC_LIBS ${MPI_C_LIBRARIES})
configure_file("${PROJECT_SOURCE_DIR}/cmake/nopal-mpi.pc.in" "${PROJECT_BINARY_DIR}/configured/nopal-mpi.pc" @ONLY)
# Beside the library, once that is built.
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/nopal-mpi.pc"
  COMMAND ${CMAKE_COMMAND} -E copy "${PROJECT_BINARY_DIR}/configured/nopal-mpi.pc" "${PROJECT_BINARY_DIR}/nopal-mpi.pc"
  DEPENDS "${PROJECT_BINARY_DIR}/configured/nopal-mpi.pc" nopal_mpi)
add_custom_target(nopal_mpi_pc ALL DEPENDS "${PROJECT_BINARY_DIR}/nopal-mpi.pc")
install(FILES "${PROJECT_BINARY_DIR}/nopal-mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT mpi_development
  OPTIONAL)
