# One source, several programs: compiles SOURCES once per variant as object libraries <target>_<variant>
# and gathers them in the interface library <target>. A variant is the namespace its names go to.
#
#   nopal_compile_variants(<target> VARIANTS parallel elided depth SOURCES a.cpp b.cpp)
# Not GLOBAL: the variables below are those of the directory that includes this, and of those beneath it.
include_guard(DIRECTORY)

# Variants of one text differ by a third where one's inner loop happens to straddle a cache line.
set(nopal_program_options -falign-functions=64 -falign-loops=64)

set(nopal_bench_directory ${CMAKE_CURRENT_LIST_DIR})

function(nopal_compile_variants target)
  set(definitions_parallel "")
  set(definitions_elided NOPAL_ELIDE)
  set(definitions_depth NOPAL_ELIDE NOPAL_ELIDE_DEPTH)
  set(definitions_record "NOPAL_PROGRAM_FORK_JOIN=\"record/scope.hpp\"")
  set(definitions_plain NOPAL_ELIDE NOPAL_PROGRAM_PLAIN)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "VARIANTS;SOURCES")
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE)
  endif()
  foreach(variant IN LISTS arg_VARIANTS)
    set(objects ${target}_${variant})
    add_library(${objects} OBJECT ${arg_SOURCES})
    nopal_set_warnings(${objects})
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_compile_definitions(${objects} PRIVATE NOPAL_PROGRAM_VARIANT=${variant} ${definitions_${variant}})
    target_include_directories(${objects} PRIVATE ${nopal_bench_directory})
    target_compile_options(${objects} PRIVATE ${nopal_program_options})
    target_link_libraries(${objects} PRIVATE nopal::nopal)
    # Programs are free to use one another's names.
    set_target_properties(${objects} PROPERTIES UNITY_BUILD OFF)
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
