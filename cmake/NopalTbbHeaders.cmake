# The headers of oneTBB's interface that have no text of their own, written when CMake configures: the first spelling of
# each, <tbb/x.h> for <oneapi/tbb/x.h>, and those that only say that they are not here.
#
# NOPAL_TBB_INCLUDE is the folder of this build that has the whole interface in both spellings; its headers include those of
# the sources by their paths. NOPAL_TBB_INSTALLED has what is installed beside the sources' headers. Neither is a folder that the
# sources have too, which a build inside of them would write into.
set(NOPAL_TBB_INCLUDE "${PROJECT_BINARY_DIR}/headers/nopal/compat")
set(NOPAL_TBB_INSTALLED "${PROJECT_BINARY_DIR}/headers_installed/nopal/compat")

# Names below oneapi/. What is here is what the sources have; of oneTBB's headers, the others are not.
set(tbb_sources "${PROJECT_SOURCE_DIR}/include/nopal/compat/oneapi")
file(GLOB NOPAL_TBB_HEADERS CONFIGURE_DEPENDS RELATIVE "${tbb_sources}" "${tbb_sources}/*.h" "${tbb_sources}/tbb/*.h")
set(NOPAL_TBB_HEADERS_REFUSED concurrent_hash_map concurrent_lru_cache concurrent_map
  concurrent_priority_queue concurrent_queue concurrent_set concurrent_unordered_map concurrent_unordered_set
  concurrent_vector flow_graph flow_graph_abstractions memory_pool profiling
  tbbmalloc_proxy)
list(TRANSFORM NOPAL_TBB_HEADERS_REFUSED REPLACE "(.+)" "tbb/\\1.h")

# nopal_tbb_header(file comment line): a header of two lines. A file that has them already keeps its time.
function(nopal_tbb_header file comment line)
  file(CONFIGURE OUTPUT "${file}" CONTENT "// ${comment}\n${line}\n" @ONLY)
endfunction()

foreach(header IN LISTS NOPAL_TBB_HEADERS NOPAL_TBB_HEADERS_REFUSED)
  get_filename_component(name "${header}" NAME)
  set(from_sources "#include \"${tbb_sources}/${header}\"")
  set(from_beside "#include \"../oneapi/${header}\"")
  set(older "<tbb/${name}>: the same header under the name that oneTBB's interface had first.")
  nopal_tbb_header("${NOPAL_TBB_INSTALLED}/tbb/${name}" "${older}" "${from_beside}")
  if(header IN_LIST NOPAL_TBB_HEADERS)
    nopal_tbb_header("${NOPAL_TBB_INCLUDE}/tbb/${name}" "${older}" "${from_sources}")
    nopal_tbb_header("${NOPAL_TBB_INCLUDE}/oneapi/${header}" "<oneapi/${header}> of the sources of this build." "${from_sources}")
  else()
    nopal_tbb_header("${NOPAL_TBB_INCLUDE}/tbb/${name}" "${older}" "${from_beside}")
    foreach(folder IN ITEMS "${NOPAL_TBB_INSTALLED}" "${NOPAL_TBB_INCLUDE}")
      nopal_tbb_header("${folder}/oneapi/${header}"
        "Not here; said rather than found elsewhere, since oneTBB's own headers do not go with these."
        "#error \"nopal: not among these headers: compile this file with those of oneTBB, and those alone\"")
    endforeach()
  endif()
endforeach()

# nopal_install_tbb_headers(): what NOPAL_TBB_INSTALLED has.
function(nopal_install_tbb_headers)
  set(first "")
  foreach(header IN LISTS NOPAL_TBB_HEADERS NOPAL_TBB_HEADERS_REFUSED)
    get_filename_component(name "${header}" NAME)
    list(APPEND first "${NOPAL_TBB_INSTALLED}/tbb/${name}")
  endforeach()
  set(refused ${NOPAL_TBB_HEADERS_REFUSED})
  list(TRANSFORM refused PREPEND "${NOPAL_TBB_INSTALLED}/oneapi/")
  set(folder "${CMAKE_INSTALL_INCLUDEDIR}/nopal/compat")
  install(FILES ${first} DESTINATION "${folder}/tbb" COMPONENT development)
  install(FILES ${refused} DESTINATION "${folder}/oneapi/tbb" COMPONENT development)
endfunction()
