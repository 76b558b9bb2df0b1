// No model is profiled.
#include "scheduler/profiling.hpp"

unsigned char nopal_profiled = 0;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void start_profile(const char*, int) noexcept {}
void finish_profile() noexcept {}
void begin_profiled_thread(worker*) noexcept {}
void note_push(worker*, nopal_frame*, bool) noexcept {}
void end_push(worker*) noexcept {}
void note_pop(worker*, const nopal_frame*) noexcept {}
void begin_profiled_call(worker*, worker*) noexcept {}
void end_profiled_call(worker*, const worker*) noexcept {}
void leave_profiled(worker*) noexcept {}
void come_back_profiled(worker*) noexcept {}
void set_aside::begin(worker*, while_it) noexcept {}
void set_aside::end() noexcept {}

namespace profile {

void begin_thread(strand_state&) noexcept {}
void begin_task(strand_state&, after) noexcept {}
void end_task(strand_state&) noexcept {}
void stop(strand_state&) noexcept {}
void begin_pieces(strand_state&) noexcept {}
void go_on(strand_state&, after) noexcept {}
void note_fork(strand_state&, nopal_frame*) noexcept {}
void note_child(strand_state&, const nopal_frame*) noexcept {}
void note_stolen_child(strand_state&, const nopal_frame*) noexcept {}
void note_steal(nopal_frame*, fork_record*) noexcept {}
void begin_stolen(strand_state&, const nopal_frame*) noexcept {}
bool join_phantom(strand_state&, nopal_frame*) noexcept { return false; }
void note_arrival(strand_state&, nopal_frame*) noexcept {}
void note_wait(strand_state&, nopal_frame*) noexcept {}
void note_resumption(strand_state&, nopal_frame*) noexcept {}
bool is_stolen_from(const nopal_frame*) noexcept { return true; }

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
