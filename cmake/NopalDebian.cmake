# Debian packages, by `cpack -G DEB` in a build with the preset `deb`: libnopalN, N being the binary interface; libnopal-dev; nopal-tools;
# libnopal-ioN and libnopal-io-dev where NOPAL_BUILD_IO is on.
if(NOT BUILD_SHARED_LIBS OR NOT NOPAL_BUILD_ARCHIVE OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "NOPAL_DEBIAN takes BUILD_SHARED_LIBS=ON, NOPAL_BUILD_ARCHIVE=ON and CMAKE_INSTALL_PREFIX=/usr: cmake --preset deb.")
endif()

set(NOPAL_DEBIAN_MAINTAINER "Nopal authors <maintainers@nopal.invalid>" CACHE STRING "Who answers for the Debian packages")
set(NOPAL_DEBIAN_REVISION "1" CACHE STRING "Revision of the Debian packages of this version")
set(debian_version "${PROJECT_VERSION}-${NOPAL_DEBIAN_REVISION}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nopal)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${NOPAL_DEBIAN_REVISION}")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${NOPAL_DEBIAN_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SOURCE nopal)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(about "Nopal runs forked function calls in parallel by stealing continuations, in
programs of stock compilers: a fork is a call, a join waits for children, and
any serial code may lie between.")

# nopal_debian_package(component name section summary text)
macro(nopal_debian_package component name section summary text)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} component_upper)
  set(CPACK_DEBIAN_${component_upper}_PACKAGE_NAME "${name}")
  set(CPACK_DEBIAN_${component_upper}_PACKAGE_SECTION "${section}")
  set(CPACK_DEBIAN_${component_upper}_DESCRIPTION "${summary}\n${about}\n\n${text}")
  install(FILES "${PROJECT_BINARY_DIR}/debian/copyright" DESTINATION "share/doc/${name}" COMPONENT ${component})
  install(FILES "${debian_changelog}" DESTINATION "share/doc/${name}" RENAME changelog.Debian.gz COMPONENT ${component})
endmacro()

# The files of Debian's own form: who may copy, and what changed.
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${PROJECT_BINARY_DIR}/debian/changelog.Debian"
  "nopal (${debian_version}) unstable; urgency=medium\n\n  * See the upstream changelog.\n\n -- ${NOPAL_DEBIAN_MAINTAINER}  ${debian_date}\n")
nopal_compress(debian_changelog "${PROJECT_BINARY_DIR}/debian/changelog.Debian")
nopal_compress(upstream_changelog "${PROJECT_SOURCE_DIR}/CHANGELOG.md")

file(STRINGS "${PROJECT_SOURCE_DIR}/LICENSE" license_lines)
list(FILTER license_lines EXCLUDE REGEX "^MIT License$")
set(license "")
foreach(line IN LISTS license_lines)
  if(line MATCHES "^Copyright \\(c\\) (.*)$")
    set(copyright "${CMAKE_MATCH_1}")
  elseif(line STREQUAL "")
    if(license)
      string(APPEND license " .\n")
    endif()
  else()
    string(APPEND license " ${line}\n")
  endif()
endforeach()
file(WRITE "${PROJECT_BINARY_DIR}/debian/copyright"
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: nopal\n\n"
  "Files: *\nCopyright: ${copyright}\nLicense: Expat\n\nLicense: Expat\n${license}")

set(CPACK_COMPONENTS_ALL "")
nopal_debian_package(runtime libnopal${NOPAL_ABI} libs "fork-join parallelism for C and C++ - shared library"
  "This package holds the shared library.")
nopal_debian_package(development libnopal-dev libdevel "fork-join parallelism for C and C++ - development files"
  "This package holds the headers, the static library, and the files by which
CMake and pkg-config find them.")
if(TARGET nopal_command)
  nopal_debian_package(tools nopal-tools devel "fork-join parallelism for C and C++ - command line tool"
    "This package holds the command nopal, which shows what a machine gives the
runtime, measures it, and predicts how programs scale.")
endif()
if(TARGET nopal_io)
  nopal_debian_package(io libnopal-io${NOPAL_ABI} libs "fork-join parallelism for C and C++ - waiting for descriptors"
    "This package holds the shared library by which strands wait for file
descriptors and for time.")
  nopal_debian_package(io_development libnopal-io-dev libdevel "fork-join parallelism for C and C++ - development files for waiting"
    "This package holds the headers and the static library by which strands
wait for file descriptors and for time, and what finds them.")
endif()
install(FILES "${upstream_changelog}" DESTINATION share/doc/libnopal-dev RENAME changelog.gz COMPONENT development)

# What dpkg-shlibdeps reads for programs that use the library, and what has the linker's cache renewed.
file(WRITE "${PROJECT_BINARY_DIR}/debian/shlibs" "libnopal ${NOPAL_ABI} libnopal${NOPAL_ABI} (>= ${PROJECT_VERSION})\n")
file(WRITE "${PROJECT_BINARY_DIR}/debian_io/shlibs" "libnopal-io ${NOPAL_ABI} libnopal-io${NOPAL_ABI} (>= ${PROJECT_VERSION})\n")
file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/shlibs" "${PROJECT_BINARY_DIR}/debian/triggers")

set(CPACK_DEBIAN_IO_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian_io/shlibs" "${PROJECT_BINARY_DIR}/debian/triggers")

if(CMAKE_CROSSCOMPILING)
  # Else the architecture would be that of the machine that builds. Its dpkg-shlibdeps finds cross compilers' packages and not
  # those that programs there depend on; so they stand here: the C library whose symbols the library binds, and what it is
  # linked with.
  string(REPLACE "aarch64" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE "${NOPAL_ISA}")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1 (>= 4.2), libstdc++6 (>= 12)")
else()
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
endif()
# The library itself is found, and has no package yet.
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/src" "${PROJECT_BINARY_DIR}/src/io")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libnopal${NOPAL_ABI} (= ${debian_version})")
set(CPACK_DEBIAN_IO_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_IO_PACKAGE_DEPENDS "libnopal${NOPAL_ABI} (= ${debian_version})")
set(CPACK_DEBIAN_IO_DEVELOPMENT_PACKAGE_DEPENDS
  "libnopal-io${NOPAL_ABI} (= ${debian_version}), libnopal-dev (= ${debian_version}), libevent-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libnopal${NOPAL_ABI} (= ${debian_version})")
include(CPack)
