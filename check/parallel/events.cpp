// What events order is not known here: programs that use them are refused.
#include "../events.hpp"

#include "../tables.hpp"
#include "../thread.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

bool has_waits;

bool comes_before(std::uint32_t) noexcept { return false; }

void wait_in_vain(const char*, const void*, void*) {}  // another thread may end it

namespace {

void refuse() noexcept {
  if (self.running == nullptr) return;
  fail("nopal: check: events, futures and stops are not checked in parallel: compile the program without "
       "NOPAL_CHECKED_PARALLEL, and link it with nopal_check\n");
}

}  // namespace

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_signal(const void*) { refuse(); }
void nopal_check_signal_too(const void*) { refuse(); }
void nopal_check_forget_event(const void*) { refuse(); }
void nopal_check_signaled(const void*) { refuse(); }
void nopal_check_wait(const char*, const void* lock) {
  if (lock == nullptr) refuse();
}
void nopal_check_wait_long(int, int) {}
}
