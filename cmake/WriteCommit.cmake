# Writes which commit the sources are of, and whether they differ from it, to the header OUTPUT; only when that
# changed. Outside of a git checkout the commit is empty.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit "")
endif()
set(text "#define NOPAL_BUILD_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${OUTPUT}" "${text}")
endif()
