# libevent, with which libnopal-io polls. Debian's has no CMake package. Also installed beside that of Nopal, whose archive
# needs libevent in programs.

# nopal_find_libevent(): sets NOPAL_LIBEVENT_FOUND, and defines nopal::event_core and nopal::event_pthreads.
macro(nopal_find_libevent)
  find_path(NOPAL_LIBEVENT_INCLUDE_DIR event2/event.h)
  find_library(NOPAL_LIBEVENT_CORE event_core)
  find_library(NOPAL_LIBEVENT_PTHREADS event_pthreads)
  mark_as_advanced(NOPAL_LIBEVENT_INCLUDE_DIR NOPAL_LIBEVENT_CORE NOPAL_LIBEVENT_PTHREADS)
  set(NOPAL_LIBEVENT_FOUND OFF)
  if(NOPAL_LIBEVENT_INCLUDE_DIR AND NOPAL_LIBEVENT_CORE AND NOPAL_LIBEVENT_PTHREADS)
    set(NOPAL_LIBEVENT_FOUND ON)
    foreach(part IN ITEMS core pthreads)
      if(NOT TARGET nopal::event_${part})
        string(TOUPPER "${part}" part_upper)
        add_library(nopal::event_${part} UNKNOWN IMPORTED GLOBAL)
        set_target_properties(nopal::event_${part} PROPERTIES IMPORTED_LOCATION "${NOPAL_LIBEVENT_${part_upper}}"
          INTERFACE_INCLUDE_DIRECTORIES "${NOPAL_LIBEVENT_INCLUDE_DIR}")
      endif()
    endforeach()
  endif()
endmacro()
