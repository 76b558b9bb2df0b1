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

bool has_waits;

namespace {

struct setting {
  std::uint32_t strand;
  std::uint32_t records_end;  ///< records from before the set are less
  std::uint32_t earlier;      ///< another setting, of which waits know as well; 0: none
};

/// A wait that is over, by a procedure that is not. So the child that has set the event stays the same.
struct waited {
  setting for_it;
  const procedure* by;
  std::uint32_t child;
  std::uint32_t before;  ///< from 1: the wait before for an event of the same child; 0: none
};

/// Of settings, and of waits; what is more is not known.
constexpr std::uint32_t most = std::uint32_t{1} << 24;
table<setting> settings;
table<waited> waits;
number_map by_event;
number_map by_child;          ///< from 1: the latest wait for an event that one has set
std::uint32_t chains;         ///< waits of which more settings are known
std::uint32_t free_settings;  ///< which have no strand

std::uint32_t add_setting(const setting& value) noexcept {
  if (free_settings == 0) return settings.count < most ? settings.add(value) : 0;
  const std::uint32_t taken = free_settings;
  free_settings = settings[taken].earlier;
  settings[taken] = value;
  return taken;
}

void free_setting(std::uint32_t number) noexcept {
  settings[number] = {0, 0, free_settings};
  free_settings = number;
}

void add_wait(const setting& for_it, const procedure* by) noexcept {
  if (for_it.earlier != 0) ++chains;
  const std::uint32_t child = separated_child(for_it.strand);
  std::uint32_t& latest = by_child.at(child);
  waits.add({for_it, by, child, latest});
  has_waits = true;
  latest = waits.count;
}

void leave_wait() noexcept {
  const waited& last = waits[--waits.count];
  if (last.for_it.earlier != 0) --chains;
  by_child.at(last.child) = last.before;
  has_waits = waits.count != 0;
}

bool is_known_by(const setting& first, std::uint32_t record, std::uint32_t child) noexcept {
  for (const setting* set = &first;; set = &settings[set->earlier]) {
    if (record < set->records_end && separated_child(set->strand) == child) return true;
    if (set->earlier == 0) return false;
  }
}

std::string place_of_wait(void* returned_to) {
  const at_work now;
  return text_of_place(place_in(frames_of(sites[site_at(reinterpret_cast<address>(returned_to))])));
}

}  // namespace

bool comes_before(std::uint32_t record) noexcept {
  if (waits.count == 0) return false;
  const std::uint32_t child = separated_child(record_of(record).strand);
  for (std::uint32_t i = by_child.at(child); i != 0; i = waits[i - 1].before) {
    if (record < waits[i - 1].for_it.records_end) return true;
  }
  for (std::uint32_t i = chains == 0 ? 0 : waits.count; i-- != 0;) {
    if (waits[i].for_it.earlier != 0 && is_known_by(waits[i].for_it, record, child)) return true;
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

void find_waits_anew() noexcept {
  const std::uint32_t count = waits.count;
  by_child.release();
  waits.count = chains = 0;
  for (std::uint32_t i = 0; i < count; ++i) add_wait(waits[i].for_it, waits[i].by);
}

void leave_events() noexcept {
  while (waits.count != 0 && waits[waits.count - 1].by >= self.running) leave_wait();
}

void visit_setters(void (*visit)(std::uint32_t strand)) noexcept {
  for (std::uint32_t i = 0; i < settings.count; ++i) {
    if (settings[i].strand != 0 && settings[i].earlier == 0) visit(settings[i].strand);
  }
  for (std::uint32_t i = 0; i < waits.count; ++i) {
    if (waits[i].for_it.earlier == 0) visit(waits[i].for_it.strand);
  }
}

void visit_ends_of_events(void (*visit)(std::uint32_t& end)) noexcept {
  for (std::uint32_t i = 0; i < settings.count; ++i) {
    if (settings[i].strand != 0) visit(settings[i].records_end);
  }
  for (std::uint32_t i = 0; i < waits.count; ++i) visit(waits[i].for_it.records_end);
}

void renumber_events(std::uint32_t (*strand)(std::uint32_t)) noexcept {
  const auto renumber = [strand](setting& one) {
    if (one.strand != 0) one.strand = strand(one.strand);
  };
  for (std::uint32_t i = 0; i < settings.count; ++i) renumber(settings[i]);
  for (std::uint32_t i = 0; i < waits.count; ++i) renumber(waits[i].for_it);
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
    if (const std::uint32_t added = add_setting(made)) number = added;
  } else {
    settings[number] = made;
  }
  // Later accesses have records of their own, also where the strand has made the same before.
  self.first_own = next_record();
  start_segment();
}

/// What was waited for and joined since then comes before all that follows in the procedure that has waited.
void forget_joined_waits() noexcept {
  static std::uint32_t enough = 64;
  if (waits.count < enough) return;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < waits.count; ++i) {
    const setting& set = waits[i].for_it;
    if (set.earlier != 0 || is_parallel(set.strand)) waits[kept++] = waits[i];
  }
  waits.count = kept;
  find_waits_anew();
  enough = kept < 32 ? 64 : 2 * kept;
}

}  // namespace

extern "C" {

void nopal_check_signal(const void* event) { note_signal(event, false); }
void nopal_check_forget_event(const void* event) {
  if (self.running == nullptr || settings.elements == nullptr) return;
  const at_work now;
  std::uint32_t& first = by_event.at(reinterpret_cast<address>(event));
  std::uint32_t number = first;
  first = 0;
  if (chains != 0) return;  // it may have them
  while (number != 0) {
    const std::uint32_t earlier = settings[number].earlier;
    free_setting(number);
    number = earlier;
  }
}
void nopal_check_signal_too(const void* event) { note_signal(event, true); }

void nopal_check_signaled(const void* event) {
  if (self.running == nullptr) return;
  const at_work now;
  const std::uint32_t number = by_event.at(reinterpret_cast<address>(event));
  if (number == 0) return;
  forget_joined_waits();
  const setting& set = settings[number];
  if ((set.earlier != 0 || set.strand != self.strand) && waits.count < most) add_wait(set, self.running);
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
