// Views of reducers, as if every continuation were stolen. A continuation begins a segment of views; a child goes on with its
// parent's, and after a join that from before the first fork goes on. A reducer has the views of segments that have asked for
// one, in the order of the serial program; what comes before the running strand and after its own view is reduced into that.
#include "../views.hpp"

#include <new>
#include <sched.h>

#include "../allocation.hpp"
#include "../copies.hpp"
#include "../shadow.hpp"
#include "state.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

using nopal_check_parallel::is_left_of;
using nopal_check_parallel::relate;

namespace {

struct owned_view {
  const view_segment* of;  ///< null: a part of the first one's, which comes before it
  void* view;
};

struct all_views {
  std::atomic<bool> is_taken{false};
  std::size_t count = 0;
  std::size_t room = 0;
  owned_view* views = nullptr;
  all_views* next = nullptr;  ///< of all reducers, under the checker's lock
  all_views** from = nullptr;
};
all_views* all_reducers;
std::atomic<bool> has_reducer;

all_views& views_of(nopal_check_reducer& reducer) noexcept {
  return *static_cast<all_views*>(reducer.others);
}

/// One strand at a time; what the reducer's functions access is not looked at.
class held_views {
public:
  explicit held_views(all_views& all) noexcept : all_(all) {
    nopal_check_ignore();
    // Acquire pairs with the release below.
    while (all_.is_taken.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  held_views(const held_views&) = delete;
  held_views& operator=(const held_views&) = delete;
  ~held_views() {
    all_.is_taken.store(false, std::memory_order_release);
    nopal_check_heed();
  }

private:
  all_views& all_;
};

// Updates are in no race with one another, nor are looks at the value: they are in one where the serial program runs the update
// first. Either may come first in time. So each are reads, of places of their own, and look for those of the others.
address place_of_updates(const nopal_check_reducer& reducer) noexcept {
  return reinterpret_cast<address>(&reducer.functions);
}
address place_of_looks(const nopal_check_reducer& reducer) noexcept {
  return reinterpret_cast<address>(&reducer.segment);
}

/// False without memory.
bool insert(all_views& all, std::size_t at, const owned_view& one) noexcept {
  if (all.count == all.room) {
    const std::size_t room = all.room == 0 ? 4 : 2 * all.room;
    auto* const more = static_cast<owned_view*>(take_memory(room * sizeof(owned_view), 1));
    if (more == nullptr) return false;
    copy(more, all.views, all.count * sizeof(owned_view));
    if (all.views != nullptr) give_memory(all.views);
    all.views = more;
    all.room = room;
  }
  move(all.views + at + 1, all.views + at, (all.count - at) * sizeof(owned_view));
  all.views[at] = one;
  ++all.count;
  return true;
}

/// Into the view there, what comes after it and was joined.
void reduce_what_follows(nopal_check_reducer& reducer, all_views& all, std::size_t at) {
  std::size_t end = at + 1;
  const auto is_over = [](const view_segment* of) {
    return of == nullptr || relate(of->began, mine.now) == relation::before;
  };
  for (; end < all.count && is_over(all.views[end].of); ++end) {
    reducer.functions->reduce(reducer.context, all.views[at].view, all.views[end].view);
    reducer.functions->destroy(reducer.context, all.views[end].view);
  }
  move(all.views + at + 1, all.views + end, (all.count - end) * sizeof(owned_view));
  all.count -= end - (at + 1);
}

void* view_of(nopal_check_reducer& reducer) {
  all_views& all = views_of(reducer);
  const held_views held(all);
  // The first that is not left of the running segment's.
  std::size_t at = 0;
  for (std::size_t left = all.count; left != 0;) {
    const std::size_t half = left / 2;
    const view_segment* of = all.views[at + half].of;
    if (of == nullptr) of = all.views[0].of;
    if (is_left_of(of->began, mine.views->began)) {
      at += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  if (at == all.count || all.views[at].of != mine.views) {
    void* const made = reducer.functions->create(reducer.context);
    if (made == nullptr || !insert(all, at, {mine.views, made})) return nullptr;
  }
  reduce_what_follows(reducer, all, at);
  return all.views[at].view;
}

}  // namespace

// Relaxed: who uses a reducer had it handed on.
bool are_nodes_named() noexcept { return has_reducer.load(std::memory_order_relaxed); }

void forget_view_segments() noexcept {
  for (all_views* each = all_reducers; each != nullptr; each = each->next) {
    each->views[0].of = mine.views;
    for (std::size_t i = 1; i < each->count; ++i) each->views[i].of = nullptr;
  }
}

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_make_reducer(struct nopal_check_reducer* reducer) {
  auto* const made = static_cast<all_views*>(take_memory(sizeof(all_views), 1));
  if (made == nullptr) fail("nopal: check: no memory for a reducer\n");
  new (made) all_views;
  has_reducer.store(true, std::memory_order_relaxed);
  reducer->others = made;
  insert(*made, 0, {mine.views, reducer->leftmost});
  {
    const at_work now;
    made->next = all_reducers;
    made->from = &all_reducers;
    if (all_reducers != nullptr) all_reducers->from = &made->next;
    all_reducers = made;
  }
  nopal_check_forget(reducer, sizeof *reducer);
}

void nopal_check_end_reducer(struct nopal_check_reducer* reducer) {
  all_views& all = views_of(*reducer);
  if (self.running != nullptr) {  // C has the value in the leftmost view then
    const held_views held(all);
    reduce_what_follows(*reducer, all, 0);
  }
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.views[i].view != reducer->leftmost)
      reducer->functions->destroy(reducer->context, all.views[i].view);
  }
  {
    const at_work now;
    *all.from = all.next;
    if (all.next != nullptr) all.next->from = all.from;
  }
  give_memory(all.views);
  give_memory(&all);
  nopal_check_forget(reducer, sizeof *reducer);
}

void* nopal_check_view(struct nopal_check_reducer* reducer) {
  if (self.running == nullptr) return reducer->leftmost;
  if (self.is_heeding != 0) {
    const at_work now;
    // No lock keeps an update and a look at the value apart.
    const auto at = reinterpret_cast<address>(__builtin_return_address(0));
    look_locked(place_of_updates(*reducer), sizeof(void*), how::read, at, 0);
    look_at_readers(place_of_looks(*reducer), relation::parallel_on_the_right, how::write, how::read, at);
  }
  return view_of(*reducer);
}

void* nopal_check_value(struct nopal_check_reducer* reducer) {
  if (self.running == nullptr) return reducer->leftmost;
  const auto at = reinterpret_cast<address>(__builtin_return_address(0));
  if (self.is_heeding != 0) {
    const at_work now;
    look_locked(place_of_looks(*reducer), sizeof(void*), how::read, at, 0);
    look_at_readers(place_of_updates(*reducer), relation::parallel_on_the_left, how::read, how::write, at);
  }
  return view_of(*reducer);
}
}
