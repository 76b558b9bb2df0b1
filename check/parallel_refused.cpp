// What programs compiled with NOPAL_CHECKED_PARALLEL call: here, where they are linked with the serial library, it is refused.
#include "tables.hpp"

#include <nopal/detail/check.h>

using namespace nopal_check;

namespace {

[[noreturn]] void refuse() noexcept {
  fail("nopal: check: the program was compiled with NOPAL_CHECKED_PARALLEL and linked with nopal_check: "
       "compile and "
       "link all of it with the flags of nopal-check-parallel, or of nopal-check\n");
}

}  // namespace

extern "C" {

void* nopal_check_branch(nopal_check_children**, nopal_check_kept*) { refuse(); }
void nopal_check_begin(void*) { refuse(); }
void nopal_check_leave() { refuse(); }
void nopal_check_keep(nopal_check_children**, nopal_check_kept*) { refuse(); }
void nopal_check_go_on(const nopal_check_kept*) { refuse(); }
void nopal_check_refuse(const char*) { refuse(); }
}
