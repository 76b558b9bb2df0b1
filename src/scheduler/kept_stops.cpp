// Where the parts that may be stopped are kept of strands that are suspended, by the address of the scope or
// the wait that each is suspended at. Only programs that have such parts come here.

#include <cstdlib>

#include "scheduler/runtime.hpp"
#include "scheduler/stops.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

namespace {

struct kept_part {
  kept_part* next;
  const nopal_frame* frame;
  nopal_stop* part;
};
struct shelf {
  std::atomic<bool> taken{false};
  kept_part* first = nullptr;
  kept_part* free = nullptr;  ///< to be used again
};
constexpr std::size_t shelves_number = 1024;
constinit shelf shelves[shelves_number];

shelf& shelf_of(const nopal_frame* frame) noexcept {
  return shelves[(reinterpret_cast<std::uintptr_t>(frame) * 0x9e3779b97f4a7c15U >> 40) % shelves_number];
}

class shelf_guard {
public:
  explicit shelf_guard(shelf& of) noexcept : of_(of) {
    // Acquire and release pair with each other: a list is changed by one at a time.
    while (of_.taken.exchange(true, std::memory_order_acquire)) {
      os::yield();
    }
  }
  ~shelf_guard() { of_.taken.store(false, std::memory_order_release); }
  shelf_guard(const shelf_guard&) = delete;
  shelf_guard& operator=(const shelf_guard&) = delete;

private:
  shelf& of_;
};

}  // namespace

void keep(const nopal_frame* frame, nopal_stop* part) noexcept {
  shelf& in = shelf_of(frame);
  const shelf_guard guard(in);
  kept_part* place = in.free;
  if (place != nullptr) {
    in.free = place->next;
  } else if ((place = static_cast<kept_part*>(std::malloc(sizeof(kept_part)))) == nullptr) {
    return;
  }
  *place = {in.first, frame, part};
  in.first = place;
}

nopal_stop* take(const nopal_frame* frame) noexcept {
  shelf& in = shelf_of(frame);
  const shelf_guard guard(in);
  for (kept_part** place = &in.first; *place != nullptr; place = &(*place)->next) {
    kept_part* const one = *place;
    if (one->frame == frame) {
      *place = one->next;
      one->next = in.free;
      in.free = one;
      return NOPAL_FAULT("resumed out of its part") ? nullptr : one->part;
    }
  }
  return nullptr;
}

void forget_kept() noexcept {
  for (shelf& each : shelves) {
    each.taken.store(false, std::memory_order_relaxed);
    each.first = each.free = nullptr;
  }
}

[[gnu::cold]] void fail_unended() noexcept {
  os::write_stderr("nopal: a scope that can be stopped was not ended: call nopal_cancel_scope_destroy on "
                   "every way out of the function "
                   "that made it\n");
  std::abort();
}

}  // namespace stops
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
