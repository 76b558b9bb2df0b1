#include "record/graph.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace recording {
namespace {

void require(bool holds) {
  if (!holds) throw std::logic_error("forks and joins do not nest");
}

}  // namespace

packed_duration pack(std::uint64_t duration) {
  constexpr int significant_bits = 24;
  const int shift = std::max(0, static_cast<int>(std::bit_width(duration)) - significant_bits);
  return static_cast<packed_duration>(shift << significant_bits) |
         static_cast<packed_duration>(duration >> shift);
}

std::uint32_t graph_builder::add(event_kind kind, picoseconds work, std::uint32_t scope) {
  const auto kind_bits = static_cast<std::uint32_t>(kind) << packed_bits;
  graph_.events.push_back({kind_bits | pack(static_cast<std::uint64_t>(work)), none, scope});
  return static_cast<std::uint32_t>(graph_.events.size() - 1);
}

void graph_builder::fork(picoseconds work, bool opens) {
  if (opens) open_scopes_.push_back(graph_.scopes++);
  const std::size_t outside = open_forks_.empty() ? 0 : open_forks_.back().scopes_before;
  require(open_scopes_.size() > outside);
  const std::uint32_t at = add(event_kind::fork, work, open_scopes_.back());
  open_forks_.push_back({at, open_scopes_.size()});
  ++graph_.forks;
}

void graph_builder::end(picoseconds work) {
  require(!open_forks_.empty() && open_scopes_.size() == open_forks_.back().scopes_before);
  const std::uint32_t fork = open_forks_.back().event;
  open_forks_.pop_back();
  const std::uint32_t at = add(event_kind::end, work, graph_.events[fork].scope);
  graph_.events[at].partner = fork;
  graph_.events[fork].partner = at;
}

void graph_builder::join(picoseconds work) {
  const std::size_t outside = open_forks_.empty() ? 0 : open_forks_.back().scopes_before;
  require(open_scopes_.size() > outside);
  add(event_kind::join, work, open_scopes_.back());
  open_scopes_.pop_back();
}

graph graph_builder::finish(picoseconds work) {
  require(open_forks_.empty() && open_scopes_.empty());
  add(event_kind::end, work, none);
  return std::move(graph_);
}

picoseconds work_of(const graph& of, picoseconds fork_cost) {
  picoseconds work = fork_cost * of.forks;
  for (const event& each : of.events) work += each.work();
  return work;
}

picoseconds span_of(const graph& of, const path_costs& with) {
  std::vector<picoseconds> forked_at;      // of each open fork: the path up to it
  std::vector<picoseconds> last_child_at;  // of each open scope: the longest path through a child
  std::vector<std::uint32_t> open_scopes;
  picoseconds path = 0;
  for (const event& each : of.events) {
    path += each.work();
    switch (each.kind()) {
    case event_kind::fork:
      if (open_scopes.empty() || open_scopes.back() != each.scope) {
        open_scopes.push_back(each.scope);
        last_child_at.push_back(0);
      }
      path += with.fork;
      forked_at.push_back(path);
      break;
    case event_kind::end:
      if (each.partner == none) break;
      last_child_at.back() = std::max(last_child_at.back(), path);
      path = forked_at.back() + with.continuation;
      forked_at.pop_back();
      break;
    case event_kind::join:
      path = std::max(path, last_child_at.back());
      open_scopes.pop_back();
      last_child_at.pop_back();
      break;
    }
  }
  return path;
}

}  // namespace recording
