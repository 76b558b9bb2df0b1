// Reducers as programs use them: a reducer is made, its view is found or made, and it ends.

#include <cstdlib>
#include <cstring>

#include <nopal/detail/view.h>

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"
#include "view/current.hpp"
#include "view/host.hpp"
#include "view/merge.hpp"
#include "view/process.hpp"
#include "view/shielded.hpp"
#include "view/strand_merge.hpp"
#include "view/times.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

/// Drops the views of reducers that ended elsewhere, which is the program's code: it may look views
/// up, and leave the strand with another set. Returns whether there were any.
bool sweep() noexcept {
  view_set* const set = this_views();
  return set != nullptr && drop_ended(all_reducers, *set);
}

/// A new view of reducer `id`.
void* create(std::uint32_t id) {
  const timed creating(activity::creation);
  return all_reducers.create(id);
}

/// Enters `made` as the strand's view of reducer `id`, of which it has none. Calls nothing of the
/// program. False without memory.
bool enter(std::uint32_t id, void* made, bool base) noexcept {
  const timed inserting(activity::insertion);
  view_set* const set = own_set(base);
  if (set == nullptr || !set->insert(id, made)) {
    return false;
  }
  all_reducers.hold(id);
  return true;
}

/// The strand's view of reducer `id`; null if it has none.
void* known_view(std::uint32_t id) noexcept {
  const view_set* const set = this_views();
  return set != nullptr ? set->find(id) : nullptr;
}

/// A new view of reducer `id`, which has a slot, in the strand's set. Null without memory for a
/// set.
void* make_word(std::uint32_t id) {
  std::uint64_t made = 0;
  {
    const timed creating(activity::creation);
    all_reducers.make_word(
        // The program's code: may fork, and so change the set, and may use this reducer.
        id, &made);
  }
  if (void* const known = known_view(id)) {
    return known;
  }
  view_set* const set = own_set(false);
  // unreached: slot-is-there
  return set != nullptr && enter(id, std::memcpy(set->word(id), &made, sizeof made), false) ? set->word(id)
                                                                                            : nullptr;
}

}  // namespace

extern "C" NOPAL_EXPORT void* nopal_make_reducer(nopal_hyperobject* made,
                                                 const nopal_view_functions* functions, void* object,
                                                 void* leftmost) {
  if (!views_used()) {
    sanitizers::look();
  }
  const std::uint32_t id = all_reducers.enter(*functions, object, leftmost, sanitizers::present);
  if (id == 0) {
    return nullptr;
  }
  *made = {id < slot_count ? id : 0, id};
  __atomic_store_n(&nopal_views_used, 1, __ATOMIC_RELAXED);
  void* const place = all_reducers.leftmost(id);
  if (has_base_views()) {
    return place;
  }
  // Views made by other strands come later in serial order than the reducer's own value.
  sweep();
  if (!enter(id, place, false)) {
    all_reducers.end(id);
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
    end_view(all_reducers, set, reducer->id, view);
  }
  all_reducers.end(reducer->id, host::yield_strand);
}

extern "C" NOPAL_EXPORT void* nopal_find_view(const nopal_hyperobject* reducer) {
  const std::uint32_t id = reducer->id;
  do {
    if (void* const known = known_view(id)) {
      return known;
    }
  } while (sweep());
  const bool base = has_base_views();
  if (base) {
    void* const own = all_reducers.leftmost(id);
    enter(id, own, true);  // without memory it is looked for again next time
    return own;
  }
  const shielded whole;
  if (whole.is_refused()) {  // unreached: refused-shield
    return nullptr;          // unreached: refused-shield
  }
  if (view_set::has_slot(id) && all_reducers.is_word(id)) {
    return make_word(id);
  }
  void* const made = create(id);
  if (made == nullptr || (known_view(id) == nullptr && enter(id, made, false))) {
    return made;
  }
  // The program's code may have made a view in the meantime by using this reducer. That one stays,
  // since it has the updates. To end this one is the program's code as well, which may leave the
  // strand with another set.
  const bool was_known = known_view(id) != nullptr;
  all_reducers.discard(id, made);
  return was_known ? nopal_find_view(reducer) : nullptr;
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
