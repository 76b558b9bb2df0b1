/* Included by the flags of nopal-check before all else where GCC compiles C++: it expands these built-ins of the C++
   library, as in std::fill, without a hook. As calls they lead to the checking library, by names of ours that no code
   of the program has or hides. */
#ifndef NOPAL_DETAIL_CHECK_COPIES_H
#define NOPAL_DETAIL_CHECK_COPIES_H

#ifdef __cplusplus
extern "C" {
void* nopal_check_memcpy(void*, const void*, __SIZE_TYPE__) noexcept __asm__("memcpy");
void* nopal_check_memmove(void*, const void*, __SIZE_TYPE__) noexcept __asm__("memmove");
void* nopal_check_memset(void*, int, __SIZE_TYPE__) noexcept __asm__("memset");
}
// Only calls: __has_builtin(__builtin_memcpy) stays as it is.
#define __builtin_memcpy(...) ::nopal_check_memcpy(__VA_ARGS__)
#define __builtin_memmove(...) ::nopal_check_memmove(__VA_ARGS__)
#define __builtin_memset(...) ::nopal_check_memset(__VA_ARGS__)
#endif

#endif
