// An exception that no C++ runtime threw, as those of other languages are.
#ifndef NOPAL_TESTS_SUPPORT_FOREIGN_EXCEPTION_HPP
#define NOPAL_TESTS_SUPPORT_FOREIGN_EXCEPTION_HPP

#include <unwind.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace support {

struct foreign_exception {
  _Unwind_Exception header;
  int number;
};

inline std::atomic<int> foreign_living{0};
/// The number of the one that ended last on this thread.
inline thread_local int foreign_ended = 0;

// Not inlined: a strand may have changed threads.
[[gnu::noinline]] inline int last_foreign_ended() { return foreign_ended; }

[[gnu::noinline]] inline void end_foreign(_Unwind_Reason_Code, _Unwind_Exception* header) {
  auto* const one = reinterpret_cast<foreign_exception*>(header);
  foreign_ended = one->number;
  --foreign_living;
  std::free(one);
}

inline void raise_foreign(int number) {
  auto* const one = static_cast<foreign_exception*>(std::aligned_alloc(16, sizeof(foreign_exception)));
  std::memset(static_cast<void*>(one), 0, sizeof *one);
  std::memcpy(&one->header.exception_class, "TSETNPLN", 8);
  one->header.exception_cleanup = end_foreign;
  one->number = number;
  ++foreign_living;
  _Unwind_RaiseException(&one->header);
  std::abort();  // nobody catches it
}

/// The number of the foreign exception that `body` ends by; 0 if none.
template <class Body>
int foreign_number_thrown_by(Body body) {
  try {
    body();
  } catch (const int) {
    return 0;
  } catch (...) {
    goto caught;
  }
  return 0;
caught:
  return last_foreign_ended();
}

}  // namespace support

#endif
