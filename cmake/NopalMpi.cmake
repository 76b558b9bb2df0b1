# MPI, for libnopal-mpi: sets NOPAL_MPI_FOUND where that is to be built, and defines MPI::MPI_C. Included after NopalOptions.
nopal_choice(NOPAL_BUILD_MPI "Build libnopal-mpi, by which strands wait for MPI; AUTO: where MPI is found" AUTO ON OFF)

set(NOPAL_MPI_FOUND OFF)
# Debian's packages know no MPI: which one there is, a machine's users choose. What is found is not of another processor.
if(NOPAL_BUILD_MPI STREQUAL "ON" OR (NOPAL_BUILD_MPI STREQUAL "AUTO" AND NOT NOPAL_DEBIAN AND NOT CMAKE_CROSSCOMPILING))
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(NOPAL_MPI_FOUND ON)
  elseif(NOPAL_BUILD_MPI STREQUAL "ON")
    message(FATAL_ERROR "NOPAL_BUILD_MPI needs an MPI of standard 3.0 or newer (Debian and Ubuntu: apt install libopenmpi-dev openmpi-bin).")
  endif()
endif()
