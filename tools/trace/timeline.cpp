#include "trace/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "trace/order.hpp"

namespace tool::tracing {
namespace {

namespace format = nopal::internal::trace;

/// What a lane is at while its records are read.
struct lane_state {
  std::optional<std::size_t> open;   ///< the strand or search that goes on, of its slices
  std::optional<std::size_t> sleep;  ///< within that
  slice next;                        ///< what the next strand is known to be
  bool is_there = false;
  std::uint64_t wake_flow = 0;  ///< of whoever wakes it; 0: nobody yet
};

struct suspension {
  std::size_t lane;
  std::size_t moment;
};

class builder {
public:
  builder(const raw_process& raw, std::uint64_t& next_flow) : raw_(raw), next_flow_(next_flow) {
    result_.process = raw.number;
    result_.program = raw.program;
    result_.program_headers = raw.program_headers;
    result_.began_ns = raw.began_ns;
    result_.before_ns = raw.before_ns;
    result_.ended_ns = raw.ended_ns;
    result_.was_ended = raw.was_ended;
    result_.lanes.resize(raw.workers.size());
    states_.resize(raw.workers.size());
  }

  timeline build() {
    for (std::size_t i = 0; i < raw_.workers.size(); ++i) {
      lane& one = result_.lanes[i];
      one.lost = raw_.workers[i].lost;
      one.known_from = raw_.workers[i].events.empty() ? raw_.ended_ns : raw_.workers[i].events.front().ns;
      result_.lost += one.lost;
    }
    for (const auto& [number, event] : in_order()) take(number, *event);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      end_lane(i, raw_.ended_ns);
      sum_up(result_.lanes[i]);
      result_.sum.add(result_.lanes[i].sum);
    }
    return std::move(result_);
  }

private:
  using place = std::pair<std::size_t, const raw_event*>;

  [[nodiscard]] std::vector<place> in_order() const {
    std::vector<place> all;
    for (std::size_t i = 0; i < raw_.workers.size(); ++i) {
      for (const raw_event& event : raw_.workers[i].events) all.emplace_back(i, &event);
    }
    sort_stably(all, [](const place& one) { return one.second->ns; });
    return all;
  }

  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): for those who know that there is one
  slice& open_slice(std::size_t number) { return result_.lanes[number].slices[*states_[number].open]; }

  void begin_slice(std::size_t number, slice one) {
    std::vector<slice>& slices = result_.lanes[number].slices;
    states_[number].open = slices.size();
    slices.push_back(std::move(one));
  }

  void end_slice(std::size_t number, std::uint64_t ns) {
    lane_state& state = states_[number];
    end_sleep(number, ns);
    if (state.open) open_slice(number).end_ns = ns;
    state.open.reset();
  }

  void end_sleep(std::size_t number, std::uint64_t ns) {
    lane_state& state = states_[number];
    if (state.sleep) result_.lanes[number].slices[*state.sleep].end_ns = ns;
    state.sleep.reset();
  }

  void end_lane(std::size_t number, std::uint64_t ns) {
    end_slice(number, ns);
    states_[number].is_there = false;
  }

  void begin_search(std::size_t number, std::uint64_t ns) {
    slice search;
    search.begin_ns = ns;
    search.kind = slice_kind::search;
    begin_slice(number, search);
  }

  void begin_strand(std::size_t number, std::uint64_t ns, slice known) {
    known.begin_ns = ns;
    known.kind = slice_kind::strand;
    begin_slice(number, std::move(known));
  }

  moment& add_moment(std::size_t number, std::uint64_t ns, moment_kind kind, std::uint64_t about) {
    std::vector<moment>& moments = result_.lanes[number].moments;
    moments.push_back({ns, kind, about, 0, 0});
    return moments.back();
  }

  void begin_life(std::size_t number, const raw_event& event) {
    lane& one = result_.lanes[number];
    one.thread = static_cast<int>(event.argument >> 32);
    one.index = static_cast<int>(event.argument & format::index_mask);
    one.of_pool = (event.argument >> format::index_bits & 1) != 0;
    one.name = one.of_pool ? fmt::format("worker {}", one.index)
                           : fmt::format("thread of the program {}", one.thread);
    lanes_[one.index] = number;
    lane_state& state = states_[number];
    if (std::exchange(state.is_there, true)) return;  // a substitute comes back, with another index
    state.next = {};
    if (one.of_pool) {
      begin_search(number, event.ns);
    } else {
      slice root;
      root.how = beginning::of_program;
      begin_strand(number, event.ns, root);
    }
  }

  /// The lane whose worker has that index now; -1 if it is not known.
  [[nodiscard]] int lane_of(std::uint64_t index) const {
    const auto found = lanes_.find(static_cast<int>(index));
    return found == lanes_.end() ? -1 : static_cast<int>(found->second);
  }

  void note_steal(std::size_t thief, const raw_event& event) {
    slice& next = states_[thief].next;
    next = {};
    next.how = beginning::stolen;
    next.code = event.argument >> format::index_bits;
    next.victim = lane_of(event.argument & format::index_mask);
    ++result_.lanes[thief].sum.steals;
    if (next.victim < 0) return;
    const std::uint64_t flow = next_flow_++;
    add_moment(static_cast<std::size_t>(next.victim), event.ns, moment_kind::stolen_from, thief).flow_out =
        flow;
    next.flows_in.push_back(flow);
  }

