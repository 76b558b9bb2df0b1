# The headers of oneTBB's interface that have no text of their own, written when CMake configures: the first spelling of
# each, <tbb/x.h> for <oneapi/tbb/x.h>, and those that take oneTBB's own.
#
# NOPAL_TBB_INCLUDE is the folder of this build that has the whole interface in both spellings; its headers include those of
# the sources by their paths. NOPAL_TBB_INSTALLED has what is installed beside the sources' headers. Neither is a folder that the
# sources have too, which a build inside of them would write into.
set(NOPAL_TBB_INCLUDE "${PROJECT_BINARY_DIR}/headers/nopal/compat")
set(NOPAL_TBB_INSTALLED "${PROJECT_BINARY_DIR}/headers_installed/nopal/compat")

# Names below oneapi/, of what the sources have.
set(tbb_sources "${PROJECT_SOURCE_DIR}/include/nopal/compat/oneapi")
file(GLOB NOPAL_TBB_HEADERS CONFIGURE_DEPENDS RELATIVE "${tbb_sources}" "${tbb_sources}/*.h" "${tbb_sources}/tbb/*.h")

# The containers, flow graphs and memory pools: oneTBB's own headers, where they are installed, under another namespace
# (tbb/detail/theirs.h), and the names that each has. Before a colon is the macro that asks for the name of a preview; a
# name that ends in / is a namespace.
set(NOPAL_TBB_HEADERS_THEIRS "")
function(nopal_tbb_theirs header)
  set(NOPAL_TBB_NAMES_${header} "${ARGN}" PARENT_SCOPE)
  list(APPEND NOPAL_TBB_HEADERS_THEIRS "tbb/${header}.h")
  set(NOPAL_TBB_HEADERS_THEIRS "${NOPAL_TBB_HEADERS_THEIRS}" PARENT_SCOPE)
endfunction()
nopal_tbb_theirs(concurrent_hash_map concurrent_hash_map tbb_hash_compare)
nopal_tbb_theirs(concurrent_lru_cache TBB_PREVIEW_CONCURRENT_LRU_CACHE:concurrent_lru_cache)
nopal_tbb_theirs(concurrent_map concurrent_map concurrent_multimap)
nopal_tbb_theirs(concurrent_priority_queue concurrent_priority_queue)
nopal_tbb_theirs(concurrent_queue concurrent_bounded_queue concurrent_queue)
nopal_tbb_theirs(concurrent_set concurrent_multiset concurrent_set)
nopal_tbb_theirs(concurrent_unordered_map concurrent_unordered_map concurrent_unordered_multimap)
nopal_tbb_theirs(concurrent_unordered_set concurrent_unordered_multiset concurrent_unordered_set)
nopal_tbb_theirs(concurrent_vector concurrent_vector)
nopal_tbb_theirs(flow_graph flow/)
nopal_tbb_theirs(flow_graph_abstractions)
nopal_tbb_theirs(memory_pool TBB_PREVIEW_MEMORY_POOL:fixed_pool TBB_PREVIEW_MEMORY_POOL:memory_pool
  TBB_PREVIEW_MEMORY_POOL:memory_pool_allocator)
nopal_tbb_theirs(profiling profiling/)
nopal_tbb_theirs(tbbmalloc_proxy)

# nopal_tbb_header(file comment line): a header of two lines. A file that has them already keeps its time.
function(nopal_tbb_header file comment line)
  file(CONFIGURE OUTPUT "${file}" CONTENT "// ${comment}\n${line}\n" @ONLY)
endfunction()

foreach(header IN LISTS NOPAL_TBB_HEADERS)
  get_filename_component(name "${header}" NAME)
  set(from_sources "#include \"${tbb_sources}/${header}\"")
  set(older "<tbb/${name}>: the same header under the name that oneTBB's interface had first.")
  nopal_tbb_header("${NOPAL_TBB_INSTALLED}/tbb/${name}" "${older}" "#include \"../oneapi/${header}\"")
  nopal_tbb_header("${NOPAL_TBB_INCLUDE}/tbb/${name}" "${older}" "${from_sources}")
  nopal_tbb_header("${NOPAL_TBB_INCLUDE}/oneapi/${header}" "<oneapi/${header}> of the sources of this build." "${from_sources}")
endforeach()

