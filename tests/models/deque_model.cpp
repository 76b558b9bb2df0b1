// Runs the library's push and pop as they are inlined into programs, and its deque, on the explorer's memory.

#include "models/redirect.hpp"
// The macros come first.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "deque/shared_word.hpp"
#include "models/deque_model.hpp"

namespace {

explore::deque_model* the_model = nullptr;
bool owner_pops = false;

nopal_frame* tagged(nopal_frame* frame) {
  return reinterpret_cast<nopal_frame*>(reinterpret_cast<std::uintptr_t>(frame) | 1U);
}
bool is_tagged(nopal_frame* slot) { return (reinterpret_cast<std::uintptr_t>(slot) & 1U) != 0; }

void keep_version(const std::uint64_t (&expected)[2], std::uint64_t& /*low*/, std::uint64_t& high) {
  if (owner_pops && explore::this_thread() == 0) {
    high = expected[1] & ~nopal::internal::deque::raising;
  }
}

void drop_raising(const std::uint64_t (&)[2], std::uint64_t& /*low*/, std::uint64_t& high) {
  high &= ~nopal::internal::deque::raising;
}

}  // namespace

// What the runtime's slow paths do with a deque.
extern "C" int nopal_push_slow_path(nopal_frame* frame, int) noexcept {
  return the_model->push_slowly(frame);
}
extern "C" int nopal_push_and_publish(nopal_frame*, void*) noexcept { return 1; }
extern "C" int nopal_pop_slow(nopal_deque* deque) {
  owner_pops = true;
  const bool mine = the_model->pop_slowly(*deque);
  owner_pops = false;
  return mine ? 1 : 0;
}

namespace explore {

void deque_model::set_up() {
  the_model = this;
  owner_pops = false;
  nopal_deque& deque = worker_.deque;
  std::memset(&deque, 0, sizeof deque);
  const std::size_t cells = static_cast<std::size_t>(with_.capacity) + nopal::internal::deque::slots_header;
  auto* const begin =
      static_cast<nopal_frame**>(allocate(nopal::internal::deque::slots_line, cells * sizeof(void*)));
  std::memset(static_cast<void*>(begin), 0, cells * sizeof(void*));
  begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(with_.capacity));
  deque.owner_slots = deque.public_slots = begin + nopal::internal::deque::slots_header;
  deque.limit = with_.poisoned || with_.without_barrier ? nopal_poisoned_limit : with_.capacity;
  deque.bottom = deque.top = deque.split = with_.first;

  name(&deque.bottom, sizeof deque.bottom, "bottom");
  name(&deque.limit, sizeof deque.limit, "limit");
#ifdef NOPAL_EXPLORE_HALVES
  name(&deque.top, 8, "lower half");
  name(reinterpret_cast<unsigned char*>(&deque.top) + 8, 8, "upper half");
#else
  name(&deque.top, 16, "word");
#endif
  name(&deque.public_slots, sizeof deque.public_slots, "public_slots");
  name(&deque.strand.latest_ticket, sizeof deque.strand.latest_ticket, "strand");
  for (std::int32_t i = 0; i < with_.capacity; ++i) {
    name(&deque.owner_slots[i], sizeof(void*), ("slot " + std::to_string(i)).c_str());
  }
  for (int i = 0; i < most_entries; ++i) {
    entries_[i].content.initialize(-1);
    entries_[i].handler.initialize(0);
    entries_[i].recorded.initialize(-1);
    entries_[i].taken = 0;
    name(&entries_[i].content, sizeof(int), ("content " + std::to_string(i)).c_str());
    name(&entries_[i].handler, sizeof(int), ("handler " + std::to_string(i)).c_str());
    name(&entries_[i].recorded, sizeof(int), ("recorded " + std::to_string(i)).c_str());
  }
  in_deque_.clear();
  pushed_ = slow_pops_ = strand_ = caught_ = handlers_ = 0;
  name(&caught_, sizeof caught_, "caught");
  nopal_current = &deque;

  for (int i = 0; i < with_.pushed; ++i) {
    entries_[i].content.initialize(strand_);
    deque.owner_slots[deque.bottom++] = frame_of(i);
    in_deque_.push_back(i);
    ++pushed_;
  }
  deque.split = deque.top + with_.published;

