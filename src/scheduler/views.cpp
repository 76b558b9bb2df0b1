// Reducers: the views of strands, from their making to the join that merges them. docs/reducers.md has the protocol.
//
// A thief starts with no view, and the child that its victim goes on with keeps what there was. Who ends a segment of a
// strand, the child of a stolen fork or the strand at its join, deposits the set in the table of pieces and merges it with its
// neighbours if they are there; all of that still on the strand's own stack, since reductions are the program's code.
// Invariant: a worker in its scheduler has no set.

#include "scheduler/views.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>

#include <nopal/detail/noise.h>

#include "scheduler/copies.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/giving_way.hpp"
#include "scheduler/merging.hpp"
#include "scheduler/runtime.hpp"
#include "view/merge.hpp"
#include "view/registry.hpp"
#include "view/store.hpp"
#include "view/times.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

namespace {

using view::piece;
using view::view_set;

constinit view::registry reducers;
constinit view::piece_table pieces;
constinit view::store kept;

// Threads that did not come from the pool leave a set behind when they end.
pthread_key_t thread_end_key;
pthread_once_t thread_end_key_made = PTHREAD_ONCE_INIT;
bool thread_end_key_works = false;

/// Whether the strand on `stack` began its thread's work: nothing comes before it, so a reducer's own value is its view. Such a
/// strand is on the stack that the thread came with, and a strand that left it is back there only after the join that merged
/// all. During a merge it is none: what reductions do comes after what they reduce.
/// A pinned call's strand is part of the one outside; so is a task that a wait runs on a stack of the pool, unless it has views of
/// its own. Only its thread runs such a strand.
bool is_base(const nopal_stack* stack) noexcept {
  while ((is_root_stack(stack) || stack->visitor != nullptr) && stack->merge == nullptr) {
    const worker* const outer = (is_root_stack(stack) ? stack->native_owner : stack->visitor)->outer;
    if (outer == nullptr) {
      return this_base_views() != base_views::apart;
    }
    stack = get(outer->deque.strand.stack);
  }
  return false;
}

bool is_base() noexcept {
  const worker* const self = this_worker();
  return self == nullptr ? this_base_views() != base_views::apart : is_base(self->deque.strand.stack);
}

void thread_ends(void*) { drop_thread_views(); }

/// At dlclose, and at the end of the program.
__attribute__((destructor)) void at_unload() {
  if (is_stand_in()) {  // unreached: copies
    return;             // the views at hand are another copy's; unreached: copies
  }
  drop_thread_views();
  kept.trim();
  if (thread_end_key_works) {
    pthread_key_delete(thread_end_key);
    thread_end_key_works = false;
  }
}

void make_thread_end_key() { thread_end_key_works = pthread_key_create(&thread_end_key, thread_ends) == 0; }

/// The strand's set; one is made for it if it has none. Null without memory.
view_set* own_set(bool base) noexcept {
  view_set* set = this_views();
  if (set != nullptr) {
    return set;
  }
  set = kept.take_set();
  if (set == nullptr) {
    return nullptr;
  }
  if (base) {
    pthread_once(&thread_end_key_made, make_thread_end_key);
    if (thread_end_key_works) {
      pthread_setspecific(thread_end_key, set);  // any value that is not null
    }
  }
  set_this_views(set);
  return set;
}

/// Drops the views of reducers that ended elsewhere, which is the program's code: it may look views up, and leave the strand with
/// another set. Returns whether there were any.
bool sweep() noexcept {
  view_set* const set = this_views();
  return set != nullptr && view::drop_ended(reducers, *set);
}

/// A new view of reducer `id`.
void* create(std::uint32_t id) {
  const view::timed creating(view::activity::creation);
  return reducers.create(id);
}

/// Enters `made` as the strand's view of reducer `id`, of which it has none. Calls nothing of the program. False without memory.
bool enter(std::uint32_t id, void* made, bool base) noexcept {
  const view::timed inserting(view::activity::insertion);
  view_set* const set = own_set(base);
  if (set == nullptr || !set->insert(id, made)) {
    return false;
  }
  reducers.hold(id);
  return true;
}

/// The strand's view of reducer `id`; null if it has none.
void* known_view(std::uint32_t id) noexcept {
  const view_set* const set = this_views();
  return set != nullptr ? set->find(id) : nullptr;
}

/// A new view of reducer `id`, which has a slot, in the strand's set. Null without memory for a set.
void* make_word(std::uint32_t id) {
  std::uint64_t made = 0;
  {
    const view::timed creating(view::activity::creation);
    reducers.make_word(
        id, &made);  // the program's code: may fork, and so change the set, and may use this reducer
  }
  if (void* const known = known_view(id)) {
    return known;
  }
  view_set* const set = own_set(false);
  // unreached: slot-is-there
  return set != nullptr && enter(id, std::memcpy(set->word(id), &made, sizeof made), false) ? set->word(id)
                                                                                            : nullptr;
}

void end_set(view_set* set) noexcept {
  if (set != nullptr) {
    view::drop_all(reducers, set);
    kept.give_set(set);
  }
}

/// Who reduces, for what reductions throw.
struct reducing {
  nopal_frame* frame;
  bool of_stolen_child;
};

void reduction_failed(void* context) {
  const auto& who = *static_cast<const reducing*>(context);
  keep_thrown(who.frame, who.of_stolen_child);
}

view_set* merged(view_set* left, bool left_is_base, view_set* right, reducing& who) {
  return merge_with_updates({reducers, reduction_failed, &who}, kept, left, left_is_base, right);
}

/// `one` and a neighbour of it become one.
piece* joined(piece* one, piece* neighbour, reducing& who) {
  const bool one_is_right = neighbour->last == one->before;
  piece* const left = one_is_right ? neighbour : one;
  piece* const right = one_is_right ? one : neighbour;
  left->views = merged(left->views, left->is_base, right->views, who);
  left->last = right->last;
  kept.give_piece(right);
  return left;
}

/// Whether the strand of `frame` runs on a stack that it was stolen to.
bool is_away(const nopal_stack* stack, const nopal_frame* frame) noexcept {
  return stack->base.frame_pointer == frame->frame_pointer;
}

/// The piece of the strand's set, which it leaves.
piece* make_piece(nopal_frame* frame) noexcept {
  const view::timed transferring(view::activity::transfer);
  const nopal_stack* const stack = this_worker()->deque.strand.stack;
  const bool away = is_away(stack, frame);
  piece* mine = kept.take_piece();
  if (mine == nullptr) {
    os::write_stderr("nopal: no memory to keep the views of a child\n");
    std::terminate();
  }
  *mine = {.scope = frame,
           .activation = frame->frame_pointer,
           .before = away ? stack->base.segment_before : view::no_segment,
           .last = away ? stack->base.sequence : 0,
           .is_base = is_base(stack),
           .awaits_others = false,
           .views = leave_set(),
           .exception = nullptr,
           .next = nullptr};
  return mine;
}

/// Adds `one` to the table, or takes a neighbour of it out and returns that; see piece_table::add.
piece* offer(piece* one, nopal_frame*& ready) noexcept {
  const view::timed transferring(view::activity::transfer);
  return pieces.add(one, ready);
}

/// A segment of the strand of `frame` ends here.
void deposit(nopal_frame* frame, bool of_stolen_child) noexcept {
  piece* mine = make_piece(frame);
  reducing who{frame, of_stolen_child};
  nopal_frame* ready = nullptr;
  NOPAL_DISTURB();
  while (piece* const neighbour = offer(mine, ready)) {
    mine = joined(mine, neighbour, who);
    NOPAL_DISTURB();
  }
  this_worker()->ready = ready;
}

/// From here on the strand has `views`, which begin where the segment after `before` does.
void go_on_with(nopal_stack* stack, const nopal_frame* frame, view_set* views,
                std::uint64_t before) noexcept {
  set_this_views(views);
  if (is_away(stack, frame)) {
    stack->base.segment_before = before;
  }
}

}  // namespace

