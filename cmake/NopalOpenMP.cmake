# Which compilers have OpenMP: it is a package of its own with some. GCC brings libgomp, Clang libomp.
include_guard(GLOBAL)

set(NOPAL_CLANG_NAMES clang++)
foreach(version RANGE 16 40)
  list(PREPEND NOPAL_CLANG_NAMES clang++-${version})
endforeach()

# nopal_compiles_openmp(result compiler): whether it compiles and links OpenMP.
function(nopal_compiles_openmp result compiler)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/openmp_check.cpp")
  file(WRITE "${source}" "#include <omp.h>\nint main() { return omp_get_num_threads() - 1; }\n")
  execute_process(COMMAND "${compiler}" -fopenmp "${source}" -o "${CMAKE_CURRENT_BINARY_DIR}/openmp_check"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} OFF PARENT_SCOPE)
  else()
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