  if (with_.fault == deque_fault::no_new_version) {
    alter_exchange = keep_version;
  }
  if (with_.fault == deque_fault::no_raising) {
    alter_exchange = drop_raising;
  }
  weaken_stores(&deque.bottom, with_.fault == deque_fault::push_relaxed);
  weaken_loads(&deque.bottom, with_.fault == deque_fault::bottom_relaxed);
  weaken_stores(&deque.public_slots, with_.fault == deque_fault::install_relaxed);
  weaken_loads(&deque.public_slots, with_.fault == deque_fault::slots_relaxed);
}

void deque_model::run(int thread) {
  if (thread == 0) {
    own();
  } else {
    steal_by_script(thread, with_.thieves[static_cast<std::size_t>(thread) - 1]);
  }
}

void deque_model::own() {
  for (const char what : with_.owner) {
    if (what == '+') {
      push();
    } else if (what == '-') {
      pop();
    } else if (what == '{') {
      enter_handler();
    } else if (what == '}') {
      leave_handler();
    } else {
      start_anew();
    }
  }
}

void deque_model::push() {
  const int number = pushed_++;
  entries_[number].content.write(strand_);
  entries_[number].handler.write(handlers_);
  in_deque_.push_back(number);
  require(nopal_push(frame_of(number)) == 0, "a push failed");
}

/// As nopal_push_slow_path, for a worker that nothing else is the matter with.
int deque_model::push_slowly(nopal_frame* frame) {
  nopal_deque& deque = worker_.deque;
  if (!nopal::internal::deque::reserve(deque)) {
    return 1;
  }
  nopal::internal::deque::append(deque, frame);
  if (!with_.without_barrier && !with_.shows_pops) {
    nopal::internal::deque::unpoison(deque);
  }
  const std::int32_t all = 1 << 30;
  nopal::internal::deque::publish(
      deque,
      with_.without_barrier || with_.shows_pops
          ? all
          : nopal::internal::deque::publish_batch(nopal::internal::deque::size(deque)),
      [](void* self, nopal_frame*& slot) { static_cast<deque_model*>(self)->record(slot); }, this,
      with_.shows_pops && with_.fault != deque_fault::raise_kept);
  return 0;
}

bool deque_model::pop_slowly(nopal_deque& deque) {
  ++slow_pops_;
  return nopal::internal::deque::pop_slow(deque, in_no_handler, this, with_.shows_pops);
}

/// As record_caught.
void deque_model::record(nopal_frame*& slot) {
  entry& one = entry_of(slot);
  if (handlers_ != 0 && one.handler.read() != 0) {
    one.recorded.write(one.handler.read());
    __atomic_store_n(&slot, tagged(frame_of(static_cast<int>(&one - entries_))), __ATOMIC_RELAXED);
  }
}

void deque_model::pop() {
  if (in_deque_.empty()) {
    return;
  }
  weaken_stores(&worker_.deque.bottom, with_.fault == deque_fault::pop_relaxed);
  const int seen = slow_pops_;
  const bool is_mine = nopal_pop() != 0;
  require(!with_.shows_pops || slow_pops_ > seen, "a pop was not seen");
  weaken_stores(&worker_.deque.bottom, with_.fault == deque_fault::push_relaxed);
  if (is_mine) {
    entry& mine = entries_[in_deque_.back()];
    require(mine.content.read() == strand_, "the owner's entry was changed");
    ++mine.taken;
    in_deque_.pop_back();
  } else {
    in_deque_.clear();  // the youngest was stolen, hence all
    handlers_ = 0;      // The handler is the thief's now. As find_work does it.
    __atomic_store_n(&caught_, 0, __ATOMIC_RELAXED);
  }
}

void deque_model::enter_handler() { __atomic_store_n(&caught_, ++handlers_, __ATOMIC_RELAXED); }

void deque_model::leave_handler() {
  if (handlers_ != 0) {
    __atomic_store_n(&caught_, --handlers_, __ATOMIC_RELAXED);
  }
}

