########### AGGREGATED COMPONENTS AND DEPENDENCIES FOR THE MULTI CONFIG #####################
#############################################################################################

set(nopal_COMPONENT_NAMES "")
if(DEFINED nopal_FIND_DEPENDENCY_NAMES)
  list(APPEND nopal_FIND_DEPENDENCY_NAMES )
  list(REMOVE_DUPLICATES nopal_FIND_DEPENDENCY_NAMES)
else()
  set(nopal_FIND_DEPENDENCY_NAMES )
endif()

########### VARIABLES #######################################################################
#############################################################################################
set(nopal_PACKAGE_FOLDER_RELEASE "/tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p")
set(nopal_BUILD_MODULES_PATHS_RELEASE )


set(nopal_INCLUDE_DIRS_RELEASE "${nopal_PACKAGE_FOLDER_RELEASE}/include")
set(nopal_RES_DIRS_RELEASE )
set(nopal_DEFINITIONS_RELEASE )
set(nopal_SHARED_LINK_FLAGS_RELEASE )
set(nopal_EXE_LINK_FLAGS_RELEASE )
set(nopal_OBJECTS_RELEASE )
set(nopal_COMPILE_DEFINITIONS_RELEASE )
set(nopal_COMPILE_OPTIONS_C_RELEASE )
set(nopal_COMPILE_OPTIONS_CXX_RELEASE )
set(nopal_LIB_DIRS_RELEASE "${nopal_PACKAGE_FOLDER_RELEASE}/lib")
set(nopal_BIN_DIRS_RELEASE "${nopal_PACKAGE_FOLDER_RELEASE}/bin")
set(nopal_LIBRARY_TYPE_RELEASE SHARED)
set(nopal_IS_HOST_WINDOWS_RELEASE 0)
set(nopal_LIBS_RELEASE nopal)
set(nopal_SYSTEM_LIBS_RELEASE pthread)
set(nopal_FRAMEWORK_DIRS_RELEASE )
set(nopal_FRAMEWORKS_RELEASE )
set(nopal_BUILD_DIRS_RELEASE )
set(nopal_NO_SONAME_MODE_RELEASE FALSE)


# COMPOUND VARIABLES
set(nopal_COMPILE_OPTIONS_RELEASE)
if (NOT "${nopal_COMPILE_OPTIONS_CXX_RELEASE}" STREQUAL "")
    list(APPEND nopal_COMPILE_OPTIONS_RELEASE
        "$<$<COMPILE_LANGUAGE:CXX>:${nopal_COMPILE_OPTIONS_CXX_RELEASE}>")
endif ()
if (NOT "${nopal_COMPILE_OPTIONS_C_RELEASE}" STREQUAL "")
    list(APPEND nopal_COMPILE_OPTIONS_RELEASE
        "$<$<COMPILE_LANGUAGE:C>:${nopal_COMPILE_OPTIONS_C_RELEASE}>")
endif ()
set(nopal_LINKER_FLAGS_RELEASE)
if (NOT "${nopal_SHARED_LINK_FLAGS_RELEASE}" STREQUAL "")
    list(APPEND nopal_LINKER_FLAGS_RELEASE
        "$<$<OR:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:${nopal_SHARED_LINK_FLAGS_RELEASE}>")
endif ()
if (NOT "${nopal_EXE_LINK_FLAGS_RELEASE}" STREQUAL "")
    list(APPEND nopal_LINKER_FLAGS_RELEASE
        "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${nopal_EXE_LINK_FLAGS_RELEASE}>")
endif ()


set(nopal_COMPONENTS_RELEASE )