# libtbb.so.12 over Nopal, for programs that are built: sets NOPAL_IN_PLACE where it is to be, and NOPAL_IN_PLACE_INCLUDE, where the
# headers of oneTBB are that declare what it defines. Included after NopalOptions.
nopal_choice(NOPAL_BUILD_IN_PLACE "Build a libtbb.so.12 that runs on Nopal; AUTO: where oneTBB's headers are found" AUTO ON OFF)

set(NOPAL_IN_PLACE OFF)
if(NOPAL_BUILD_IN_PLACE STREQUAL "ON" OR (NOPAL_BUILD_IN_PLACE STREQUAL "AUTO" AND NOPAL_SANITIZE STREQUAL "none"
   AND NOT NOPAL_DEBIAN AND NOT CMAKE_CROSSCOMPILING AND NOT NOPAL_VARIANT_DEFINITIONS))
  find_path(NOPAL_IN_PLACE_INCLUDE oneapi/tbb/version.h)
  mark_as_advanced(NOPAL_IN_PLACE_INCLUDE)
  if(NOPAL_IN_PLACE_INCLUDE)
    # What they declare is part of this library's interface, and the later ones have another one besides.
    file(STRINGS "${NOPAL_IN_PLACE_INCLUDE}/oneapi/tbb/version.h" interface REGEX "define TBB_INTERFACE_VERSION 1[0-9]+")
    if(interface MATCHES "VERSION 12(0[5-9]|1[0-3])0")
      set(NOPAL_IN_PLACE ON)
    endif()
  endif()
  if(NOPAL_BUILD_IN_PLACE STREQUAL "ON" AND NOT NOPAL_IN_PLACE)
    message(FATAL_ERROR "NOPAL_BUILD_IN_PLACE needs the headers of oneTBB 2021.5 to 2021.13 (Debian and Ubuntu: apt install libtbb-dev).")
  endif()
endif()
