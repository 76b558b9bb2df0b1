# Builds for RISC-V 64 with Debian's and Ubuntu's cross compiler, and runs what was built under emulation:
# apt install g++-riscv64-linux-gnu qemu-user. Libraries for that machine that lie elsewhere, as GoogleTest for
# the tests, are named by CMAKE_PREFIX_PATH.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv64)

set(triple riscv64-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc CACHE STRING "")
set(CMAKE_CXX_COMPILER ${triple}-g++ CACHE STRING "")
# Clang is one program for all machines; it is told of this one, and GCC ignores that.
set(CMAKE_C_COMPILER_TARGET ${triple})
set(CMAKE_CXX_COMPILER_TARGET ${triple})
set(CMAKE_ASM_COMPILER_TARGET ${triple})

find_program(NOPAL_QEMU_RISCV64 qemu-riscv64)
mark_as_advanced(NOPAL_QEMU_RISCV64)
if(NOPAL_QEMU_RISCV64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${NOPAL_QEMU_RISCV64};-L;/usr/${triple}" CACHE STRING "")
endif()

# Programs are this machine's; the rest is never that of this machine's own folders.
set(CMAKE_FIND_ROOT_PATH /usr/${triple} ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
