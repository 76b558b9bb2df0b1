#include "profile/paths.hpp"

#include "profile/nests.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

/// Of threads whose shares others may write meanwhile: see note_stray.
std::uint32_t used(const path_shares& of) noexcept {
  return of.count < path_shares::most ? of.count : path_shares::most;
}

/// What lies outside is to be told from the rest, and the others are several sites.
bool stays(const path_shares::share& part) noexcept {
  return part.nest == outside_nest || part.nest == other_nests;
}

/// One more than there is room for.
struct crowd {
  static constexpr std::uint32_t size = path_shares::most + 1;
  static constexpr std::uint32_t none = size;
  path_shares::share at[size];
  site_number sites[size];

  /// The shortest that may be merged and is such; `none`: there is none.
  template <class Condition>
  std::uint32_t shortest(Condition condition) const noexcept {
    std::uint32_t found = none;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (!stays(at[i]) && (found == none || at[i].ticks < at[found].ticks) && condition(i)) {
        found = i;
      }
    }
    return found;
  }
  /// Another part of the site: of the site alone if there is one.
  std::uint32_t sibling(std::uint32_t of) const noexcept {
    std::uint32_t found = none;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i != of && sites[i] == sites[of] && !stays(at[i]) &&
          (found == none || at[i].nest == sites[i] ||
           (at[found].nest != sites[i] && at[i].ticks < at[found].ticks))) {
        found = i;
      }
    }
    return found;
  }
  std::uint32_t others() const noexcept {
    std::uint32_t i = 0;
    while (i < size && at[i].nest != other_nests) {
      ++i;
    }
    return i;
  }
};

}  // namespace

void path_shares::add(nest_number nest, std::uint64_t ticks) noexcept {
  const std::uint32_t now = used(*this);
  for (std::uint32_t i = 0; i < now; ++i) {
    if (at[i].nest == nest) {
      at[i].ticks += ticks;
      return;
    }
  }
  if (now < most) {
    at[now] = {nest, ticks};
    count = now + 1;
    return;
  }
  merge(nest, ticks);
}

void path_shares::merge(nest_number nest, std::uint64_t ticks) noexcept {
  crowd all;
  for (std::uint32_t i = 0; i < most; ++i) {
    all.at[i] = at[i];
    all.sites[i] = site_of(at[i].nest);
  }
  all.at[most] = {nest, ticks};
  all.sites[most] = site_of(nest);
  std::uint32_t gone = all.shortest([&all](std::uint32_t i) { return all.sibling(i) != crowd::none; });
  std::uint32_t into;
  if (gone != crowd::none) {
    into = all.sibling(gone);
    all.at[into].nest = all.sites[gone];
  } else {
    into = all.others();
    into = into != crowd::none ? into : all.shortest([](std::uint32_t) { return true; });
    gone = all.shortest([into](std::uint32_t i) { return i != into; });
    all.at[into].nest = other_nests;
  }
  all.at[into].ticks += all.at[gone].ticks;
  all.at[gone] = all.at[most];
  for (std::uint32_t i = 0; i < most; ++i) {
    at[i] = all.at[i];
  }
}

void path_shares::add(const path_shares& others) noexcept {
  const std::uint32_t of_others = used(others);
  for (std::uint32_t i = 0; i < of_others; ++i) {
    add(others.at[i].nest, others.at[i].ticks);
  }
}

void path_shares::become(const path_shares& other) noexcept {
  count = used(other);
  for (std::uint32_t i = 0; i < count; ++i) {
    at[i] = other.at[i];
  }
}

void told_path::tell(const lengths& length, std::uint64_t outside, const path_shares& shares) noexcept {
  const auto set = [](auto& to, auto value) { to.store(value, std::memory_order_release); };
  const std::uint64_t times = times_.load(std::memory_order_relaxed) + 1;  // its own
  copy& to = copies_[times % 2];
  set(to.work, length.work);
  set(to.span, length.span);
  set(to.burdened, length.burdened);
  set(to.outside, outside);
  const std::uint32_t count = used(shares);
  set(to.count, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    set(to.nests[i], shares.at[i].nest);
    set(to.ticks[i], shares.at[i].ticks);
  }
  // Release pairs with the first acquire in `last`: the copy is whole.
  set(times_, times);
}

told_path::path told_path::read(const copy& from) noexcept {
  const auto get = [](const auto& word) { return word.load(std::memory_order_acquire); };
  path result{{get(from.work), get(from.span), get(from.burdened)}, get(from.outside), {}};
  result.shares.count = get(from.count);
  for (std::uint32_t i = 0; i < result.shares.count; ++i) {
    result.shares.at[i] = {get(from.nests[i]), get(from.ticks[i])};
  }
  return result;
}

told_path::path told_path::last() const noexcept {
  // The thread tells of a path at the end of a region, which takes longer than to read one.
  constexpr int tries = 100;
  path result{};
  for (int i = 0; i < tries; ++i) {
    // Acquire pairs with the last release in `tell`.
    const std::uint64_t times = times_.load(std::memory_order_acquire);
    result = read(copies_[times % 2]);
    // Relaxed: after the loads of `read`, which acquire.
    if (times_.load(std::memory_order_relaxed) == times) {
      break;
    }
  }
  return result;
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
