# Installs the library, the headers, the CMake package, the pkg-config file, and the command with its manual pages. All
# find one another by relative paths, so an installed tree may be moved. Components: runtime, development, tools; io and
# io_development for libnopal-io, mpi and mpi_development for libnopal-mpi.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/nopal")

set(libraries nopal)
if(TARGET nopal_static)
  list(APPEND libraries nopal_static)
endif()
install(TARGETS ${libraries} EXPORT nopal_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The checking library is left out where it was not built, as after `--target nopal`, and on processors that have none yet.
if(NOT NOPAL_PORT_IN_WORK)
  install(TARGETS nopal_check nopal_check_parallel EXPORT nopal_check_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development OPTIONAL
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime OPTIONAL NAMELINK_COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT nopal_check_targets NAMESPACE nopal:: FILE nopalCheckTargets.cmake DESTINATION "${package_dir}"
    COMPONENT development)
  set(NOPAL_CHECK_FILE "${CMAKE_SHARED_LIBRARY_PREFIX}nopal_check_parallel${CMAKE_STATIC_LIBRARY_SUFFIX}")
  if(BUILD_SHARED_LIBS)
    set(NOPAL_CHECK_FILE "${CMAKE_SHARED_LIBRARY_PREFIX}nopal_check_parallel${CMAKE_SHARED_LIBRARY_SUFFIX}")
  endif()
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/nopal" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" REGEX "/nopal/(detail/io_.*|io|mpi)[.]hpp$" EXCLUDE)
nopal_install_tbb_headers()

install(EXPORT nopal_targets NAMESPACE nopal:: FILE nopalTargets.cmake DESTINATION "${package_dir}"
  COMPONENT development)