  void note_suspension(std::size_t number, const raw_event& event) {
    add_moment(number, event.ns, moment_kind::suspends, event.argument);
    suspended_[event.argument] = {number, result_.lanes[number].moments.size() - 1};
    ++result_.lanes[number].sum.suspensions;
  }

  void note_resumption(std::size_t number, const raw_event& event) {
    slice& next = states_[number].next;
    next = {};
    next.how = beginning::after_join;
    ++result_.lanes[number].sum.resumptions;
    const auto found = suspended_.find(event.argument);
    if (found == suspended_.end()) return;
    const std::uint64_t flow = next_flow_++;
    result_.lanes[found->second.lane].moments[found->second.moment].flow_out = flow;
    next.flows_in.push_back(flow);
    suspended_.erase(found);
  }

  void note_waking(std::size_t number, const raw_event& event) {
    const int sleeper = lane_of(event.argument);
    const std::uint64_t about = sleeper < 0 ? number : static_cast<std::uint64_t>(sleeper);
    moment& one = add_moment(number, event.ns, moment_kind::wakes, about);
    if (sleeper < 0) return;
    one.flow_out = next_flow_++;
    states_[static_cast<std::size_t>(sleeper)].wake_flow = one.flow_out;
  }

  void note_waking_up(std::size_t number, std::uint64_t ns) {
    lane_state& state = states_[number];
    const bool slept = state.sleep.has_value();
    end_sleep(number, ns);
    const std::uint64_t flow = std::exchange(state.wake_flow, 0);
    if (slept && flow != 0) add_moment(number, ns, moment_kind::woken, 0).flow_in = flow;
  }

  void note_sleep(std::size_t number, std::uint64_t ns) {
    lane_state& state = states_[number];
    if (!state.open || open_slice(number).kind != slice_kind::search || state.sleep) return;
    slice sleep;
    sleep.begin_ns = ns;
    sleep.kind = slice_kind::sleep;
    std::vector<slice>& slices = result_.lanes[number].slices;
    state.sleep = slices.size();
    slices.push_back(sleep);
    ++result_.lanes[number].sum.sleeps;
  }

  void take(std::size_t number, const raw_event& event) {
    lane_state& state = states_[number];
    totals& sum = result_.lanes[number].sum;
    slice& next = state.next;
    switch (event.kind) {
    case what::none: break;
    case what::begins: begin_life(number, event); break;
    case what::ends: end_lane(number, event.ns); break;
    case what::runs:
      end_slice(number, event.ns);
      state.is_there = true;  // its beginning may be lost
      begin_strand(number, event.ns, std::exchange(next, {}));
      break;
    case what::stops:
      end_slice(number, event.ns);
      state.is_there = true;
      begin_search(number, event.ns);
      break;
    case what::steals: note_steal(number, event); break;
    case what::starts_ready:
      next = {.how = beginning::ready, .code = event.argument, .flows_in = {}, .flows_out = {}};
      break;
    case what::starts_task:
      next = {.how = beginning::task, .code = event.argument, .flows_in = {}, .flows_out = {}};
      break;
    case what::goes_on: note_resumption(number, event); break;
    case what::arrives:
    case what::waits: note_suspension(number, event); break;
    case what::sleeps: note_sleep(number, event.ns); break;
    case what::wakes_up: note_waking_up(number, event.ns); break;
    case what::wakes: note_waking(number, event); break;
    case what::asks:
      ++sum.questions;
      add_moment(number, event.ns, moment_kind::asks,
                 static_cast<std::uint64_t>(std::max(0, lane_of(event.argument))));
      break;
    case what::promotes:
      sum.promoted += event.argument;
      add_moment(number, event.ns, moment_kind::promotes, event.argument);
      break;
    case what::sits: add_moment(number, event.ns, moment_kind::sits, event.argument); break;
    case what::gets_up: add_moment(number, event.ns, moment_kind::gets_up, event.argument); break;
    case what::reclaims:
      sum.pages += event.argument;
      add_moment(number, event.ns, moment_kind::reclaims, event.argument);
      break;
    case what::forks:
      ++sum.forks;
      add_moment(number, event.ns, moment_kind::forks, event.argument);
      break;
    }
  }

  static void sum_up(lane& one) {
    for (const slice& each : one.slices) {
      const std::uint64_t ns = each.end_ns - each.begin_ns;
      switch (each.kind) {
      case slice_kind::strand: one.sum.strand_ns += ns; break;
      case slice_kind::search: one.sum.search_ns += ns; break;
      case slice_kind::sleep:
        one.sum.sleep_ns += ns;
        one.sum.search_ns -= ns;
        break;
      }
    }
    if (one.name.empty()) one.name = "worker";
  }

  const raw_process& raw_;
  std::uint64_t& next_flow_;
  timeline result_;
  std::vector<lane_state> states_;
  std::map<int, std::size_t> lanes_;               ///< by the workers' indices
  std::map<std::uint64_t, suspension> suspended_;  ///< by their frames
};

}  // namespace

void totals::add(const totals& other) {
  strand_ns += other.strand_ns;
  search_ns += other.search_ns;
  sleep_ns += other.sleep_ns;
  steals += other.steals;
  suspensions += other.suspensions;
  resumptions += other.resumptions;
  sleeps += other.sleeps;
  promoted += other.promoted;
  questions += other.questions;
  pages += other.pages;
  forks += other.forks;
}

timeline timeline_of(const raw_process& raw, std::uint64_t& first_flow) {
  return builder(raw, first_flow).build();
}

}  // namespace tool::tracing
