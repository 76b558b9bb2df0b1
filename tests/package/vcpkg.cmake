# usage: cmake -DSOURCE=DIR -DWORK=DIR -DSHARED=ON|OFF -P vcpkg.cmake      (environment: CC, CXX)
# Runs the port of vcpkg as vcpkg would, with functions of ours in place of vcpkg's, which is no package of Debian's: each
# does what vcpkg documents of it, as far as the port uses it. Then a program is built with what was installed.
cmake_minimum_required(VERSION 3.22)

set(PORT nopal)
set(port_dir "${SOURCE}/packaging/vcpkg/${PORT}")
set(build "${WORK}/vcpkg-build")
set(CURRENT_PACKAGES_DIR "${WORK}/vcpkg-packages")
file(REMOVE_RECURSE "${build}" "${CURRENT_PACKAGES_DIR}" "${WORK}/vcpkg-consumer")

function(check_that)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "vcpkg port: this does not hold: ${ARGN}")
  endif()
endfunction()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# --- the manifest ---
file(READ "${port_dir}/vcpkg.json" manifest)
foreach(key IN ITEMS name version description license supports)
  string(JSON ${key} GET "${manifest}" ${key})
endforeach()
file(STRINGS "${SOURCE}/include/nopal/version.hpp" version_line REGEX "NOPAL_VERSION_STRING")
check_that(name STREQUAL PORT)
check_that(version_line MATCHES "\"${version}\"")
check_that(license STREQUAL "MIT")
check_that(supports MATCHES "^linux & x64$")
check_that(name MATCHES "^[a-z0-9]+(-[a-z0-9]+)*$")
set(dependencies "")
string(JSON count LENGTH "${manifest}" dependencies)
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
  string(JSON dependency GET "${manifest}" dependencies ${index} name)
  string(JSON host GET "${manifest}" dependencies ${index} host)
  check_that(host)
  list(APPEND dependencies "${dependency}")
endforeach()
string(JSON members LENGTH "${manifest}")
check_that(members EQUAL 6)

# --- what a port calls; a function of a package that the manifest does not name is an error ---
function(vcpkg_cmake_configure)
  check_that("vcpkg-cmake" IN_LIST dependencies)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  check_that(NOT DEFINED arg_UNPARSED_ARGUMENTS)
  run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${build}" -DCMAKE_BUILD_TYPE=Release "-DBUILD_SHARED_LIBS=${SHARED}"
    -DCMAKE_UNITY_BUILD=ON  # quicker
    "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  check_that("vcpkg-cmake" IN_LIST dependencies)
  check_that(${ARGC} EQUAL 0)
  run("${CMAKE_COMMAND}" --build "${build}" --parallel 2)
  run("${CMAKE_COMMAND}" --install "${build}")
endfunction()

# Moves the package's files to share/, one folder nearer to the prefix.
function(vcpkg_cmake_config_fixup)
  check_that("vcpkg-cmake-config" IN_LIST dependencies)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  check_that(NOT DEFINED arg_UNPARSED_ARGUMENTS)
  check_that(EXISTS "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  file(REMOVE "${CURRENT_PACKAGES_DIR}/lib/cmake")
  set(targets "${CURRENT_PACKAGES_DIR}/share/${PORT}/nopalTargets.cmake")
  file(READ "${targets}" text)
  set(one_up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  string(REPLACE "${one_up}${one_up}${one_up}" "${one_up}${one_up}" text "${text}")
  file(WRITE "${targets}" "${text}")
endfunction()

function(vcpkg_fixup_pkgconfig)
  check_that(${ARGC} EQUAL 0)
  check_that(EXISTS "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/nopal.pc")
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  check_that(EXISTS "${arg_FILE_LIST}")
  file(INSTALL "${arg_FILE_LIST}" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${port_dir}/portfile.cmake")

# --- what vcpkg asks of the outcome, and a program ---
foreach(file IN ITEMS include/nopal/nopal.hpp share/nopal/nopalConfig.cmake share/nopal/copyright share/nopal/usage)
  check_that(EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
endforeach()
check_that(NOT EXISTS "${CURRENT_PACKAGES_DIR}/debug/include")
check_that(NOT EXISTS "${CURRENT_PACKAGES_DIR}/lib/cmake/nopal")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${WORK}/vcpkg-consumer" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}")
run("${CMAKE_COMMAND}" --build "${WORK}/vcpkg-consumer")
run("${WORK}/vcpkg-consumer/consumer")
