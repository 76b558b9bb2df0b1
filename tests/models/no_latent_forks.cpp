// The models' forks are eager: nobody is asked for others, and nothing is promoted.
#include "scheduler/latent.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

bool ask(worker*, worker*) noexcept { return false; }
bool may_be_asked(const worker*) noexcept { return false; }
std::uint64_t sleep_until_asking(worker*) noexcept { return 0; }
bool anyone_watches() noexcept { return true; }
void ask_again(worker*) noexcept {}
void give_watch_up(worker*) noexcept {}
bool has_nothing_latent(worker*) noexcept { return true; }
void pause_listening() noexcept {}
void stop_listening() noexcept {}
void begin_to_answer(worker*) noexcept {}
void get_ready_to_answer(worker*) noexcept {}
promotion promote(worker*, const arch::registers&, promotion_rules) noexcept {
  return {0, promotion_end::complete};
}
void promote_for_thieves(worker*) noexcept {}
void promote_own() noexcept {}
void allow_latent_forks(runtime&) noexcept {}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
