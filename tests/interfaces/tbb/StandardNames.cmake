# What the standard library's headers are that each header of oneTBB 2021.8 includes, also by others of its own, and which of
# its own. Programs rely on it, so ours include them too: for each header a file that includes it alone and uses one name of
# each of these. Of oneTBB's own, its containers and the names for its profiler are left out.
set(headers "")
macro(nopal_tbb_header_includes header)
  list(APPEND headers ${header})
  set(includes_of_${header} ${ARGN})
endmacro()
macro(nopal_tbb_header_includes_own header)
  set(own_of_${header} ${ARGN})
endmacro()

nopal_tbb_header_includes(tbb algorithm array atomic chrono climits compare concepts cstddef cstdint cstdlib cstring
  exception functional initializer_list iterator list memory memory_resource mutex new queue random stdexcept string thread
  tuple type_traits utility vector)
nopal_tbb_header_includes(blocked_range atomic climits concepts cstddef cstdint iterator thread type_traits)
nopal_tbb_header_includes(blocked_range2d atomic climits concepts cstddef cstdint iterator thread type_traits)
nopal_tbb_header_includes(blocked_range3d atomic climits concepts cstddef cstdint iterator thread type_traits)
nopal_tbb_header_includes(blocked_rangeNd algorithm array atomic climits concepts cstddef cstdint iterator memory thread
  type_traits utility)
nopal_tbb_header_includes(cache_aligned_allocator atomic climits cstddef cstdint cstdlib memory_resource thread type_traits
  utility)
