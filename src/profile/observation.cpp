#include "profile/observation.hpp"

#include <bit>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

constexpr std::uint64_t whole_ratio = 1024;  // of ratios
constexpr std::uint64_t sampled_share = 32;  // samples take no more of the time than one in so many
constexpr std::uint64_t far_too_long = 16;

std::uint64_t ratio(std::uint64_t part, std::uint64_t whole) noexcept {
  const std::uint64_t result = whole == 0 || part >= whole ? whole_ratio : part * whole_ratio / whole;
  return result == 0 ? 1 : result;
}

void follow(std::atomic<std::uint32_t>& known, std::uint64_t seen) noexcept {
  const std::uint64_t before = known.load(std::memory_order_relaxed);
  known.store(static_cast<std::uint32_t>(before == 0 ? seen : (3 * before + seen + 3) / 4),
              std::memory_order_relaxed);
}

std::uint64_t part_of(std::uint64_t whole, std::uint64_t by) noexcept {
  return whole > ~std::uint64_t{0} / whole_ratio ? whole : whole * by / whole_ratio;
}

/// Of the last child of that site in the one around, and one; 0: there was none.
std::uint64_t last_in(const fork_record& around, site_number site) noexcept {
  for (const fork_record::last_child& each : around.last) {
    if (each.site == site && each.work != 0) {
      return each.work;
    }
  }
  return 0;
}

std::uint64_t predict(const strand_state& self, const fork_record& fork) noexcept {
  const fork_record& parent = *fork.parent;
  if (const std::uint64_t last = last_in(parent, fork.site)) {
    return last - 1;
  }
  if (parent.scope == nullptr) {
    return ~std::uint64_t{0};
  }
  const std::uint64_t so_far = self.now.work - parent.at_fork.work;
  const std::uint64_t whole = so_far > parent.predicted ? so_far : parent.predicted;
  const std::uint32_t by = knowledge_of(fork.site).first_to_parent.load(std::memory_order_relaxed);
  return by == 0 ? ~std::uint64_t{0} : part_of(whole, by);
}

/// Whether records have taken a third of the time.
bool records_too_much(const strand_state& self) noexcept {
  constexpr std::uint64_t first_forks = 4096;  // show how large children are
  return self.counts->forks.get() > first_forks &&
         3 * taken_by_records(*self.counts) > self.stopped - this_machine.began_ticks;
}

std::uint32_t size_class(std::uint64_t ticks) noexcept {
  const auto width = static_cast<std::uint32_t>(std::bit_width(ticks));
  return width < 40 ? width : 39;
}

bool may_sample(const strand_state& self) noexcept {
  return self.counts->sampled.get() * sampled_share < self.stopped - this_machine.began_ticks;
}

}  // namespace

void observe_or_not(strand_state& self, fork_record& fork) noexcept {
  if (fork.parent->is_sampled) {
    fork.is_sampled = true;
    fork.predicted = 0;
    return;
  }
  fork.predicted = predict(self, fork);
  if (fork.predicted >= this_machine.short_child && records_too_much(self)) {
    // Most children of the site are as its mean; a long one is looked into once it has taken long.
    const std::uint64_t mean = knowledge_of(fork.site).mean_work.load(std::memory_order_relaxed);
    fork.predicted = mean != 0 && mean < fork.predicted ? mean : fork.predicted;
  }
  if (fork.predicted >= this_machine.short_child) {
    return;
  }
  if (may_sample(self)) {
    fork.is_sampled = true;
    return;
  }
  self.counts->sites[fork.site].unobserved.add(1);
  fork.is_unobserved.store(true, std::memory_order_relaxed);
  __atomic_store_n(&self.unrecorded_in, &fork, __ATOMIC_RELAXED);
}

void learn(strand_state& self, const fork_record& fork, std::uint64_t work, std::uint64_t span) noexcept {
  if (fork.first_work != 0) {
    follow(knowledge_of(fork.first_site).first_to_parent, ratio(fork.first_work - 1, work));
  }
  if (!fork.is_unobserved.load(std::memory_order_relaxed)) {
    follow(knowledge_of(fork.site).span_to_work[size_class(work)], ratio(span, work));
  }
  std::atomic<std::uint64_t>& mean = knowledge_of(fork.site).mean_work;
  const std::uint64_t before = mean.load(std::memory_order_relaxed);
  constexpr std::uint64_t slowness = 16;
  const std::uint64_t bounded =
      work < slowness * this_machine.short_child ? work : slowness * this_machine.short_child;
  mean.store(before - before / slowness + bounded / slowness, std::memory_order_relaxed);
  if (fork.is_sampled && !fork.parent->is_sampled && self.stopped > fork.began) {
    self.counts->sampled.add(self.stopped - fork.began);
  }
}

void forget_children(fork_record& around) noexcept {
  around.first_work = 0;
  around.next_last = 0;
  for (fork_record::last_child& each : around.last) {
    each.work = 0;
  }
}

void note_last(fork_record& around, site_number site, std::uint64_t work) noexcept {
  for (fork_record::last_child& each : around.last) {
    if (each.work == 0 || each.site == site) {
      each = {site, work + 1};
      return;
    }
  }
  around.last[around.next_last++ % fork_record::most_last] = {site, work + 1};
}

void leave_unobserved(strand_state& self, const fork_record& fork) noexcept {
  if (self.unrecorded_in == &fork) {
    __atomic_store_n(&self.unrecorded_in, nullptr, __ATOMIC_RELAXED);
  }
}

bool turns_out_long(strand_state& self) noexcept {
  fork_record& top = *self.top;
  if (self.now.work - top.at_fork.work < far_too_long * this_machine.short_child) {
    return false;
  }
  top.is_unobserved.store(false, std::memory_order_relaxed);
  top.predicted = self.now.work - top.at_fork.work;
  self.counts->converted.add(1);
  return true;
}

std::uint64_t expected_span(site_number site, std::uint64_t ticks) noexcept {
  // Larger children are no less parallel than smaller ones.
  for (std::uint32_t size = size_class(ticks) + 1; size-- > 0;) {
    if (const std::uint32_t by = knowledge_of(site).span_to_work[size].load(std::memory_order_relaxed)) {
      return part_of(ticks, by);
    }
  }
  return ticks;
}

void begin_region(strand_state& self) noexcept {
  fork_record* const root = self.top;
  if (root->scope != nullptr || root->open_scopes++ != 0) {
    return;
  }
  root->region_began = self.stopped;
  root->region_from = self.now;
}

void end_region(strand_state& self) noexcept {
  fork_record* const root = self.top;
  if (root == nullptr || root->scope != nullptr || root->open_scopes == 0) {
    return;
  }
  --root->open_scopes;
  if (root->open_scopes != 0 || root->told == nullptr) {
    return;
  }
  counts_table& told = *root->told;
  told.regions.add(1);
  told.region_time.add(self.stopped - root->region_began);
  told.regions_path.tell(self.now, told.outside.get(), root->own);
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
