// Places of the program: a program counter and the calls around it.
//
// Call stacks are kept by the innermost calls alone, fewer where a program has very many; so their
// number is bounded whatever the recursion.
#ifndef NOPAL_CHECK_SITES_HPP
#define NOPAL_CHECK_SITES_HPP

#include <cstddef>
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
extern std::ptrdiff_t bytes_of_window;
extern std::uint64_t step_over_window;

/// Which calls these are, as far as sites tell.
inline std::uint64_t calls_hashed() noexcept { return self.calls->key; }

/// What tells the site apart that a program counter and the calls around it are: by its highest bits, too.
inline std::uint64_t site_part(address at) noexcept { return at * 0xff51afd7ed558ccdU; }
inline std::uint64_t site_key(address at) noexcept { return calls_hashed() ^ site_part(at); }

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
  call_frame* const before = t.calls;
  if (before == t.calls_end) fail("nopal: check: calls nest deeper than 4194304\n");
  call_frame* const now = before + 1;
  t.calls = now;
  const auto* const left_out =
      reinterpret_cast<const call_frame*>(reinterpret_cast<const char*>(now) - bytes_of_window);
  now->caller = caller;
  now->stack = stack;
  const std::uint64_t hashed = (before->hashed + caller) * hash_step;
  now->hashed = hashed;
  now->key = hashed - left_out->hashed * step_over_window;
}

}  // namespace nopal_check

#endif
