# The library with the deques and joins that are built for comparison only, beside the one that is built by default.
include_guard(GLOBAL)

# Once per directory that calls nopal_variant_library, which properties of sources require.
macro(nopal_prepare_variant_libraries)
  find_package(Threads REQUIRED)
  get_target_property(nopal_variant_sources nopal SOURCES)
  list(TRANSFORM nopal_variant_sources REPLACE "^([^/].*)$" "${PROJECT_SOURCE_DIR}/src/\\1")
  nopal_use_general_registers("${PROJECT_SOURCE_DIR}/src/")
  nopal_compile_apart("${PROJECT_SOURCE_DIR}/src/")
endmacro()

# nopal_variant_library(target definition...): the library with these definitions.
function(nopal_variant_library target)
  add_library(${target} STATIC ${nopal_variant_sources})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC ${ARGN})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC Threads::Threads)
  nopal_set_warnings(${target})
  if(NOT NOPAL_COVERAGE)
    # Each source alone is compiled in the library itself.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
