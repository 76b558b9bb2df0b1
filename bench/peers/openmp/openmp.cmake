# Adds the peers gomp and libomp, each where its compiler and its library are found.

include(NopalOpenMP)

# nopal_add_openmp_peer(name compiler_id missing names...): `names` are what the compiler may be called; `missing` says
# what to install.
function(nopal_add_openmp_peer name compiler_id missing)
  if(CMAKE_CXX_COMPILER_ID STREQUAL compiler_id)
    set(compiler "${CMAKE_CXX_COMPILER}")
  else()
    find_program(NOPAL_PEER_${compiler_id} NAMES ${ARGN} DOC "Compiler of the peer ${name}")
    set(compiler "${NOPAL_PEER_${compiler_id}}")
  endif()
  if(NOT compiler)
    message(STATUS "Peer ${name} left out: there is no ${compiler_id} (${missing})")
    return()
  endif()
  nopal_compiles_openmp(able "${compiler}")
  if(NOT able)
    message(STATUS "Peer ${name} left out: ${compiler} has no OpenMP (${missing})")
    return()
  endif()
  if(compiler STREQUAL CMAKE_CXX_COMPILER)
    nopal_add_peer(${name} HEADER openmp SOURCES openmp/peer.cpp OPTIONS -fopenmp LIBRARIES -fopenmp)
    return()
  endif()

  # A build of its own, which looks for changes whenever this one does.
  include(ExternalProject)
  get_target_property(runner_sources nopal_runner SOURCES)
  string(REPLACE ";" "|" runner_sources "${runner_sources}")
  string(REPLACE ";" "|" program_sources "${NOPAL_PROGRAM_SOURCES}")
  ExternalProject_Add(nopal_peer_${name}
    SOURCE_DIR "${PROJECT_SOURCE_DIR}/bench/peers/second_compiler"
    BINARY_DIR "${CMAKE_CURRENT_BINARY_DIR}/${name}"
    PREFIX "${CMAKE_CURRENT_BINARY_DIR}/${name}-steps"
    LIST_SEPARATOR |
    CMAKE_ARGS
      "-DCMAKE_CXX_COMPILER=${compiler}"
      "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
      "-DNOPAL_WERROR=${NOPAL_WERROR}"
      "-DNOPAL_PEER_NAME=${name}"
      "-DNOPAL_PEER_DIRECTORY=${peer_directory}"
      "-DNOPAL_PROGRAM_SOURCES=${program_sources}"
      "-DNOPAL_RUNNER_SOURCES=${runner_sources}"
    BUILD_ALWAYS ON
    INSTALL_COMMAND "")
endfunction()

nopal_add_openmp_peer(gomp GNU "g++" g++)
nopal_add_openmp_peer(libomp Clang "clang and libomp-dev of its version" ${NOPAL_CLANG_NAMES})
