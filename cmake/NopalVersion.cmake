# Reads the version and the ABI revision out of the public header, their only home.
set(version_header "${CMAKE_CURRENT_LIST_DIR}/../include/nopal/version.hpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${version_header}")

file(STRINGS "${version_header}" version_lines REGEX "#define NOPAL_(VERSION_STRING|ABI) ")
string(REGEX MATCH "NOPAL_VERSION_STRING \"([0-9.]+)\"" _ "${version_lines}")
set(NOPAL_VERSION "${CMAKE_MATCH_1}")
string(REGEX MATCH "NOPAL_ABI ([0-9]+)" _ "${version_lines}")
set(NOPAL_ABI "${CMAKE_MATCH_1}")
