// The calls that compilers emit, where several threads run strands: each knows what its own segment has accessed.
#include "state.hpp"

using namespace nopal_check;

namespace {

[[gnu::noinline]] void note_unseen(address begin, std::size_t bytes, how kind, address at,
                                   std::uint64_t& slot) noexcept {
  if (self.is_heeding == 0) return;
  slot = begin ^ mine.mark ^ std::uint64_t{bytes} << address_bits;
  look_alone(begin, bytes, kind, at);
}

template <how kind, std::size_t bytes>
[[gnu::always_inline]] inline void note(const void* memory, void* at) noexcept {
  const auto begin = reinterpret_cast<address>(memory);
  std::uint64_t& slot = mine.seen[kind == how::write][(begin / 4 ^ bytes * 64) % seen_slots];
  if (slot == (begin ^ mine.mark ^ std::uint64_t{bytes} << address_bits)) [[likely]]
    return;
  note_unseen(begin, bytes, kind, reinterpret_cast<address>(at), slot);
}

void note_range(const void* memory, std::size_t bytes, how kind, void* at) noexcept {
  if (self.is_heeding == 0 || bytes == 0) return;
  look_alone(reinterpret_cast<address>(memory), bytes, kind, reinterpret_cast<address>(at));
}

}  // namespace

#include "../hook_functions.hpp"
