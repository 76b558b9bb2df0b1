// Runs the library's push and pop as they are inlined into programs, and its deque, on the explorer's memory.

#include "explore/redirect.hpp"
// The macros come first.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "deque/shared_word.hpp"
#include "explore/deque_model.hpp"

namespace {

explore::deque_model* the_model = nullptr;
bool owner_pops = false;

void keep_version(const std::uint64_t (&expected)[2], std::uint64_t& /*low*/, std::uint64_t& high) {
  if (owner_pops && explore::this_thread() == 0) {
    high = expected[1] & ~nopal::deque::raising;
  }
}

void drop_raising(const std::uint64_t (&)[2], std::uint64_t& /*low*/, std::uint64_t& high) {
  high &= ~nopal::deque::raising;
}

}  // namespace

// What the runtime's slow paths do with a deque.
extern "C" int nopal_push_slow_path(nopal_frame* frame, int) noexcept {
  return the_model->push_slowly(frame);
}
extern "C" int nopal_push_and_publish(nopal_frame*, void*) noexcept { return 1; }
extern "C" int nopal_pop_slow(nopal_deque* deque) {
  owner_pops = true;
  const bool mine = nopal::deque::pop_slow(*deque);
  owner_pops = false;
  return mine ? 1 : 0;
}

namespace explore {

void deque_model::set_up() {
  the_model = this;
  owner_pops = false;
  nopal_deque& deque = worker_.deque;
  std::memset(&deque, 0, sizeof deque);
  const std::size_t cells = static_cast<std::size_t>(with_.capacity) + nopal::deque::slots_header;
  auto* const begin = static_cast<nopal_frame**>(allocate(nopal::deque::slots_line, cells * sizeof(void*)));
  std::memset(static_cast<void*>(begin), 0, cells * sizeof(void*));
  begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(with_.capacity));
  deque.slots = deque.public_slots = begin + nopal::deque::slots_header;
  deque.limit = with_.poisoned || with_.without_barrier ? nopal_poisoned_limit : with_.capacity;
  deque.bottom = deque.top = deque.split = with_.first;

  name(&deque.bottom, sizeof deque.bottom, "bottom");
  name(&deque.limit, sizeof deque.limit, "limit");
  name(&deque.top, 16, "word");
  name(&deque.public_slots, sizeof deque.public_slots, "public_slots");
  name(&deque.strand.clock, sizeof deque.strand.clock, "strand");
  for (std::int32_t i = 0; i < with_.capacity; ++i) {
    name(&deque.slots[i], sizeof(void*), ("slot " + std::to_string(i)).c_str());
  }
  for (int i = 0; i < most_entries; ++i) {
    entries_[i].content.initialize(-1);
    entries_[i].taken = 0;
    name(&entries_[i].content, sizeof(int), ("content " + std::to_string(i)).c_str());
  }
  in_deque_.clear();
  pushed_ = strand_ = 0;
  nopal_current = &deque;

  for (int i = 0; i < with_.pushed; ++i) {
    entries_[i].content.initialize(strand_);
    deque.slots[deque.bottom++] = frame_of(i);
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
    } else {
      start_anew();
    }
  }
}

void deque_model::push() {
  const int number = pushed_++;
  entries_[number].content.write(strand_);
  in_deque_.push_back(number);
  require(nopal_push(frame_of(number)) == 0, "a push failed");
}

/// As nopal_push_slow_path, for a worker that nothing else is the matter with.
int deque_model::push_slowly(nopal_frame* frame) {
  nopal_deque& deque = worker_.deque;
  if (!nopal::deque::reserve(deque)) {
    return 1;
  }
  nopal::deque::append(deque, frame);
  if (!with_.without_barrier) {
    nopal::deque::unpoison(deque);
  }
  const std::int32_t all = 1 << 30;
  nopal::deque::publish(deque,
                        with_.without_barrier ? all : nopal::deque::publish_batch(nopal::deque::size(deque)));
  return 0;
}

void deque_model::pop() {
  if (in_deque_.empty()) {
    return;
  }
  if (nopal_pop() != 0) {
    entry& mine = entries_[in_deque_.back()];
    require(mine.content.read() == strand_, "the owner's entry was changed");
    ++mine.taken;
    in_deque_.pop_back();
  } else {
    in_deque_.clear();  // the youngest was stolen, hence all
  }
}

/// As find_work does once the strand is gone, and the next strand that the worker runs.
void deque_model::start_anew() {
  if (!in_deque_.empty()) {
    return;
  }
  nopal::deque::reset(worker_.deque);
  ++strand_;
  __atomic_store_n(&worker_.deque.strand.clock, static_cast<std::uint32_t>(strand_), __ATOMIC_RELAXED);
}

void deque_model::steal_by_script(int thief, const std::string& script) {
  for (const char what : script) {
    if (what == 's') {
      steal(thief);
    } else if (what == 'f' || what == 'r') {
      force(what == 'r');
    } else {
      nopal::deque::poison(worker_.deque);
    }
  }
}

void deque_model::steal(int /*thief*/) {
  struct observation {
    const nopal_deque* from;
    std::uint32_t strand;
  } seen{&worker_.deque, 0};
  nopal_frame* frame = nullptr;
  const auto observe = [](void* context) {
    auto& into = *static_cast<observation*>(context);
    into.strand = __atomic_load_n(&into.from->strand.clock, __ATOMIC_RELAXED);
    return true;
  };
  if (nopal::deque::steal(worker_.deque, frame, observe, &seen) == nopal::deque::steal_outcome::taken) {
    entry& stolen = entry_of(frame);
    require(stolen.content.read() == static_cast<int>(seen.strand), "the entry is of another strand");
    ++stolen.taken;
  }
}

void deque_model::force(bool refused) {
  const auto barrier = refused                                  ? +[] { return false; }
                       : with_.fault == deque_fault::no_barrier ? +[] { return true; }
                                                                : +process_barrier;
  nopal::deque::force_publish(worker_.deque, barrier, [](void*) { return true; }, nullptr);
}

nopal_frame* deque_model::frame_of(int number) { return reinterpret_cast<nopal_frame*>(&entries_[number]); }

deque_model::entry& deque_model::entry_of(nopal_frame* frame) {
  auto* const taken = reinterpret_cast<entry*>(frame);
  require(taken >= entries_ && taken < entries_ + most_entries, "a thief took what is no entry");
  return *taken;
}

void deque_model::check() {
  const nopal_deque& deque = worker_.deque;
  int found[most_entries] = {};
  for (std::int32_t i = deque.top; i < deque.bottom; ++i) {
    ++found[&entry_of(deque.slots[i]) - entries_];
  }
  for (int i = 0; i < pushed_; ++i) {
    require(found[i] + entries_[i].taken >= 1, "an entry was lost");
    require(found[i] + entries_[i].taken <= 1, "an entry was taken twice");
  }
  require((deque.version_and_raising & nopal::deque::raising) == 0, "a raise was not settled");
  require(deque.top <= deque.split && deque.split <= deque.bottom, "top <= split <= bottom does not hold");
}

}  // namespace explore
