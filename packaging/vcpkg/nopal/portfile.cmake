# An overlay port of the sources it lies in: vcpkg install nopal --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DNOPAL_BUILD_TOOLS=OFF
    -DNOPAL_BUILD_BENCH=OFF
    -DNOPAL_BUILD_TESTS=OFF
    -DNOPAL_BUILD_EXAMPLES=OFF
    -DNOPAL_BUILD_IO=OFF
    -DNOPAL_BUILD_MPI=OFF
    -DNOPAL_BUILD_IN_PLACE=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/nopal)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
