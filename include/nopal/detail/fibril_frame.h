/* The frame of the Fibril interface in C, and the routines that fork on it. */
#ifndef NOPAL_DETAIL_FIBRIL_FRAME_H
#define NOPAL_DETAIL_FIBRIL_FRAME_H

#include <nopal/detail/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a fork leaves for its routine, which reads it before the continuation can be stolen. */
struct nopal_fibril {
  struct nopal_frame frame;
  void (*child)(void);
  void* out;
};

/* Each is called as the child's type says, with the frame as the static chain: so every argument is
 * where the child wants it. It records the continuation, offers it, calls the child, stores the
 * result at `out` and takes the continuation back. One routine for each way of storing. */
NOPAL_EXPORT void nopal_fibril_fork_void(void);
NOPAL_EXPORT void nopal_fibril_fork_1(void);
NOPAL_EXPORT void nopal_fibril_fork_2(void);
NOPAL_EXPORT void nopal_fibril_fork_4(void);
NOPAL_EXPORT void nopal_fibril_fork_8(void);
NOPAL_EXPORT void nopal_fibril_fork_8_from_int(void);
NOPAL_EXPORT void nopal_fibril_fork_8_from_unsigned(void);
NOPAL_EXPORT void nopal_fibril_fork_float(void);
NOPAL_EXPORT void nopal_fibril_fork_double(void);
NOPAL_EXPORT void nopal_fibril_fork_float_from_double(void);
NOPAL_EXPORT void nopal_fibril_fork_double_from_float(void);

/* The same for code that ThreadSanitizer watches. */
NOPAL_EXPORT void nopal_watched_fibril_fork_void(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_1(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_2(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_4(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_8(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_8_from_int(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_8_from_unsigned(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_float(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_double(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_float_from_double(void);
NOPAL_EXPORT void nopal_watched_fibril_fork_double_from_float(void);

/* On AArch64, for compilers that have the static chain in x15. */
#ifdef NOPAL_DETAIL_FIBRIL_BY
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_void)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_1)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_2)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_4)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_8)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_8_from_int)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_8_from_unsigned)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_float)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_double)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_float_from_double)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_fibril_fork_double_from_float)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_void)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_1)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_2)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_4)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_8)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_8_from_int)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_8_from_unsigned)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_float)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_double)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_float_from_double)(void);
NOPAL_EXPORT void NOPAL_DETAIL_FIBRIL_BY(nopal_watched_fibril_fork_double_from_float)(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
