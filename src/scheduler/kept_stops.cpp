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
  const nopal_frame* frame;  ///< null: free
  nopal_stop* part;
};
struct shelf {
  std::atomic<bool> taken{false};
  kept_part* first = nullptr;
};
constexpr std::size_t shelves_number = 64;
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

kept_part* find(shelf& in, const nopal_frame* frame) noexcept {
  kept_part* one = in.first;
  while (one != nullptr && one->frame != frame) {
    one = one->next;
  }
  return one;
}

}  // namespace

void keep(const nopal_frame* frame, nopal_stop* part) noexcept {
  shelf& in = shelf_of(frame);
  const shelf_guard guard(in);
  kept_part* place = find(in, nullptr);
  if (place == nullptr) {
    place = static_cast<kept_part*>(std::malloc(sizeof(kept_part)));
    if (place == nullptr) {
      return;
    }
    place->next = in.first;
    in.first = place;
  }
  place->frame = frame;
  place->part = part;
}

nopal_stop* take(const nopal_frame* frame) noexcept {
  shelf& in = shelf_of(frame);
  const shelf_guard guard(in);
  kept_part* const place = find(in, frame);
  if (place == nullptr) {
    return nullptr;
  }
  place->frame = nullptr;
  return place->part;
}

void forget_kept() noexcept {
  for (shelf& each : shelves) {
    each.taken.store(false, std::memory_order_relaxed);
  }
}

}  // namespace stops
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
