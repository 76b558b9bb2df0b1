# The peers in Rust: Rayon and chili, in one cargo project. Left out, and said, where cargo is missing or too
# old, or where a crate is neither on this machine nor can be had.
set(rust_directory "${CMAKE_CURRENT_LIST_DIR}")
set(rust_peers rayon chili)

# nopal_find_rust(reason): sets `reason` to what is missing, or to nothing.
function(nopal_find_rust reason)
  set(${reason} "" PARENT_SCOPE)
  find_program(NOPAL_CARGO cargo)
  if(NOT NOPAL_CARGO)
    set(${reason} "cargo is missing (cargo, or rustup)" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND "${NOPAL_CARGO}" --version WORKING_DIRECTORY "${rust_directory}"
    OUTPUT_VARIABLE version ERROR_QUIET RESULT_VARIABLE failed)
  file(STRINGS "${rust_directory}/Cargo.toml" needed REGEX "^rust-version")
  string(REGEX REPLACE "[^0-9.]" "" needed "${needed}")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${version}")
  if(failed OR version VERSION_LESS needed)
    set(${reason} "cargo ${version} is too old, ${needed} is needed" PARENT_SCOPE)
    return()
  endif()
  # What is on this machine needs no network.
  execute_process(COMMAND "${NOPAL_CARGO}" fetch --locked --offline WORKING_DIRECTORY "${rust_directory}"
    OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    execute_process(COMMAND "${NOPAL_CARGO}" fetch --locked WORKING_DIRECTORY "${rust_directory}"
      OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE failed TIMEOUT 120)
  endif()
  if(failed)
    set(${reason} "their crates cannot be had (cargo fetch failed)" PARENT_SCOPE)
  endif()
endfunction()

nopal_find_rust(reason)
if(reason)
  message(STATUS "Peers rayon and chili left out: ${reason}")
  return()
endif()

set(rust_build "${CMAKE_CURRENT_BINARY_DIR}/rust")
file(GLOB_RECURSE rust_sources CONFIGURE_DEPENDS "${rust_directory}/src/*.rs")
list(TRANSFORM rust_peers PREPEND "${peer_directory}/" OUTPUT_VARIABLE rust_executables)
list(TRANSFORM rust_peers PREPEND "${rust_build}/release/" OUTPUT_VARIABLE rust_built)
# The working directory matters: cargo looks there for .cargo/config.toml.
set(rayon_searches "${PROJECT_BINARY_DIR}/tools/rayon_searches")  # no peer of the programs
add_custom_command(OUTPUT ${rust_executables} "${rayon_searches}"
  COMMAND "${NOPAL_CARGO}" build --quiet --release --locked --offline --target-dir "${rust_build}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${peer_directory}"
  COMMAND "${CMAKE_COMMAND}" -E copy ${rust_built} "${peer_directory}"
  COMMAND "${CMAKE_COMMAND}" -E copy "${rust_build}/release/rayon_searches" "${rayon_searches}"
  DEPENDS ${rust_sources} "${rust_directory}/Cargo.toml" "${rust_directory}/Cargo.lock"
    "${rust_directory}/build.rs" "${rust_directory}/.cargo/config.toml"
  WORKING_DIRECTORY "${rust_directory}"
  COMMENT "Building the peers in Rust"
  VERBATIM)
add_custom_target(nopal_peers_rust ALL DEPENDS ${rust_executables})