/// The ends of segments, called by the assembly on the stack of the strand if reducers are in use.
extern "C" void nopal_deposit_child_views(nopal_frame* frame) noexcept { deposit(frame, true); }
extern "C" void nopal_deposit_strand_views(nopal_frame* frame) noexcept { deposit(frame, false); }

piece* take_views(nopal_stack* stack, const nopal_frame* frame) noexcept {
  const view::timed transferring(view::activity::transfer);
  piece* const first = pieces.take(frame, frame->frame_pointer);
  if (first == nullptr) {  // unreached: race
    return nullptr;        // The first reducer came when all was deposited that would be; unreached: race
  }
  if (first->next != nullptr || first->is_base != is_base(stack)) {
    return first;
  }
  go_on_with(stack, frame, first->views, first->before);
  kept.give_piece(first);
  return nullptr;
}

bool has_all_views(nopal_frame* frame) noexcept { return pieces.is_whole(frame, frame->frame_pointer); }

/// The end of a join with several pieces, on the strand's own stack: scopes of one function overlap, or the first
/// reducer was made after some children had ended. Returns what the join returns.
extern "C" void* nopal_merge_at_join(nopal_frame* frame, piece* first) noexcept {
  void* const exception = first->exception;
  const std::uint64_t before = first->before;
  const bool base = is_base();
  reducing who{frame, false};
  view_set* all = nullptr;
  if (first->is_base) {
    all = first->views;
    first->views = nullptr;
  }
  while (first != nullptr) {
    piece* const next = first->next;
    checkers::after(first);
    all = merged(all, base, first->views, who);
    kept.give_piece(first);
    first = next;
  }
  go_on_with(this_worker()->deque.strand.stack, frame, all, before);
  return exception != nullptr ? exception : take_exception(frame);  // unreached: pieces-and-throw
}

