# Choices of the build beyond on and off, and the helpers that every folder uses.

# nopal_choice(variable default other...): a cache variable that takes one of a few values.
function(nopal_choice variable help default)
  set(accepted ${default} ${ARGN})
  set(${variable} "${default}" CACHE STRING "${help}")
  set_property(CACHE ${variable} PROPERTY STRINGS ${accepted})
  if(NOT "${${variable}}" IN_LIST accepted)
    list(JOIN accepted ", " accepted)
    message(FATAL_ERROR "${variable}=${${variable}} is not known; accepted: ${accepted}.")
  endif()
endfunction()

# The alternatives to the defaults exist to be measured against them.
nopal_choice(NOPAL_DEQUE "Deque of the workers" split the lockfree)
nopal_choice(NOPAL_JOIN "Protocol of the join" waitfree locked)
nopal_choice(NOPAL_VIEWS "How a strand finds its view of a reducer: by its slot, or in a hash map" slots hashed)
nopal_choice(NOPAL_SANITIZE "Sanitizer for all of Nopal, or fuzzer: libFuzzer's instrumentation and address" none address thread fuzzer)

# The inlined fast path differs between the variants, so whoever includes the headers must see the
# choice. The defaults need no definition: headers used without CMake must mean the same.
set(NOPAL_VARIANT_DEFINITIONS "")
if(NOT NOPAL_DEQUE STREQUAL "split")
  string(TOUPPER "NOPAL_DEQUE_${NOPAL_DEQUE}" definition)
  list(APPEND NOPAL_VARIANT_DEFINITIONS ${definition})
endif()
if(NOT NOPAL_JOIN STREQUAL "waitfree")
  string(TOUPPER "NOPAL_JOIN_${NOPAL_JOIN}" definition)
  list(APPEND NOPAL_VARIANT_DEFINITIONS ${definition})
endif()
if(NOT NOPAL_VIEWS STREQUAL "slots")
  string(TOUPPER "NOPAL_VIEWS_${NOPAL_VIEWS}" definition)
  list(APPEND NOPAL_VARIANT_DEFINITIONS ${definition})
endif()

# The C++ library that archives of this compiler need. Programs that a C compiler links have to name it.
set(NOPAL_CXX_LIBRARY stdc++)
if("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  set(NOPAL_CXX_LIBRARY c++)
endif()

# For the whole directory tree and not per target: code with and without a sanitizer must not mix. The first level and
# lines alone are what the tools need, and much quicker to compile.
if(NOPAL_SANITIZE MATCHES "^(address|thread)$" AND CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  add_compile_options(-O1 -g1)
endif()
if(NOPAL_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(NOPAL_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOPAL_SANITIZE STREQUAL "fuzzer")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "NOPAL_SANITIZE=fuzzer needs Clang, which brings libFuzzer.")
  endif()
  # A finding ends the program, where it would only be printed otherwise.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# nopal_use_general_registers(prefix): for the sources below `prefix` that run with the caller's vector registers in place.
function(nopal_use_general_registers prefix)
  # Elsewhere the assembly keeps the vector registers itself.
  if(NOT NOPAL_ISA STREQUAL "x86_64")
    return()
  endif()
  # Clang's -mgeneral-regs-only refuses the C++ library's declarations of floating-point functions.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(flags "-mno-mmx;-mno-sse")
  else()
    set(flags -mgeneral-regs-only)
  endif()
  foreach(name IN ITEMS arch/x86_64/unwinding arch/x86_64/unwind_rules scheduler/promotion scheduler/publish trace/ring deque/split_deque deque/the_deque deque/lockfree_deque)
    set_source_files_properties("${prefix}${name}.cpp" PROPERTIES COMPILE_OPTIONS "${flags};-fno-sanitize=all")
  endforeach()
endfunction()

# nopal_compile_apart(prefix): the sources below `prefix` that have names of their own which others have, too, and the noise,
# in whose place a test puts its own. Projects may compile the others several as one (CMAKE_UNITY_BUILD).
function(nopal_compile_apart prefix)
  foreach(name IN ITEMS noise tasks task_waits)
    set_source_files_properties("${prefix}scheduler/${name}.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# nopal_set_coverage(target): counts which of its lines and branches run. The counters live in a file, so that
# processes which end by a signal count too; strands run in parallel, so they are atomic.
function(nopal_set_coverage target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "NOPAL_COVERAGE needs Clang, whose counters outlive a process that is killed.")
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O1;-fprofile-instr-generate;-fcoverage-mapping;\
-fprofile-update=atomic;SHELL:-mllvm -runtime-counter-relocation>")
  target_link_options(${target} PUBLIC -fprofile-instr-generate)
endfunction()

# nopal_set_warnings(target): the warnings all our code is free of.
function(nopal_set_warnings target)
  set(flags -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(NOPAL_WERROR)
    list(APPEND flags -Werror)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
endfunction()

# nopal_find_package(name debian_package): find_package, with an error that says what to install.
macro(nopal_find_package name debian_package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing (Debian and Ubuntu: apt install ${debian_package}). "
      "The library alone needs nothing, and is what is built without -DNOPAL_BUILD_TOOLS, _BENCH and _TESTS.")
  endif()
endmacro()
