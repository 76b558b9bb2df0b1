// The S_P of the space bound: the most stack pages of the runtime's pool that were resident at once.
//
// A page of a stack becomes resident when it is first touched and stays so until the runtime gives it
// back. So between two of the runtime's calls of madvise the number can only grow, and the most there
// ever was is the greatest of the numbers just before each call and at the end. The linker leads the
// runtime's calls of mmap and madvise here (see bench/CMakeLists.txt); a shared library's escape it. A count
// takes some 100 us; of pages that other workers touch meanwhile it may miss some.
#ifndef NOPAL_BENCH_MEASURE_STACK_WATCH_HPP
#define NOPAL_BENCH_MEASURE_STACK_WATCH_HPP

#include <cstddef>

namespace measure {

/// Counts from now on. Each return of pages by the runtime then takes some 100 us longer.
void begin_stack_watch() noexcept;

/// Ends it. The most pages resident at once since `begin_stack_watch`.
[[nodiscard]] std::size_t end_stack_watch() noexcept;

}  // namespace measure

#endif
