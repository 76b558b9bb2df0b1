#include "profile/preemption.hpp"

#include <nopal/detail/difference.hpp>

#include "os/report_file.hpp"
#include "profile/counts.hpp"
#include "profile/profile.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

processor_look look(const processor_look& before, std::uint64_t at) noexcept {
  const os::thread_time time = os::time_of_thread();
  processor_look result = before;
  result.at = at;
  result.processor_ns = time.processor_ns;
  result.own_waits = time.own_waits;
  if (at - before.ready_at >= this_machine.long_piece) {
    result.ready_at = at;
    result.ready_ns = os::ready_ns_of_thread();
  }
  return result;
}

/// While the thread had things to wait for, only the system knows.
std::uint64_t lost_ns(const processor_look& from, const processor_look& to) noexcept {
  if (from.own_waits == to.own_waits) {
    return detail::difference(as_ns(to.at - from.at), to.processor_ns - from.processor_ns);
  }
  if (from.ready_ns == os::unknown_ns || to.ready_ns == os::unknown_ns) {
    return 0;
  }
  // Others may have had the processor during the look itself, whose first answer is the other one.
  return detail::difference(detail::difference(to.ready_ns, from.ready_ns), as_ns(now() - to.at));
}

}  // namespace

void begin_pieces(strand_state& self) noexcept {
  if (this_machine.long_piece == ~std::uint64_t{0}) {
    return;
  }
  // A call of the system is where others get the processor most often; what they have then is no piece's.
  constexpr int most_looks = 4;
  for (int looks = 0; looks != most_looks; ++looks) {
    self.looked = look(self.looked, now());
    if (now() - self.looked.at < this_machine.long_piece) {
      return;
    }
  }
}

std::uint64_t without_preemption(strand_state& self, std::uint64_t ticks) noexcept {
  const processor_look before = self.looked;
  self.looked = look(before, self.stopped);
  if (before.at == 0) {
    return ticks;
  }
  const std::uint64_t lost = lost_ns(before, self.looked) * this_machine.ticks_per_ms / 1'000'000;
  const std::uint64_t of_piece = lost < ticks ? lost : ticks;
  self.counts->preempted.add(of_piece);
  return ticks - of_piece;
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
