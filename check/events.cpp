#include "events.hpp"

#include <cstdio>
#include <string>
#include <unistd.h>

#include "locks.hpp"
#include "records.hpp"
#include "sites.hpp"
#include "strands.hpp"
#include "symbols.hpp"
#include "tables.hpp"
#include "thread.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

struct setting {
  std::uint32_t strand;
  std::uint32_t records_end;  ///< records from before the set are less
  std::uint32_t earlier;      ///< another setting, of which waits know as well; 0: none
};

/// A wait that is over, by a procedure that is not.
struct waited {
  setting for_it;
  const procedure* by;
};

/// Of settings, and of waits; what is more is not known.
constexpr std::uint32_t most = std::uint32_t{1} << 24;
table<setting> settings;
table<waited> waits;
number_map by_event;

/// The outermost ended child that a strand is of.
std::uint32_t separated_child(std::uint32_t strand) noexcept {
  for (;;) {
    const std::uint32_t parent = origins[strand].parent;
    if (parent == 0 || (sets[parent] & ~self.number) == is_root) return strand;
    strand = parent;
  }
}

std::string place_of_wait(void* returned_to) {
  const at_work now;
  return text_of_place(place_in(frames_of(sites[site_at(reinterpret_cast<address>(returned_to))])));
}

}  // namespace

bool comes_before(std::uint32_t record) noexcept {
  for (std::uint32_t i = 0; i < waits.count; ++i) {
    const setting& set = waits[i].for_it;
    if (record < set.records_end &&
        separated_child(record_of(record).strand) == separated_child(set.strand)) {
      return true;
    }
  }
  return false;
}

void wait_in_vain(const char* what, const void* lock, void* returned_to) {
  if (self.running == nullptr) return;
  // Other threads may end the wait.
  if (other_threads.load(std::memory_order_relaxed) != 0 &&
      (lock == nullptr || !is_held(self.lock_set, reinterpret_cast<address>(lock))))
    return;
  const std::string place = place_of_wait(returned_to);
  std::fflush(nullptr);
  std::fprintf(
      stderr,
      "nopal: check: %s: a strand waits for %s, which only comes after it in serial order, in which a "
      "checked program runs: it cannot be checked\n",
      place.c_str(), what);
  _exit(2);
}

void leave_events() noexcept {
  while (waits.count != 0 && waits[waits.count - 1].by >= self.running) --waits.count;
}

void renumber_events(std::uint32_t (*strand)(std::uint32_t), std::uint32_t records_end) noexcept {
  for (std::uint32_t i = 0; i < settings.count; ++i) {
    settings[i] = {strand(settings[i].strand), records_end, settings[i].earlier};
  }
  for (std::uint32_t i = 0; i < waits.count; ++i) {
    waits[i].for_it = {strand(waits[i].for_it.strand), records_end, 0};
  }
}

}  // namespace nopal_check

using namespace nopal_check;

namespace {

// Not within `extern "C"`: there it would be the C library's function of its name.
/// `too`: what the earlier settings of the event said goes on to be so.
void note_signal(const void* event, bool too) {
  if (self.running == nullptr) return;
  const at_work now;
  if (settings.elements == nullptr) {
    settings.make(most);
    settings.add({});
    waits.make(most);
  }
  std::uint32_t& number = by_event.at(reinterpret_cast<address>(event));
  const setting made{self.strand, next_record(), too ? number : 0};
  if (number == 0 || too) {
    if (settings.count < most) number = settings.add(made);
  } else {
    settings[number] = made;
  }
  start_segment();  // later accesses have records of their own
}

}  // namespace

extern "C" {

void nopal_check_signal(const void* event) { note_signal(event, false); }
void nopal_check_forget_event(const void* event) {
  if (self.running == nullptr || settings.elements == nullptr) return;
  const at_work now;
  by_event.at(reinterpret_cast<address>(event)) = 0;
}
void nopal_check_signal_too(const void* event) { note_signal(event, true); }

void nopal_check_signaled(const void* event) {
  if (self.running == nullptr) return;
  const at_work now;
  for (std::uint32_t number = by_event.at(reinterpret_cast<address>(event)); number != 0;
       number = settings[number].earlier) {
    if (settings[number].strand != self.strand && waits.count < most)
      waits.add({settings[number], self.running});
  }
}

void nopal_check_wait(const char* what, const void* lock) {
  wait_in_vain(what, lock, __builtin_return_address(0));
}

void nopal_check_wait_long(int descriptor, int seconds) {
  if (self.running == nullptr) return;
  std::fprintf(
      stderr,
      "nopal: check: %s: a strand has waited %d s for the descriptor %d: this has no end if only a later "
      "strand of the serial order makes it ready\n",
      place_of_wait(__builtin_return_address(0)).c_str(), seconds, descriptor);
}
}