/// As find_work does once the strand is gone, and the next strand that the worker runs.
void deque_model::start_anew() {
  if (!in_deque_.empty()) {
    return;
  }
  nopal::internal::deque::reset(worker_.deque);
  ++strand_;
  __atomic_store_n(&worker_.deque.strand.latest_ticket, static_cast<std::uint64_t>(strand_),
                   __ATOMIC_RELAXED);
}

void deque_model::steal_by_script(int thief, const std::string& script) {
  for (const char what : script) {
    if (what == 's') {
      steal(thief);
    } else if (what == 'f' || what == 'r' || what == 'k') {
      force(what);
    } else {
      nopal::internal::deque::poison(worker_.deque);
    }
  }
}

void deque_model::steal(int /*thief*/) {
  struct observation {
    const nopal_deque* from;
    std::uint64_t strand;
  } seen{&worker_.deque, 0};
  nopal_frame* frame = nullptr;
  const auto observe = [](void* context) {
    auto& into = *static_cast<observation*>(context);
    into.strand = __atomic_load_n(&into.from->strand.latest_ticket, __ATOMIC_RELAXED);
    return true;
  };
  if (nopal::internal::deque::steal(worker_.deque, frame, observe, &seen) ==
      nopal::internal::deque::steal_outcome::taken) {
    entry& stolen = entry_of(frame);
    require(stolen.content.read() == static_cast<int>(seen.strand), "the entry is of another strand");
    require((is_tagged(frame) ? stolen.recorded.read() : 0) == stolen.handler.read(),
            "a thief was not told the handler");
    ++stolen.taken;
  }
}

void deque_model::force(char how) {
  const auto barrier = how == 'r'                               ? +[] { return false; }
                       : with_.fault == deque_fault::no_barrier ? +[] { return true; }
                                                                : +process_barrier;
  const auto of_none = [](void* self) { return static_cast<deque_model*>(self)->are_of_no_handler(); };
  nopal::internal::deque::force_publish(worker_.deque, barrier, how == 'k' ? +of_none : in_no_handler, this);
}

/// As no_exception_about; relaxed as there.
bool deque_model::in_no_handler(void* self) {
  return __atomic_load_n(&static_cast<deque_model*>(self)->caught_, __ATOMIC_RELAXED) == 0;
}

bool deque_model::are_of_no_handler() {
  const nopal_deque& deque = worker_.deque;
  const std::int32_t split = __atomic_load_n(&deque.split, __ATOMIC_ACQUIRE);
  nopal_frame** const slots = __atomic_load_n(&deque.public_slots, __ATOMIC_ACQUIRE);
  for (std::int32_t i = __atomic_load_n(&deque.top, __ATOMIC_ACQUIRE); i < split; ++i) {
    nopal_frame* const slot = __atomic_load_n(&slots[i], __ATOMIC_RELAXED);
    if (slot == nullptr || entry_of(slot).handler.read() != 0) {
      return false;
    }
  }
  return true;
}

nopal_frame* deque_model::frame_of(int number) { return reinterpret_cast<nopal_frame*>(&entries_[number]); }

deque_model::entry& deque_model::entry_of(nopal_frame* frame) {
  auto* const taken = reinterpret_cast<entry*>(reinterpret_cast<std::uintptr_t>(frame) & ~std::uintptr_t{1});
  require(taken >= entries_ && taken < entries_ + most_entries, "a thief took what is no entry");
  return *taken;
}

void deque_model::check() {
  const nopal_deque& deque = worker_.deque;
  int found[most_entries] = {};
  for (std::int32_t i = deque.top; i < deque.bottom; ++i) {
    ++found[&entry_of(deque.owner_slots[i]) - entries_];
  }
  for (int i = 0; i < pushed_; ++i) {
    require(found[i] + entries_[i].taken >= 1, "an entry was lost");
    require(found[i] + entries_[i].taken <= 1, "an entry was taken twice");
  }
  require((deque.version_and_raising & nopal::internal::deque::raising) == 0, "a raise was not settled");
  require(deque.top <= deque.split && deque.split <= deque.bottom, "top <= split <= bottom does not hold");
}

}  // namespace explore
