// What events order is not known here: programs that use them are refused.
#include "../events.hpp"

#include <cstdio>

#include "../tables.hpp"
#include "../thread.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

bool has_waits;

bool comes_before(std::uint32_t) noexcept { return false; }

void wait_in_vain(const char*, const void*, void*) {}  // another thread may end it

namespace {

void refuse(const char* what) noexcept {
  if (self.running == nullptr) return;
  char line[256];
  std::snprintf(
      line, sizeof line,
      "nopal: check: %s is not checked in parallel: compile the program without NOPAL_CHECKED_PARALLEL, and "
      "link it with nopal_check\n",
      what);
  fail(line);
}

constexpr const char* event = "an event, a future or a stop";

}  // namespace

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_signal(const void*) { refuse(event); }
void nopal_check_signal_too(const void*) { refuse(event); }
void nopal_check_forget_event(const void*) { refuse(event); }
void nopal_check_signaled(const void*) { refuse(event); }
void nopal_check_wait(const char*, const void* lock) {
  if (lock == nullptr) refuse(event);
}
void nopal_check_wait_long(int, int) {}
void nopal_check_refuse(const char* what) { refuse(what); }
}
