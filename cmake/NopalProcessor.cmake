# The processor that is built for: NOPAL_ISA, the name of its folder in src/arch, and whether its port is still in work.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(NOPAL_ISA x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(NOPAL_ISA aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "riscv64")
  set(NOPAL_ISA riscv64)
  # GCC calls its library for atomic operations on single bytes, before 13.
  set(NOPAL_PROCESSOR_LIBRARIES atomic)
else()
  set(NOPAL_ISA "${CMAKE_SYSTEM_PROCESSOR}")
endif()
if(NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/src/arch/${NOPAL_ISA}")
  message(FATAL_ERROR "Nopal has no port to ${NOPAL_ISA} yet; src/arch holds those that exist.")
endif()

# docs/processors.md says more. NOPAL_HAS_LATENT_FORKS: as the headers' macro of this name.
set(NOPAL_PORT_IN_WORK OFF)
set(NOPAL_HAS_LATENT_FORKS ON)
if(NOPAL_ISA STREQUAL "aarch64")
  set(NOPAL_PORT_IN_WORK ON)
  set(NOPAL_HAS_LATENT_FORKS OFF)
  message(STATUS "Nopal on AArch64 is in work, not supported: it has no latent forks, no race \
detector (nopal_check), and no part of it has run on a processor yet.")
elseif(NOPAL_ISA STREQUAL "riscv64")
  set(NOPAL_PORT_IN_WORK ON)
  set(NOPAL_HAS_LATENT_FORKS OFF)
  message(STATUS "Nopal on RISC-V 64 is in work, not supported: it has no latent forks, no race \
detector (nopal_check), and no part of it has run on a processor yet.")
endif()
