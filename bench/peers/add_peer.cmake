# How a peer becomes an executable. Included by the project itself, and by second_compiler/CMakeLists.txt for
# those peers that another compiler builds.
include_guard(DIRECTORY)
include(${CMAKE_CURRENT_LIST_DIR}/../variants.cmake)

get_filename_component(bench_directory "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# nopal_add_program_executable(target LIST list SOURCES file... [DEFINITIONS ...] [LIBRARIES target...] [OPTIONS flag...]):
# the programs of a list in programs/list.hpp, which the sources or libraries have, with the main program of a peer; files
# are relative to bench/.
function(nopal_add_program_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIST" "SOURCES;DEFINITIONS;LIBRARIES;OPTIONS")
  set(sources peers/peer_main.cpp ${arg_SOURCES})
  list(TRANSFORM sources PREPEND "${bench_directory}/")
  add_executable(${target} ${sources} $<TARGET_OBJECTS:nopal_runner>)
  nopal_set_warnings(${target})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS} NOPAL_PEER_PROGRAMS=${arg_LIST}
    "NOPAL_BUILD_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"")
  target_compile_options(${target} PRIVATE ${nopal_program_options} ${arg_OPTIONS})
  # The record of a run has the counters of the table in nopal/detail.
  target_include_directories(${target} PRIVATE "${bench_directory}" "${bench_directory}/../include")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
endfunction()

# nopal_add_peer(name [HEADER directory] SOURCES file... [LIBRARIES target...] [OPTIONS flag...]): compiles the programs
# that other libraries can have, with peers/<directory>/fork_join.hpp, by default <name>; files are relative to peers/.
function(nopal_add_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "SOURCES;LIBRARIES;OPTIONS;DEFINITIONS")
  if(NOT arg_HEADER)
    set(arg_HEADER ${name})
  endif()
  set(target nopal_peer_${name})
  list(TRANSFORM arg_SOURCES PREPEND "peers/")
  nopal_add_program_executable(${target} LIST NOPAL_BENCH_FORK_JOIN_PROGRAMS
    SOURCES ${arg_SOURCES} ${NOPAL_PROGRAM_SOURCES} LIBRARIES ${arg_LIBRARIES} OPTIONS ${arg_OPTIONS}
    DEFINITIONS NOPAL_PROGRAM_VARIANT=peer "NOPAL_PROGRAM_FORK_JOIN=\"peers/${arg_HEADER}/fork_join.hpp\"" ${arg_DEFINITIONS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${peer_directory}")
endfunction()
