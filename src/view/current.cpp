// What one strand has, in thread-local variables.

#include "view/current.hpp"

#include <nopal/detail/view.h>

#include "view/host.hpp"
#include "view/view_set.hpp"
#include "view/views.hpp"

extern "C" {
// The array of strands without views. Nobody writes to it, and only what is looked up becomes
// resident.
alignas(64) static void* no_views[nopal::internal::view::slot_count];
__thread void** nopal_views __attribute__((tls_model("initial-exec"))) = no_views;

static __thread nopal::internal::view::base_views nopal_this_base_views
    __attribute__((tls_model("initial-exec"))) = nopal::internal::view::base_views::values;

unsigned char nopal_views_used = 0;
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

// Not inlined anywhere: strands change threads, and the compiler may keep a thread-local's address.
[[gnu::noinline]] view_set* this_views() noexcept {
  void** const current = nopal_views;
  return current == no_views ? nullptr : view_set::of(current);
}

[[gnu::noinline]] void set_this_views(view_set* set) noexcept {
  nopal_views = set == nullptr ? no_views : set->slots();
}

[[gnu::noinline]] base_views this_base_views() noexcept { return nopal_this_base_views; }
[[gnu::noinline]] void set_this_base_views(base_views which) noexcept { nopal_this_base_views = which; }

view_set* leave_set() noexcept {
  view_set* const set = this_views();
  set_this_views(nullptr);
  return set;
}

bool has_base_views(const nopal_stack* stack) noexcept {
  return host::began_thread(stack) && this_base_views() != base_views::apart;
}

bool has_base_views() noexcept { return has_base_views(host::this_stack()); }

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
