#include "views.hpp"

#include <cstdlib>

#include "races.hpp"
#include "shadow.hpp"
#include "strands.hpp"
#include "thread.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// A view that is not the leftmost.
struct other_view {
  std::uint64_t segment;
  void* view;
  other_view* before;  ///< earlier in serial order
  std::uint32_t depth;
};

constexpr std::uint32_t many_views = 64;

other_view* latest(const nopal_check_reducer& reducer) noexcept {
  return static_cast<other_view*>(reducer.others);
}

void reduce_latest(nopal_check_reducer& reducer) {
  other_view* const right = latest(reducer);
  void* const left = right->before != nullptr ? right->before->view : reducer.leftmost;
  reducer.functions->reduce(reducer.context, left, right->view);
  reducer.functions->destroy(reducer.context, right->view);
  reducer.others = right->before;
  std::free(right);
}

/// The views of segments that are over become part of the running segment's, or that of the nearest
/// before it.
void settle(nopal_check_reducer& reducer) {
  const std::uint64_t now = self.segment;
  while (latest(reducer) != nullptr && latest(reducer)->segment > now) {
    other_view* const right = latest(reducer);
    const std::uint64_t left = right->before != nullptr ? right->before->segment : reducer.segment;
    if (left < now) {
      right->segment = now;
      return;
    }
    reduce_latest(reducer);
  }
  if (latest(reducer) == nullptr && reducer.segment > now) reducer.segment = now;
}

bool will_go_on(std::uint64_t segment) noexcept {
  const at_work now;
  for (const children* each = all_children; each != nullptr; each = each->next) {
    if (each->segment == segment) return true;
  }
  return false;
}

/// Reduces views of segments that are over among those of segments that are not.
void settle_all(nopal_check_reducer& reducer) {
  other_view* kept = nullptr;
  while (latest(reducer) != nullptr) {
    other_view* const one = latest(reducer);
    if (will_go_on(one->segment)) {
      reducer.others = one->before;
      one->before = kept;
      kept = one;
    } else {
      reduce_latest(reducer);
    }
  }
  while (kept != nullptr) {
    other_view* const next = kept->before;
    kept->before = latest(reducer);
    kept->depth = kept->before != nullptr ? kept->before->depth + 1 : 1;
    reducer.others = kept;
    kept = next;
  }
}

void* view_of(nopal_check_reducer& reducer) {
  settle(reducer);
  if (latest(reducer) == nullptr ? reducer.segment == self.segment
                                 : latest(reducer)->segment == self.segment) {
    return latest(reducer) == nullptr ? reducer.leftmost : latest(reducer)->view;
  }
  if (latest(reducer) != nullptr && latest(reducer)->depth >= many_views) {
    nopal_check_ignore();
    settle_all(reducer);
    nopal_check_heed();
  }
  auto* const made = static_cast<other_view*>(std::malloc(sizeof(other_view)));
  if (made == nullptr) return nullptr;
  void* const view = reducer.functions->create(reducer.context);
  if (view == nullptr) {
    std::free(made);
    return nullptr;
  }
  *made = {self.segment, view, latest(reducer), latest(reducer) != nullptr ? latest(reducer)->depth + 1 : 1};
  reducer.others = made;
  return view;
}

}  // namespace

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_make_reducer(struct nopal_check_reducer* reducer) {
  reducer->others = nullptr;
  reducer->segment = self.segment;
  nopal_check_forget(reducer, sizeof *reducer);
}

void nopal_check_end_reducer(struct nopal_check_reducer* reducer) {
  settle(*reducer);
  while (latest(*reducer) != nullptr) {
    other_view* const dropped = latest(*reducer);
    reducer->functions->destroy(reducer->context, dropped->view);
    reducer->others = dropped->before;
    std::free(dropped);
  }
  nopal_check_forget(reducer, sizeof *reducer);
}

void* nopal_check_view(struct nopal_check_reducer* reducer) {
  if (self.running == nullptr) return reducer->leftmost;
  if (self.is_heeding != 0) {
    const at_work now;
    // No lock keeps an update and a look at the value apart.
    look_locked(reinterpret_cast<address>(reducer), sizeof(void*), how::read,
                reinterpret_cast<address>(__builtin_return_address(0)), 0);
  }
  return view_of(*reducer);
}

void* nopal_check_value(struct nopal_check_reducer* reducer) {
  if (self.running == nullptr) return reducer->leftmost;
  const auto at = reinterpret_cast<address>(__builtin_return_address(0));
  settle(*reducer);
  if (self.is_heeding != 0) {
    const at_work now;
    look_at_value(reinterpret_cast<address>(reducer), at);
  }
  return view_of(*reducer);
}
}
