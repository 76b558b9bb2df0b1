// The writing of records. Compiled to use general registers only: slow pushes and signal handlers write
// some, with the program's vector registers in place.

#include "arch/arch.hpp"
#include "trace/file.hpp"
#include "trace/trace.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

void write(ring* to, what kind, std::uint64_t argument) noexcept {
  if (to == nullptr) {
    return;
  }
  // One instruction: a handler of this thread finds the next place free, before it or behind it.
  const std::uint64_t place = __atomic_fetch_add(&to->header.next, 1, __ATOMIC_RELAXED);
  record& here = to->records[place & (to->header.capacity - 1)];
  // Release pairs with nothing in this process: it keeps the three stores in order, for the reader of a
  // file whose process was killed between two of them.
  __atomic_store_n(&here.ticks_and_what, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&here.argument, argument, __ATOMIC_RELEASE);
  const std::uint64_t ticks = processor_ticks() - first_ticks;
  __atomic_store_n(&here.ticks_and_what, ticks << 8 | static_cast<std::uint64_t>(kind), __ATOMIC_RELEASE);
}

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
