// Parts of a path, and how a thread tells of the longest one that it has.
#ifndef NOPAL_PROFILE_PATHS_HPP
#define NOPAL_PROFILE_PATHS_HPP

#include <atomic>
#include <cstdint>

#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// A path that one thread tells again and again; any thread reads the last one, also in the midst of that. It is
/// written in turn to two copies, so that the last one stays as it is while the next one is written.
class told_path {
public:
  struct path {
    lengths length;
    std::uint64_t outside;  ///< ticks of it that are in no region
    path_shares shares;
  };

  void tell(const lengths& length, std::uint64_t outside, const path_shares& shares) noexcept;
  /// All zero where none was told.
  [[nodiscard]] path last() const noexcept;

private:
  // Stores of `tell` release what was told before, loads of `last` acquire it: who has read some of a later path
  // finds that `times_` has changed.
  struct copy {
    std::atomic<std::uint64_t> work, span, burdened, outside;
    std::atomic<std::uint32_t> count;
    std::atomic<nest_number> nests[path_shares::most];
    std::atomic<std::uint64_t> ticks[path_shares::most];
  };
  static path read(const copy& from) noexcept;

  std::atomic<std::uint64_t> times_{0};
  copy copies_[2] = {};
};

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
