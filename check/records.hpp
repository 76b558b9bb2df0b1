// What shadow memory names: strands at sites.
#ifndef NOPAL_CHECK_RECORDS_HPP
#define NOPAL_CHECK_RECORDS_HPP

#include <cstdint>

#include "made.hpp"
#include "sites.hpp"
#include "strands.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

struct record {
  std::uint32_t strand;
  std::uint32_t site;
};

/// Numbers of records begin here; lesser ones are of lists, see shadow.hpp.
inline constexpr std::uint32_t first_of_records = 1U << 26;
inline constexpr std::uint32_t end_of_records = 1U << 30;

extern table<record> records;  ///< the first has the number above

inline record& record_of(std::uint32_t number) noexcept { return records[number - first_of_records]; }
/// Of the running strand, which has signaled no event since.
inline bool is_own(std::uint32_t number) noexcept {
  return record_of(number).strand == self.strand && number >= self.first_own;
}
inline std::uint32_t next_record() noexcept {
  return first_of_records + __atomic_load_n(&records.count, __ATOMIC_RELAXED);
}

/// What `first_record` of a thread becomes. With several threads no record tells whose it is, so none
/// is known to be of the running segment.
inline std::uint32_t new_segment() noexcept { return has_threads ? ~0U : next_record(); }

inline void forget_unchanged(thread& t) noexcept {
  for (cell& each : t.unchanged) each = no_cell;
}

#ifdef NOPAL_CHECK_PARALLEL
void start_segment() noexcept;
/// The next record of the thread has a number that is not less than `next_record()`.
void leave_records() noexcept;
#else
inline void leave_records() noexcept {}
inline void start_segment() noexcept {
  self.first_record = new_segment();
  forget_made();
  forget_unchanged(self);
}
#endif

void make_records() noexcept;

/// How many records there are when those that nobody names are to go.
extern std::uint32_t record_limit;

/// Where a record of this key is, if it is cached.
inline cached_record& cached_for(std::uint64_t key) noexcept { return self.cache[key >> (64 - cached_bits)]; }

/// Where the cache has no site of it, or numbers are to be collected.
std::uint32_t record_anew(address at, cached_record& cached) noexcept;

/// That of this key in the running segment, if it needs no more than a new number; zero if it does.
inline std::uint32_t cached_record_of(std::uint64_t key, cached_record& cached) noexcept {
  if (cached.key != key) return 0;
  if (cached.record >= self.first_record) return cached.record;
  if (records.count >= record_limit) return 0;
  cached.before = no_word;
  return cached.record = first_of_records + records.add({self.strand, cached.site});
}

/// Of the running strand, at a program counter.
inline std::uint32_t record_at(address at) noexcept {
  const std::uint64_t key = site_key(at);
  cached_record& cached = cached_for(key);
  const std::uint32_t record = cached_record_of(key, cached);
  return record != 0 ? record : record_anew(at, cached);
}

}  // namespace nopal_check

#endif
