# The translator of Cilk, at <build>/tools/nopal-cilk, where clang's parser is found: libclang, of 16 or newer.
file(GLOB llvm_folders "/usr/lib/llvm-*")
list(SORT llvm_folders COMPARE NATURAL ORDER DESCENDING)
find_path(NOPAL_LIBCLANG_INCLUDE clang-c/Index.h PATHS ${llvm_folders} PATH_SUFFIXES include)
find_library(NOPAL_LIBCLANG NAMES clang libclang PATHS ${llvm_folders} PATH_SUFFIXES lib)
mark_as_advanced(NOPAL_LIBCLANG_INCLUDE NOPAL_LIBCLANG)
if(NOT NOPAL_LIBCLANG_INCLUDE OR NOT NOPAL_LIBCLANG)
  message(STATUS "Nopal: clang's parser is not found (libclang-19-dev): 'nopal cilk' is not built")
  return()
endif()

file(GLOB cilk_sources CONFIGURE_DEPENDS cilk/*.cpp)
add_executable(nopal_cilk ${cilk_sources} command_line.cpp)
set_target_properties(nopal_cilk PROPERTIES OUTPUT_NAME nopal-cilk)
nopal_set_warnings(nopal_cilk)
target_compile_features(nopal_cilk PRIVATE cxx_std_20)
target_include_directories(nopal_cilk PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_include_directories(nopal_cilk SYSTEM PRIVATE "${NOPAL_LIBCLANG_INCLUDE}")
target_link_libraries(nopal_cilk PRIVATE "${NOPAL_LIBCLANG}" nopal::nopal CLI11::CLI11 fmt::fmt)
# Installed, it looks for the library by the name of its folder; not installed, it compiles against this build.
include(GNUInstallDirs)
target_compile_definitions(nopal_cilk PRIVATE
  "NOPAL_CILK_LIBDIR=\"${CMAKE_INSTALL_LIBDIR}\""
  "NOPAL_CILK_BUILD_INCLUDE=\"${PROJECT_SOURCE_DIR}/include\""
  "NOPAL_CILK_BUILD_LIBRARY=\"$<TARGET_FILE_DIR:nopal>\"")
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(nopal_cilk PRIVATE NOPAL_CILK_STATIC)
endif()
