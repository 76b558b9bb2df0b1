# Sources of the library with faults made on purpose, or other numbers, for tests.
include_guard(GLOBAL)

# nopal_altered_source(variable file "text => other text"...): a copy of a source of the library, with each text replaced;
# `variable` gets its path.
function(nopal_altered_source variable file)
  set(original "${PROJECT_SOURCE_DIR}/src/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${original}")
  file(READ "${original}" source)
  foreach(change IN LISTS ARGN)
    string(REGEX MATCH "^(.*) => (.*)$" _ "${change}")
    set(from "${CMAKE_MATCH_1}")
    set(to "${CMAKE_MATCH_2}")
    string(FIND "${source}" "${from}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "src/${file} does not say '${from}' any more.")
    endif()
    string(REPLACE "${from}" "${to}" source "${source}")
  endforeach()
  get_filename_component(name "${file}" NAME)
  set(copy "${CMAKE_CURRENT_BINARY_DIR}/${variable}_${name}")
  file(CONFIGURE OUTPUT "${copy}" CONTENT "${source}" @ONLY)
  set(${variable} "${copy}" PARENT_SCOPE)
endfunction()
