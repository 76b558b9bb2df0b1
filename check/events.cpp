#include "events.hpp"

#include <cstdio>
#include <unistd.h>

#include "records.hpp"
#include "strands.hpp"
#include "tables.hpp"
#include "thread.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

struct setting {
  std::uint32_t strand;
  std::uint32_t records_end;  ///< records from before the set are less
};

/// A wait that is over, by a procedure that is not.
struct waited {
  setting for_it;
  const procedure* by;
};

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

void leave_events() noexcept {
  while (waits.count != 0 && waits[waits.count - 1].by >= self.running) --waits.count;
}

void renumber_events(std::uint32_t (*strand)(std::uint32_t), std::uint32_t records_end) noexcept {
  for (std::uint32_t i = 0; i < settings.count; ++i) settings[i] = {strand(settings[i].strand), records_end};
  for (std::uint32_t i = 0; i < waits.count; ++i) {
    waits[i].for_it = {strand(waits[i].for_it.strand), records_end};
  }
}

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_signal(const void* event) {
  if (self.running == nullptr) return;
  const at_work now;
  if (settings.elements == nullptr) {
    settings.make(std::size_t{1} << 24);
    settings.add({});
    waits.make(std::size_t{1} << 24);
  }
  std::uint32_t& number = by_event.at(reinterpret_cast<address>(event));
  const setting made{self.strand, next_record()};
  if (number == 0) {
    number = settings.add(made);
  } else {
    settings[number] = made;
  }
  start_segment();  // later accesses have records of their own
}

void nopal_check_signaled(const void* event) {
  if (self.running == nullptr) return;
  const at_work now;
  const std::uint32_t number = by_event.at(reinterpret_cast<address>(event));
  if (number != 0 && settings[number].strand != self.strand) waits.add({settings[number], self.running});
}

void nopal_check_wait(void) {
  if (has_threads || self.running == nullptr) return;
  std::fflush(nullptr);
  std::fputs("nopal: check: a strand waits for an event that only comes after it in serial order, in which a "
             "checked program runs: it cannot be checked\n",
             stderr);
  _exit(2);
}
}