# nopal_tbb_using(result header): the using-declarations of a header's names.
function(nopal_tbb_using result header)
  set(text "")
  foreach(name IN LISTS NOPAL_TBB_NAMES_${header})
    if(name MATCHES "^(.+):(.+)$")
      string(APPEND text "#if defined(${CMAKE_MATCH_1}) && ${CMAKE_MATCH_1}\nusing ::NOPAL_TBB_THEIRS::${CMAKE_MATCH_2};\n#endif\n")
    elseif(name MATCHES "^(.+)/$")
      string(APPEND text "namespace ${CMAKE_MATCH_1} {\nusing namespace ::NOPAL_TBB_THEIRS::${CMAKE_MATCH_1};\n}  // namespace ${CMAKE_MATCH_1}\n")
    else()
      string(APPEND text "using ::NOPAL_TBB_THEIRS::${name};\n")
    endif()
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# nopal_tbb_write_theirs(header then): the header <oneapi/tbb/HEADER.h> with oneTBB's own inside, and what comes after it. Each is
# found by the search path, from where the compiler goes on to oneTBB's.
function(nopal_tbb_write_theirs header then)
  # What they have by way of headers that are left out.
  set(needed "")
  foreach(inside IN ITEMS _aligned_space _assert _exception _template_helpers _utils)
    string(APPEND needed "#include_next <oneapi/tbb/detail/${inside}.h>\n")
  endforeach()
  set(file "oneapi/tbb/${header}.h")
  string(MAKE_C_IDENTIFIER "${header}" guard)
  string(TOUPPER "NOPAL_COMPAT_TBB_${guard}_H" guard)
  foreach(folder IN ITEMS "${NOPAL_TBB_INSTALLED}" "${NOPAL_TBB_INCLUDE}")
    set(beside "")
    if(folder STREQUAL NOPAL_TBB_INCLUDE)
      set(beside "${tbb_sources}/tbb/detail/")
    elseif(NOT header MATCHES "^detail/")
      set(beside "detail/")
    endif()
    string(REPLACE "@beside@" "${beside}" after "${then}")
    set(before "")
    if(header STREQUAL "memory_pool")
      set(before "#include \"${beside}theirs_pools.h\"\n")
    endif()
    nopal_tbb_header("${folder}/${file}" "oneTBB's own, in the namespace of these headers."
      "#ifndef ${guard}
#define ${guard}
#pragma GCC system_header
#if defined(NOPAL_TBB_WITHOUT_ONETBB) || !__has_include_next(<${file}>)
#error \"nopal: of oneTBB's own headers, which are not installed (Debian and Ubuntu: apt install libtbb-dev)\"
#else
${before}#include \"${beside}theirs_begin.h\"
${needed}#include_next <${file}>
#include \"${beside}theirs_end.h\"
${after}#endif
#endif")
    if(NOT header MATCHES "^detail/")
      nopal_tbb_header("${folder}/tbb/${header}.h" "<tbb/${header}.h>: the same header under the name that oneTBB's interface had first."
        "#include <${file}>")
    endif()
  endforeach()
endfunction()

set(tbb_tried "")
foreach(header IN LISTS NOPAL_TBB_HEADERS_THEIRS)
  get_filename_component(name "${header}" NAME_WE)
  nopal_tbb_using(using "${name}")
  set(asked "")
  if(NOPAL_TBB_NAMES_${name} MATCHES "^([^:;]+):")
    set(asked " && defined(${CMAKE_MATCH_1}) && ${CMAKE_MATCH_1}")
  endif()
  if(NOT name STREQUAL "tbbmalloc_proxy")  # which asks for its library
    string(APPEND tbb_tried "#if !defined(NOPAL_TBB_WITHOUT_ONETBB) && __has_include_next(<oneapi/${header}>)${asked}\n#include <oneapi/${header}>\n#endif\n")
  endif()
  nopal_tbb_write_theirs("${name}" "namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
${using}}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb
")
endforeach()
# Some of its inside, which its own tests include.
set(NOPAL_TBB_HEADERS_INSIDE _allocator_traits _config _exception _machine _template_helpers _utils)
list(TRANSFORM NOPAL_TBB_HEADERS_INSIDE REPLACE "(.+)" "tbb/detail/\\1.h")
foreach(header IN LISTS NOPAL_TBB_HEADERS_INSIDE)
  get_filename_component(name "${header}" NAME_WE)
  nopal_tbb_write_theirs("detail/${name}" "#include \"@beside@theirs_inside.h\"\n")
endforeach()
foreach(folder IN ITEMS "${NOPAL_TBB_INSTALLED}" "${NOPAL_TBB_INCLUDE}")
  nopal_tbb_header("${folder}/oneapi/tbb/detail/theirs_if_installed.h" "What <tbb/tbb.h> has of oneTBB's own headers: those that are installed."
    "#pragma GCC system_header\n${tbb_tried}")
endforeach()

# The version of oneTBB that a program finds: that of the headers which its containers are from. Its functions are the
# library's, and not called.
foreach(folder IN ITEMS "${NOPAL_TBB_INSTALLED}" "${NOPAL_TBB_INCLUDE}")
  nopal_tbb_header("${folder}/oneapi/tbb/detail/version_if_installed.h" "The version of oneTBB's own headers, where they are installed."
    "#pragma GCC system_header
#if !defined(NOPAL_TBB_WITHOUT_ONETBB) && __has_include_next(<oneapi/tbb/version.h>)
#pragma push_macro(\"TBB_runtime_version\")
#pragma push_macro(\"TBB_runtime_interface_version\")
#define TBB_runtime_version nopal_tbb_runtime_version_of_onetbb
#define TBB_runtime_interface_version nopal_tbb_runtime_interface_version_of_onetbb
#include_next <oneapi/tbb/version.h>
#pragma pop_macro(\"TBB_runtime_interface_version\")
#pragma pop_macro(\"TBB_runtime_version\")
#endif")
endforeach()

# nopal_install_tbb_headers(): what NOPAL_TBB_INSTALLED has.
function(nopal_install_tbb_headers)
  set(first "")
  foreach(header IN LISTS NOPAL_TBB_HEADERS NOPAL_TBB_HEADERS_THEIRS)
    get_filename_component(name "${header}" NAME)
    list(APPEND first "${NOPAL_TBB_INSTALLED}/tbb/${name}")
  endforeach()
  set(written ${NOPAL_TBB_HEADERS_THEIRS})
  list(TRANSFORM written PREPEND "${NOPAL_TBB_INSTALLED}/oneapi/")
  set(folder "${CMAKE_INSTALL_INCLUDEDIR}/nopal/compat")
  install(FILES ${first} DESTINATION "${folder}/tbb" COMPONENT development)
  install(FILES ${written} DESTINATION "${folder}/oneapi/tbb" COMPONENT development)
  set(inside tbb/detail/theirs_if_installed.h tbb/detail/version_if_installed.h ${NOPAL_TBB_HEADERS_INSIDE})
  list(TRANSFORM inside PREPEND "${NOPAL_TBB_INSTALLED}/oneapi/")
  install(FILES ${inside}
    DESTINATION "${folder}/oneapi/tbb/detail" COMPONENT development)
endfunction()
