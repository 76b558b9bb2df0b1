// The signal of questions, without a system.

#include "models/interruptions.hpp"

#include "scheduler/questions.hpp"
#include "scheduler/waiters.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

const void* explored_listening() noexcept;

bool serves_others() noexcept { return false; }

namespace os {

bool answer_interruptions(int, void (*answer)(const interrupted&)) noexcept {
  explore::the_answer = answer;
  return true;
}
void answer_no_more() noexcept {}
void pause_answers() noexcept {}
void allow_interruptions(int) noexcept {}
bool interrupt(int thread_id) noexcept { return explore::the_interrupter->send(thread_id); }

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

interrupter* the_interrupter = nullptr;
void (*the_answer)(const nopal::internal::os::interrupted&) = nullptr;
const void* word_of_listening() { return nopal::internal::explored_listening(); }

}  // namespace explore