bool has_base_views() noexcept { return is_base(); }

view_set* merge_for_group(view_set* left, bool left_is_base, view_set* right,
                          const nopal_task_group* group) noexcept {
  const auto failed = [](void* of) { keep_thrown(static_cast<const nopal_task_group*>(of)); };
  return merge_with_updates({reducers, failed, const_cast<nopal_task_group*>(group)}, kept, left,
                            left_is_base, right);
}

void end_unawaited_views(view_set* set) noexcept {
  if (set == nullptr) {
    return;
  }
  set->take_all([set](std::uint32_t id, void* view) {
    // One that the task made has its own value here.
    if (!reducers.has_ended(id) && view != reducers.leftmost(id)) {  // unreached: stranger-ends
      os::end_process(
          "nopal: a task that nobody waits for (tbb::task_arena::enqueue) used a reducer that it did not "
          "make: "
          "use it in a task of a tbb::task_group, whose wait gets the updates, or make one in the task");
    }
    view::end_view(reducers, set, id, view);
  });
  kept.give_set(set);
}

void drop_thread_views() noexcept { end_set(leave_set()); }

void count_view_sets(std::uint64_t& in_use, std::uint64_t& most) noexcept { kept.count(in_use, most); }

void trim_views() noexcept { kept.trim(); }

void lock_views() noexcept {
  reducers.lock();
  pieces.lock_all();
  lock_task_merges();
  kept.lock();
}

void unlock_views() noexcept {
  kept.unlock();
  unlock_task_merges();
  pieces.unlock_all();
  reducers.unlock();
}

extern "C" NOPAL_EXPORT void* nopal_make_reducer(nopal_hyperobject* made,
                                                 const nopal_view_functions* functions, void* object,
                                                 void* leftmost) {
  if (!views_used()) {
    checkers::look();
  }
  const std::uint32_t id = reducers.enter(*functions, object, leftmost, checkers::present);
  if (id == 0) {
    return nullptr;
  }
  *made = {id < view::slot_count ? id : 0, id};
  __atomic_store_n(&nopal_views_used, 1, __ATOMIC_RELAXED);
  void* const place = reducers.leftmost(id);
  if (is_base()) {
    return place;
  }
  // Views made by other strands come later in serial order than the reducer's own value.
  sweep();
  if (!enter(id, place, false)) {
    reducers.end(id);
    return nullptr;
  }
  return place;
}

extern "C" NOPAL_EXPORT void nopal_end_reducer(nopal_hyperobject* reducer) {
  if (is_being_reduced(reducer->id)) {
    // Its end waits for the reduction, which would wait for the end.
    os::write_stderr("nopal: a reducer ends in its own reduce: let it end after the join\n");
    std::abort();
  }
  if (keeps_from_reducing(reducer->id)) {
    os::write_stderr(
        "nopal: a reducer ends in a call that stays on its thread, where a reduction of it waits "
        "for that call: let it end after the join\n");
    std::abort();
  }
  view_set* const set = this_views();
  void* const view = set != nullptr ? set->remove(reducer->id) : nullptr;
  if (view != nullptr) {
    view::end_view(reducers, set, reducer->id, view);
  }
  reducers.end(reducer->id, give_way);
}

extern "C" NOPAL_EXPORT void* nopal_find_view(const nopal_hyperobject* reducer) {
  const std::uint32_t id = reducer->id;
  do {
    if (void* const known = known_view(id)) {
      return known;
    }
  } while (sweep());
  const bool base = is_base();
  if (base) {
    void* const own = reducers.leftmost(id);
    enter(id, own, true);  // without memory it is looked for again next time
    return own;
  }
  if (view_set::has_slot(id) && reducers.is_word(id)) {
    return make_word(id);
  }
  void* const made = create(id);
  if (made == nullptr || (known_view(id) == nullptr && enter(id, made, false))) {
    return made;
  }
  // The program's code may have made another in the meantime, by a use of this reducer: that has what it said. The end of this one is its
  // code as well, which may leave the strand with another set.
  const bool was_known = known_view(id) != nullptr;
  reducers.discard(id, made);
  return was_known ? nopal_find_view(reducer) : nullptr;
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
