// Places of the program: a program counter and the calls around it.
//
// Call stacks are kept by the innermost calls alone, fewer where a program has very many; so their
// number is bounded whatever the recursion.
#ifndef NOPAL_CHECK_SITES_HPP
#define NOPAL_CHECK_SITES_HPP

#include <cstdint>

#include "tables.hpp"
#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

inline constexpr std::uint32_t most_kept_calls = calls_before;

/// The innermost calls, the innermost first.
struct call_stack {
  std::uint32_t count;
  address callers[1];
};

struct site {
  address at;
  const call_stack* calls;
};

extern table<site> sites;

void make_sites() noexcept;

inline constexpr std::uint64_t hash_step = 0x9e3779b97f4a7c15U;

/// How many of the innermost calls tell sites apart, and the hash's factor of those before.
extern std::uint32_t window_in_calls;
extern std::uint64_t step_over_window;

/// Which calls these are, as far as sites tell.
inline std::uint64_t calls_hashed() noexcept {
  const call_frame* const calls = self.calls;
  return calls->hashed - (calls - window_in_calls)->hashed * step_over_window;
}

/// What tells the site apart that a program counter and the calls around it are: by its highest bits, too.
inline std::uint64_t site_key(address at) noexcept { return calls_hashed() ^ (at * 0xff51afd7ed558ccdU); }

/// How often a site was looked up that no cache of records had any more, since it was last asked whether to tell fewer apart.
extern std::uint32_t sites_found_again;
/// Fewer calls tell sites apart from now on if that was often, for so many records.
void narrow_calls_after(std::uint32_t records_made) noexcept;

/// Of the calling thread, at a program counter.
std::uint32_t site_at(address at) noexcept;

/// Of every program counter that a site or the calls around it has.
void visit_code(void (*visit)(void* data, address at), void* data) noexcept;
/// What sites have of this code is `step` away from now on: other code gets the addresses. Whether there was such.
bool move_code(address begin, std::size_t bytes, address step) noexcept;

inline void enter_call(thread& t, address caller, address stack) noexcept {
  if (t.calls + 1 == t.outermost + most_calls) fail("nopal: check: calls nest deeper than 4194304\n");
  const std::uint64_t before = t.calls->hashed;
  ++t.calls;
  *t.calls = {caller, (before + caller) * hash_step, stack};
}

}  // namespace nopal_check

#endif
