# Avoid multiple calls to find_package to append duplicated properties to the targets
include_guard()########### VARIABLES #######################################################################
#############################################################################################
set(nopal_FRAMEWORKS_FOUND_RELEASE "") # Will be filled later
conan_find_apple_frameworks(nopal_FRAMEWORKS_FOUND_RELEASE "${nopal_FRAMEWORKS_RELEASE}" "${nopal_FRAMEWORK_DIRS_RELEASE}")

set(nopal_LIBRARIES_TARGETS "") # Will be filled later


######## Create an interface target to contain all the dependencies (frameworks, system and conan deps)
if(NOT TARGET nopal_DEPS_TARGET)
    add_library(nopal_DEPS_TARGET INTERFACE IMPORTED)
endif()

set_property(TARGET nopal_DEPS_TARGET
             APPEND PROPERTY INTERFACE_LINK_LIBRARIES
             $<$<CONFIG:Release>:${nopal_FRAMEWORKS_FOUND_RELEASE}>
             $<$<CONFIG:Release>:${nopal_SYSTEM_LIBS_RELEASE}>
             $<$<CONFIG:Release>:>)

####### Find the libraries declared in cpp_info.libs, create an IMPORTED target for each one and link the
####### nopal_DEPS_TARGET to all of them
conan_package_library_targets("${nopal_LIBS_RELEASE}"    # libraries
                              "${nopal_LIB_DIRS_RELEASE}" # package_libdir
                              "${nopal_BIN_DIRS_RELEASE}" # package_bindir
                              "${nopal_LIBRARY_TYPE_RELEASE}"
                              "${nopal_IS_HOST_WINDOWS_RELEASE}"
                              nopal_DEPS_TARGET
                              nopal_LIBRARIES_TARGETS  # out_libraries_targets
                              "_RELEASE"
                              "nopal"    # package_name
                              "${nopal_NO_SONAME_MODE_RELEASE}")  # soname

# FIXME: What is the result of this for multi-config? All configs adding themselves to path?
set(CMAKE_MODULE_PATH ${nopal_BUILD_DIRS_RELEASE} ${CMAKE_MODULE_PATH})

########## GLOBAL TARGET PROPERTIES Release ########################################
    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_LINK_LIBRARIES
                 $<$<CONFIG:Release>:${nopal_OBJECTS_RELEASE}>
                 $<$<CONFIG:Release>:${nopal_LIBRARIES_TARGETS}>
                 )

    if("${nopal_LIBS_RELEASE}" STREQUAL "")
        # If the package is not declaring any "cpp_info.libs" the package deps, system libs,
        # frameworks etc are not linked to the imported targets and we need to do it to the
        # global target
        set_property(TARGET nopal::nopal
                     APPEND PROPERTY INTERFACE_LINK_LIBRARIES
                     nopal_DEPS_TARGET)
    endif()

    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_LINK_OPTIONS
                 $<$<CONFIG:Release>:${nopal_LINKER_FLAGS_RELEASE}>)
    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES
                 $<$<CONFIG:Release>:${nopal_INCLUDE_DIRS_RELEASE}>)
    # Necessary to find LINK shared libraries in Linux
    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_LINK_DIRECTORIES
                 $<$<CONFIG:Release>:${nopal_LIB_DIRS_RELEASE}>)
    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
                 $<$<CONFIG:Release>:${nopal_COMPILE_DEFINITIONS_RELEASE}>)
    set_property(TARGET nopal::nopal
                 APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
                 $<$<CONFIG:Release>:${nopal_COMPILE_OPTIONS_RELEASE}>)

########## For the modules (FindXXX)
set(nopal_LIBRARIES_RELEASE nopal::nopal)
