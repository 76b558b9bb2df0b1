// After a header of oneTBB's own: see theirs.h. Included each time; what it defines once is defined as soon as what that
// needs has been declared.
#pragma pop_macro("tbb")

#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_END_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_END_H

#include "assertion.h"

namespace NOPAL_TBB_THEIRS::detail::r1 {

inline void* cache_aligned_allocate(std::size_t size) {
  return ::operator new(size, std::align_val_t(128));  // two lines, which some processors fetch together
}
inline void cache_aligned_deallocate(void* memory) { ::operator delete(memory, std::align_val_t(128)); }

inline void assertion_failure(const char* where, int line, const char* expression, const char* comment) {
  ::tbb::NOPAL_TBB_NAMESPACE::nopal_detail::assertion_failure(where, line, expression, comment);
}

}  // namespace NOPAL_TBB_THEIRS::detail::r1

#endif

#if defined(__TBB__exception_H) && !defined(NOPAL_COMPAT_TBB_DETAIL_THEIRS_EXCEPTIONS)
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_EXCEPTIONS

namespace NOPAL_TBB_THEIRS::detail::r1 {

/// What programs catch are the exceptions of these headers.
inline void throw_exception(exception_id id) {
  namespace ours = ::tbb::NOPAL_TBB_NAMESPACE;
  switch (id) {
  case exception_id::bad_last_alloc: ours::nopal_detail::throw_exception(ours::bad_last_alloc());
  case exception_id::user_abort: ours::nopal_detail::throw_exception(ours::user_abort());
  case exception_id::nonpositive_step:
    ours::nopal_detail::throw_exception(std::invalid_argument("nopal: tbb: the step is not positive"));
  case exception_id::out_of_range:
    ours::nopal_detail::throw_exception(std::out_of_range("nopal: tbb: a container's index is out of range"));
  case exception_id::reservation_length_error:
    ours::nopal_detail::throw_exception(
        std::length_error("nopal: tbb: a container cannot be as large as was asked"));
  case exception_id::invalid_load_factor:
    ours::nopal_detail::throw_exception(
        std::out_of_range("nopal: tbb: a container's load factor is not valid"));
  case exception_id::invalid_key:
    ours::nopal_detail::throw_exception(std::out_of_range("nopal: tbb: a container does not have the key"));
  case exception_id::missing_wait: ours::nopal_detail::throw_exception(ours::missing_wait());
  case exception_id::bad_alloc: ours::nopal_detail::throw_exception(std::bad_alloc());
  default: ours::nopal_detail::throw_exception(std::runtime_error("nopal: tbb: error of oneTBB's headers"));
  }
}

// Nothing throws these; they are declared in the same header.
inline const char* bad_last_alloc::what() const noexcept { return ""; }
inline const char* user_abort::what() const noexcept { return ""; }
inline const char* missing_wait::what() const noexcept { return ""; }

}  // namespace NOPAL_TBB_THEIRS::detail::r1

#endif

#if defined(__TBB_profiling_H) && !defined(NOPAL_COMPAT_TBB_DETAIL_THEIRS_PROFILING)
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_PROFILING

namespace NOPAL_TBB_THEIRS::detail::r1 {

// Called with TBB_USE_DEBUG and TBB_USE_PROFILING_TOOLS. There is no tool to tell.
inline void call_itt_notify(int, void*) {}
inline void create_itt_sync(void*, const tchar*, const tchar*) {}
inline void itt_make_task_group(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                                string_resource_index) {}
inline void itt_task_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                           string_resource_index) {}
inline void itt_task_end(d1::itt_domain_enum) {}
inline void itt_set_sync_name(void*, const tchar*) {}
inline void itt_metadata_str_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index,
                                 const char*) {}
inline void itt_metadata_ptr_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index,
                                 void*) {}
inline void itt_relation_add(d1::itt_domain_enum, void*, unsigned long long, itt_relation, void*,
                             unsigned long long) {}
inline void itt_region_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                             string_resource_index) {}
inline void itt_region_end(d1::itt_domain_enum, void*, unsigned long long) {}

}  // namespace NOPAL_TBB_THEIRS::detail::r1

#endif

#if defined(__TBB_concurrent_queue_H) && !defined(NOPAL_COMPAT_TBB_DETAIL_THEIRS_QUEUES)
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_QUEUES

#include "theirs_queue.h"

#endif
