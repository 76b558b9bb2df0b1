#include "races.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "events.hpp"
#include "heap.hpp"
#include "report.hpp"
#include "start.hpp"
#include "symbols.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// Pairs that were looked at before.
struct seen_pairs {
  number_map sites;  ///< whether they were
  number_map code;   ///< how many pairs of sites have these program counters
};
seen_pairs seen_races;
number_map seen_orders;  // by program counters alone: they are many, and no races

void (*watcher)(const void* memory, std::size_t bytes);

struct found {
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::string> orders;
  std::size_t suppressed = 0;
};
found* made;  // there at the very end
found& all_found() {
  if (made == nullptr) made = new found;
  return *made;
}

/// A text that needs no allocator: the program may end in a handler that has interrupted it.
class summary {
public:
  summary() = default;
  summary(const summary&) = delete;
  summary& operator=(const summary&) = delete;
  ~summary() { write_report({bytes_, used_}); }

  summary& operator<<(std::string_view part) noexcept {
    if (part.size() > sizeof bytes_ - used_) {
      write_report({bytes_, used_});
      used_ = 0;
    }
    if (part.size() > sizeof bytes_) {
      write_report(part);
      return *this;
    }
    std::memcpy(bytes_ + used_, part.data(), part.size());
    used_ += part.size();
    return *this;
  }
  summary& operator<<(std::size_t number) noexcept {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
  }

private:
  char bytes_[4096];
  std::size_t used_ = 0;
};

/// Each thread has its own, and what a call leaves there is read right after it: `errno`, and what std::call_once hands
/// to the function that calls.
bool is_of_a_call(const race& one) noexcept {
  if (one.begin == reinterpret_cast<address>(&errno)) return true;
  for (const char* const name : {"_ZSt15__once_callable", "_ZSt11__once_call"}) {
    void* const variable = dlsym(RTLD_DEFAULT, name);
    if (variable != nullptr && one.begin == reinterpret_cast<address>(variable)) return true;
  }
  return false;
}

std::uint64_t key_of(std::uint64_t a, std::uint64_t b, how earlier_kind, how kind) noexcept {
  return (a * hash_step) ^ (b * 0xff51afd7ed558ccdU) ^
         (static_cast<std::uint64_t>(earlier_kind) << 1 | static_cast<std::uint64_t>(kind));
}
std::uint64_t key_of(std::uint64_t a, std::uint64_t b, const race& one) noexcept {
  return key_of(a, b, one.earlier_kind, one.kind);
}

/// A race, as it is said also when its records are gone.
struct placed_race {
  race one;
  std::uint32_t earlier_site;
  std::uint32_t site;
  std::uint32_t fork_site;
  const thread* by;
};

/// By the running strand, after it has let go of a last reference: a destructor's, if the memory is freed then.
constexpr std::size_t most_held = 64;
placed_race held[most_held];

/// A function that many call has the same program counters at places of the program that differ.
bool is_first(seen_pairs& seen, const placed_race& placed) noexcept {
  std::uint32_t& times = seen.sites.at(key_of(placed.earlier_site, placed.site, placed.one));
  if (times != 0) return false;
  times = 1;
  return ++seen.code.at(key_of(sites[placed.earlier_site].at, placed.one.at, placed.one)) <=
         most_stacks_of_a_pair;
}

/// Pairs of program counters that were seen often enough.
std::uint64_t known_orders[64];

std::uint64_t& known_order(std::uint64_t key) noexcept { return known_orders[key >> 58]; }

bool is_first_order(const race& one) noexcept {
  constexpr std::uint32_t enough = 64;
  const std::uint64_t key = key_of(sites[record_of(one.earlier).site].at, one.at, one);
  if (++seen_orders.at(key) <= enough) return true;
  known_order(key) = key;
  return false;
}

bool is_suppressed(const std::vector<source_frame>& frames) {
  for (const std::string& pattern : suppression_patterns()) {
    for (const source_frame& frame : frames) {
      if (has_pattern(text_of_place(frame), pattern) || has_pattern(frame.function, pattern)) return true;
    }
  }
  return false;
}

/// Whether the code that the C++ library's is called by is Nopal's own.
bool is_by_nopal(const std::vector<source_frame>& frames) {
  for (const source_frame& frame : frames) {
    if (frame.file.find("include/nopal/") != frame.file.npos) return true;
    if (!frame.is_ours) return false;
  }
  return false;
}

std::pair<std::string, std::string> in_order(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

}  // namespace

