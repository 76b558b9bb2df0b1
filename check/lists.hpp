// Lists of records, for memory that is used with locks held or by atomic operations.
//
// As in ALL-SETS (G-I. Cheng, M. Feng, C. E. Leiserson, K. H. Randall and A. F. Stark, "Detecting data
// races in Cilk programs that use locks", SPAA 1998): an access is kept beside those with other locks,
// unless one of them says more. Atomic operations hold one lock that they all share.
#ifndef NOPAL_CHECK_LISTS_HPP
#define NOPAL_CHECK_LISTS_HPP

#include <cstddef>
#include <cstdint>

#include "races.hpp"
#include "shadow.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

struct listed {
  std::uint32_t record;
  std::uint32_t locks;
  std::uint32_t next;
  how kind;
};

extern table<listed> lists;

void make_lists() noexcept;

/// Looks at one cell, and makes a list of it. `access` tells what it is compared with, but for the earlier one.
void look_in_list(cell& known, const race& access, std::uint32_t locks) noexcept;

void free_list(std::uint32_t first) noexcept;
/// Sets of locks that accesses have get a one.
void mark_listed_locks(unsigned char* is_used, std::uint32_t sets) noexcept;
std::uint32_t copy_list(std::uint32_t first) noexcept;

}  // namespace nopal_check

#endif