nopal_tbb_header_includes(collaborative_call_once atomic climits cstddef cstdint exception iterator memory mutex new
  stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(combinable algorithm atomic climits compare concepts cstddef cstdint cstdlib cstring exception
  functional iterator memory memory_resource mutex new stdexcept string thread type_traits utility)
nopal_tbb_header_includes(enumerable_thread_specific algorithm atomic climits compare concepts cstddef cstdint cstdlib
  cstring exception functional iterator memory memory_resource mutex new stdexcept string thread type_traits utility)
nopal_tbb_header_includes(global_control atomic climits cstddef cstdint exception iterator memory new stdexcept thread
  type_traits utility)
nopal_tbb_header_includes(info cstddef cstdint vector)
nopal_tbb_header_includes(mutex atomic climits concepts cstddef cstdint string thread type_traits)
nopal_tbb_header_includes(null_mutex atomic climits concepts cstddef cstdint thread type_traits)
nopal_tbb_header_includes(null_rw_mutex atomic climits concepts cstddef cstdint thread type_traits)
nopal_tbb_header_includes(numa_allocation cstddef cstdint vector)
nopal_tbb_header_includes(parallel_for algorithm atomic climits concepts cstddef cstdint cstdlib exception iterator memory
  memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(parallel_for_each algorithm atomic climits concepts cstddef cstdint cstdlib exception iterator
  memory memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(parallel_invoke atomic climits cstddef cstdint exception iterator memory mutex new stdexcept
  string thread tuple type_traits utility)
nopal_tbb_header_includes(parallel_pipeline atomic climits cstddef cstdint cstdlib exception iterator memory memory_resource
  mutex new stdexcept string thread type_traits utility)
nopal_tbb_header_includes(parallel_reduce algorithm atomic climits concepts cstddef cstdint cstdlib exception iterator
  memory memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(parallel_scan algorithm atomic climits concepts cstddef cstdint cstdlib exception functional
  iterator memory memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(parallel_sort algorithm atomic climits concepts cstddef cstdint cstdlib exception functional
  iterator memory memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(partitioner algorithm atomic climits concepts cstddef cstdint cstdlib exception iterator memory
  memory_resource mutex new stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(queuing_mutex atomic climits concepts cstddef cstdint string thread type_traits)
nopal_tbb_header_includes(queuing_rw_mutex atomic climits concepts cstddef cstdint cstring string thread type_traits)
nopal_tbb_header_includes(rw_mutex atomic climits concepts cstddef cstdint string thread type_traits)
nopal_tbb_header_includes(scalable_allocator atomic climits cstddef cstdint cstdlib memory_resource new thread type_traits
  utility)
nopal_tbb_header_includes(spin_mutex atomic climits concepts cstddef cstdint string thread type_traits)
nopal_tbb_header_includes(spin_rw_mutex atomic climits concepts cstddef cstdint string thread type_traits)
nopal_tbb_header_includes(task atomic climits cstddef cstdint iterator memory mutex string thread type_traits utility)
nopal_tbb_header_includes(task_arena atomic climits cstddef cstdint exception iterator memory mutex new stdexcept string
  thread type_traits utility vector)
nopal_tbb_header_includes(task_group atomic climits cstddef cstdint exception iterator memory mutex new stdexcept string
  thread type_traits utility)
nopal_tbb_header_includes(task_scheduler_observer atomic climits cstddef cstdint exception iterator memory mutex new
  stdexcept string thread type_traits utility vector)
nopal_tbb_header_includes(tbb_allocator atomic climits cstddef cstdint cstdlib memory_resource thread type_traits utility)
nopal_tbb_header_includes(tick_count chrono)
nopal_tbb_header_includes(version cstddef)

nopal_tbb_header_includes_own(blocked_range version)
nopal_tbb_header_includes_own(blocked_range2d blocked_range version)
nopal_tbb_header_includes_own(blocked_range3d blocked_range version)
nopal_tbb_header_includes_own(blocked_rangeNd blocked_range version)
nopal_tbb_header_includes_own(collaborative_call_once info task_arena task_group)
nopal_tbb_header_includes_own(combinable blocked_range cache_aligned_allocator enumerable_thread_specific task
  tbb_allocator version)
nopal_tbb_header_includes_own(enumerable_thread_specific blocked_range cache_aligned_allocator task tbb_allocator version)
nopal_tbb_header_includes_own(parallel_for blocked_range cache_aligned_allocator info partitioner task_arena task_group
  version)
nopal_tbb_header_includes_own(parallel_for_each blocked_range cache_aligned_allocator info parallel_for partitioner
  task_arena task_group version)
nopal_tbb_header_includes_own(parallel_invoke task_group)
nopal_tbb_header_includes_own(parallel_pipeline task_group tbb_allocator)
nopal_tbb_header_includes_own(parallel_reduce cache_aligned_allocator info partitioner task_arena task_group)
nopal_tbb_header_includes_own(parallel_scan blocked_range cache_aligned_allocator info partitioner task_arena task_group
  version)
nopal_tbb_header_includes_own(parallel_sort blocked_range cache_aligned_allocator info parallel_for partitioner task_arena
  task_group version)
nopal_tbb_header_includes_own(partitioner cache_aligned_allocator info task_arena task_group)
nopal_tbb_header_includes_own(task_arena info)
nopal_tbb_header_includes_own(task_scheduler_observer info task_arena)

set(sources "${CMAKE_CURRENT_SOURCE_DIR}/standard_names.cpp")
foreach(header IN LISTS headers)
  set(lines "// Uses what <tbb/${header}.h> includes.\n#include <tbb/${header}.h>\n")
  foreach(included IN LISTS includes_of_${header})
    string(TOUPPER "#define USES_${included}\n" line)
    string(REPLACE "#DEFINE" "#define" line "${line}")
    string(APPEND lines "${line}")
  endforeach()
  foreach(included IN LISTS own_of_${header})
    string(TOUPPER "${included}" name)
    string(APPEND lines "#define USES_TBB_${name}\n")
  endforeach()
  string(APPEND lines "#include \"interfaces/tbb/standard_names.hpp\"\n")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/standard_names/${header}.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${lines}" @ONLY)
  list(APPEND sources "${file}")
endforeach()

add_executable(test_tbb_standard_names ${sources})
nopal_set_warnings(test_tbb_standard_names)
target_compile_features(test_tbb_standard_names PRIVATE cxx_std_20)
target_include_directories(test_tbb_standard_names PRIVATE "${NOPAL_TBB_INCLUDE}" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(test_tbb_standard_names PRIVATE nopal)
nopal_add_command_test(standard_names COMMAND test_tbb_standard_names)

add_executable(test_tbb_standard_names_elided ${sources})
nopal_set_warnings(test_tbb_standard_names_elided)
target_compile_features(test_tbb_standard_names_elided PRIVATE cxx_std_20)
target_compile_definitions(test_tbb_standard_names_elided PRIVATE NOPAL_ELIDE)
target_include_directories(test_tbb_standard_names_elided PRIVATE "${NOPAL_TBB_INCLUDE}" "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/tests")
nopal_add_command_test(standard_names_elided COMMAND test_tbb_standard_names_elided)