namespace {

void report_race(const placed_race& placed) noexcept {
  const race& one = placed.one;
  if (watcher != nullptr)
    return watcher(reinterpret_cast<const void*>(one.looked_at.begin), one.looked_at.bytes);
  if (!is_first(seen_races, placed)) return;
  const std::vector<source_frame> earlier = frames_of(sites[placed.earlier_site]);
  const std::vector<source_frame> now = frames_of(sites[placed.site]);
  auto pair = in_order(text_of_place(place_in(earlier)), text_of_place(place_in(now)));
  found& all = all_found();
  if (all.pairs.contains(pair)) return;
  all.pairs.insert(std::move(pair));
  if (is_suppressed(earlier) || is_suppressed(now)) {
    ++all.suppressed;
    return;
  }
  write_report(text_of_race(one, earlier, now, frames_of(sites[placed.fork_site])));
}

}  // namespace

std::size_t held_races;

void forget_pairs_of_code() noexcept {
  seen_races.code.release();
  seen_orders.release();
  for (std::uint64_t& each : known_orders) each = 0;
}

void note_last_user() noexcept {
  const atomic_change& latest = self.changes->latest;
  self.last_user_end = (latest.strand == self.strand ? self.changes->before : latest).records_end;
}

void report_held_races() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < held_races; ++i) {
    if (held[i].by == &self) {
      report_race(held[i]);
    } else {
      held[kept++] = held[i];
    }
  }
  held_races = kept;
}

void forget_held_races(address begin, std::size_t bytes) noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < held_races; ++i) {
    if (held[i].by != &self || held[i].one.begin - begin >= bytes) held[kept++] = held[i];
  }
  held_races = kept;
}

void found_race(const race& one) noexcept {
  if (one.earlier < self.excused_end || comes_before(one.earlier) || is_of_a_call(one)) return;
  const placed_race placed{one, record_of(one.earlier).site, site_at(one.at),
                           separating_fork(record_of(one.earlier).strand), &self};
  if (one.earlier >= self.last_user_end) return report_race(placed);
  if (held_races == most_held) report_held_races();
  if (held_races == most_held) return report_race(placed);
  held[held_races++] = placed;
}

bool is_known_order(std::uint32_t earlier, how earlier_kind, const race& now) noexcept {
  const std::uint64_t key = key_of(sites[record_of(earlier).site].at, now.at, earlier_kind, now.kind);
  return known_order(key) == key;
}

void found_order(const race& one, bool by_a_lock) noexcept {
  if (comes_before(one.earlier)) return;
  if (!is_first_order(one)) return;
  const bool until_own = suppression_patterns().empty();
  const std::vector<source_frame> earlier = frames_of(sites[record_of(one.earlier).site], until_own);
  const std::vector<source_frame> now = frames_of(sites[site_at(one.at)], until_own);
  if (is_suppressed(earlier) || is_suppressed(now) || (is_by_nopal(earlier) && is_by_nopal(now))) return;
  const auto pair = in_order(text_of_place(place_in(earlier)), text_of_place(place_in(now)));
  all_found().orders.insert((by_a_lock ? "by a lock: " : "by atomic operations: ") + pair.first + " and " +
                            pair.second);
}

std::size_t races_reported() noexcept { return made == nullptr ? 0 : made->pairs.size() - made->suppressed; }

std::size_t end_of_races() noexcept {
  const std::size_t races = races_reported();
  const std::size_t suppressed = made == nullptr ? 0 : made->suppressed;
  const std::size_t orders = made == nullptr ? 0 : made->orders.size();
  summary text;
  if (orders != 0) {
    for (const std::string& order : made->orders) {
      text << "nopal: order depends on the schedule, " << order << "\n";
    }
  }
  if (crossing_site != 0) {
    text << "nopal: check: scopes are not nested at "
         << text_of_place(place_in(frames_of(sites[crossing_site])))
         << ": a race of a read with a later write may be missed\n";
  }
  if (races != 0 || suppressed != 0 || orders != 0) {
    text << "nopal: check: " << races << (races == 1 ? " race" : " races");
    if (suppressed != 0) text << ", " << suppressed << " suppressed";
    if (orders != 0) {
      text << ", " << orders << (orders == 1 ? " order that depends" : " orders that depend")
           << " on the schedule";
    }
    text << "\n";
  } else if (is_logged() && !has_failed) {
    text << "nopal: check: 0 races\n";
  }
  return races;
}

}  // namespace nopal_check

extern "C" void nopal_check_watch(void (*found)(const void* memory, std::size_t bytes)) {
  nopal_check::watcher = found;
}