# Whether it is there is seen by its file: who builds libnopal alone installs that.
set(library_suffix "${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(BUILD_SHARED_LIBS)
  set(library_suffix "${CMAKE_SHARED_LIBRARY_SUFFIX}")
endif()
set(NOPAL_IO_FILE "${CMAKE_SHARED_LIBRARY_PREFIX}nopal-io${library_suffix}")
set(NOPAL_MPI_FILE "${CMAKE_SHARED_LIBRARY_PREFIX}nopal-mpi${library_suffix}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nopalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nopalConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES "${PROJECT_BINARY_DIR}/nopalConfig.cmake" "${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# For projects that look for oneTBB: -DTBB_DIR=<the folder>.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TBBConfigVersion.cmake" VERSION 2021.8.0 COMPATIBILITY AnyNewerVersion)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/TBBConfig.cmake" "${PROJECT_BINARY_DIR}/TBBConfigVersion.cmake"
  DESTINATION "${package_dir}/tbb" COMPONENT development)

file(RELATIVE_PATH NOPAL_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" NOPAL_PC_TO_PREFIX "${NOPAL_PC_TO_PREFIX}")
set(NOPAL_PC_DEFINITIONS "")
foreach(definition IN LISTS NOPAL_VARIANT_DEFINITIONS)
  string(APPEND NOPAL_PC_DEFINITIONS " -D${definition}")
endforeach()
# Who links the archive needs what the archive needs, whether or not they ask for `--static`: there
# is no shared library that would bring it along. Beside a shared library they have to ask.
set(NOPAL_PC_LIBS "")
set(NOPAL_PC_PRIVATE_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(NOPAL_PC_LIBS " -pthread -l${NOPAL_CXX_LIBRARY}")
  string(APPEND NOPAL_PC_DEFINITIONS " -DNOPAL_STATIC")
elseif(TARGET nopal_static)
  set(NOPAL_PC_PRIVATE_LIBS "Libs.private: -pthread -l${NOPAL_CXX_LIBRARY}\n")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/nopal.pc.in" "${PROJECT_BINARY_DIR}/nopal.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nopal.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
if(NOT NOPAL_PORT_IN_WORK)
  # GCC reads it, and Clang passes it by: one set of flags serves both.
  install(FILES "${PROJECT_BINARY_DIR}/nopal-check.specs" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  if(NOPAL_CHECK_EXPORTS)
    install(FILES "${PROJECT_BINARY_DIR}/nopal-check.symbols" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
    foreach(name IN ITEMS check check_parallel)
      target_link_options(nopal_${name} INTERFACE
        "$<INSTALL_INTERFACE:-Wl,--export-dynamic-symbol-list=$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/nopal-check.symbols>")
    endforeach()
  endif()
  foreach(NOPAL_PC_CHECK IN ITEMS nopal-check nopal-check-parallel)
    string(REPLACE "-" "_" NOPAL_PC_CHECK_LIBRARY "${NOPAL_PC_CHECK}")
    set(NOPAL_PC_CHECK_WHERE "")
    set(NOPAL_PC_CHECK_CFLAGS "")
    if(NOPAL_PC_CHECK MATCHES "parallel")
      set(NOPAL_PC_CHECK_WHERE " on all workers")
      set(NOPAL_PC_CHECK_CFLAGS " -DNOPAL_CHECKED_PARALLEL")
    endif()
    configure_file("${PROJECT_SOURCE_DIR}/cmake/nopal-check.pc.in" "${PROJECT_BINARY_DIR}/${NOPAL_PC_CHECK}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${NOPAL_PC_CHECK}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
  endforeach()
endif()

if(TARGET nopal_io)
  include(NopalInstallIo)
endif()
if(TARGET nopal_mpi)
  include(NopalInstallMpi)
endif()

if(TARGET nopal_in_place)
  # In a folder that no program searches unless it is told to.
  install(TARGETS nopal_in_place LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nopal/in_place" COMPONENT runtime OPTIONAL NAMELINK_SKIP)
  # Where it was not built, CMake makes the folder all the same; file(REMOVE) leaves folders.
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/nopal\")
    file(GLOB_RECURSE content LIST_DIRECTORIES false \"\${folder}/*\")
    if(NOT content)
      file(REMOVE_RECURSE \"\${folder}\")
    endif()" COMPONENT runtime)
  if(BUILD_SHARED_LIBS)
    set_target_properties(nopal_in_place PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
  endif()
endif()

if(TARGET nopal_command)
  # If it was built: who builds the library alone installs that. A package without it would be empty, so there it must be.
  set(if_built OPTIONAL)
  if(NOPAL_DEBIAN)
    set(if_built "")
  endif()
  # CMake makes the folder in either case. One that was there before is not ours to remove.
  install(CODE "
    set(tools_folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    if(EXISTS \"\${tools_folder}\")
      unset(tools_folder)
    endif()" COMPONENT tools)
  install(TARGETS nopal_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools ${if_built})
  if(TARGET nopal_cilk)
    install(TARGETS nopal_cilk RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools OPTIONAL)
  endif()
  install(CODE "
    if(DEFINED tools_folder)
      file(GLOB content \"\${tools_folder}/*\")
      if(NOT content)
        file(REMOVE_RECURSE \"\${tools_folder}\")
      endif()
    endif()" COMPONENT tools)
  if(BUILD_SHARED_LIBS AND NOT NOPAL_DEBIAN)
    file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(nopal_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  endif()
endif()

# nopal_install_manual(section component): the manual pages that there are. Debian has them compressed.
function(nopal_install_manual section component)
  file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.${section}")
  if(NOPAL_DEBIAN)
    nopal_compress(pages ${pages})
  endif()
  install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}" COMPONENT ${component})
endfunction()

# nopal_compress(result file...): the same with `.gz`, without a name or a time inside. Now, while configuring.
function(nopal_compress result)
  set(compressed "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    set(output "${PROJECT_BINARY_DIR}/compressed/${name}.gz")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/compressed")
    execute_process(COMMAND gzip -9nc "${file}" OUTPUT_FILE "${output}" COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    list(APPEND compressed "${output}")
  endforeach()
  set(${result} "${compressed}" PARENT_SCOPE)
endfunction()

if(TARGET nopal_command)
  nopal_install_manual(1 tools)
endif()
nopal_install_manual(3 development)
nopal_install_manual(7 development)
