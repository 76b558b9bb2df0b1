// One sequence of packets for each process, whose names and categories are told once each. Numbers of
// fields are those of Perfetto's published descriptors, which a test decodes the file by.

#include "trace/perfetto.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "trace/order.hpp"
#include "trace/protobuf.hpp"
#include "trace/symbols.hpp"

namespace tool::tracing {
namespace {

namespace field {
constexpr int trace_packet = 1;
constexpr int clock_snapshot = 6, timestamp = 8, sequence = 10, track_event = 11, interned_data = 12,
              sequence_flags = 13, packet_dropped = 42, timestamp_clock = 58, packet_defaults = 59,
              track_descriptor = 60, first_on_sequence = 87;
constexpr int snapshot_clocks = 1, snapshot_primary = 2, clock_id = 1, clock_timestamp = 2;
constexpr int track_uuid = 1, track_name = 2, track_process = 3, track_thread = 4, track_parent = 5;
constexpr int process_pid = 1, process_name = 6;
constexpr int thread_pid = 1, thread_tid = 2, thread_name = 5;
constexpr int event_category_iids = 3, event_annotations = 4, event_type = 9, event_name_iid = 10,
              event_track = 11, event_flows = 47, event_ending_flows = 48;
constexpr int interned_categories = 1, interned_names = 2, interned_annotation_names = 3, interned_iid = 1,
              interned_name = 2;
constexpr int annotation_name_iid = 1, annotation_uint = 3, annotation_string = 6, annotation_pointer = 7;
}  // namespace field

constexpr std::uint64_t monotonic_clock = 3;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;
enum event_type : std::uint64_t { slice_begins = 1, slice_ends = 2, instant = 3 };

/// Numbers for texts, each told with its first use.
class interned {
public:
  explicit interned(int told_as) : told_as_(told_as) {}

  std::uint64_t number(const std::string& text, message& told) {
    const auto [at, is_new] = numbers_.insert({text, numbers_.size() + 1});
    if (is_new) {
      told.part(told_as_, message().number(field::interned_iid, at->second).text(field::interned_name, text));
    }
    return at->second;
  }

private:
  int told_as_;
  std::map<std::string, std::uint64_t> numbers_;
};

class process_writer {
public:
  process_writer(const timeline& process, std::uint64_t sequence, std::string& to)
      : process_(process), names_of_code_(process.program, process.program_headers), sequence_(sequence),
        to_(to) {}

  void write() {
    describe();
    for (std::size_t i = 0; i < process_.lanes.size(); ++i) describe_lane(i);
    // Names are told in the packet of their first use, so packets are made in the order in which they stand.
    for (const entry& each : in_order()) write_entry(each);
  }

private:
  /// A beginning or an end of a slice, a moment, or the place where records are missing.
  struct entry {
    std::uint64_t ns;
    std::size_t lane;
    const slice* of;
    bool ends;
    const moment* at;
  };

  [[nodiscard]] std::uint64_t track(std::size_t lane) const { return sequence_ << 32 | (lane + 1); }

  void put(message& packet) {
    packet.number(field::sequence, sequence_);
    to_ += message().part(field::trace_packet, packet).bytes();
  }

  void describe() {
    message clocks;
    clocks.part(
        field::snapshot_clocks,
        message().number(field::clock_id, monotonic_clock).number(field::clock_timestamp, process_.began_ns));
    clocks.number(field::snapshot_primary, monotonic_clock);
    message first;
    first.number(field::timestamp, process_.began_ns)
        .number(field::timestamp_clock, monotonic_clock)
        .number(field::sequence_flags, state_cleared)
        .number(field::first_on_sequence, 1)
        .part(field::packet_defaults, message().number(field::timestamp_clock, monotonic_clock))
        .part(field::clock_snapshot, clocks);
    put(first);
    const std::size_t slash = process_.program.rfind('/');
    message process;
    process.number(field::process_pid, static_cast<std::uint64_t>(process_.process))
        .text(field::process_name, process_.program.substr(slash == std::string::npos ? 0 : slash + 1));
    message descriptor;
    descriptor.number(field::track_uuid, sequence_ << 32).part(field::track_process, process);
    message packet;
    packet.part(field::track_descriptor, descriptor);
    put(packet);
  }

  void describe_lane(std::size_t lane) {
    const auto& one = process_.lanes[lane];
    message thread;
    thread.number(field::thread_pid, static_cast<std::uint64_t>(process_.process))
        .number(field::thread_tid, static_cast<std::uint64_t>(one.thread))
        .text(field::thread_name, one.name);
    message descriptor;
    descriptor.number(field::track_uuid, track(lane))
        .number(field::track_parent, sequence_ << 32)
        .part(field::track_thread, thread);
    message packet;
    packet.part(field::track_descriptor, descriptor);
    if (one.lost != 0) packet.number(field::packet_dropped, 1);
    put(packet);
  }

  [[nodiscard]] std::vector<entry> in_order() const {
    std::vector<entry> all;
    for (std::size_t i = 0; i < process_.lanes.size(); ++i) {
      const lane& one = process_.lanes[i];
      if (one.lost != 0) all.push_back({one.known_from, i, nullptr, false, nullptr});
      add_slices(one, i, all);
      for (const moment& each : one.moments) all.push_back({each.ns, i, nullptr, false, &each});
    }
    sort_stably(all, [](const entry& one) { return one.ns; });
    return all;
  }

  /// In the order in which they open and close: a sleep is within the search before it.
  static void add_slices(const lane& one, std::size_t number, std::vector<entry>& all) {
    const slice* search = nullptr;
    const auto end_search = [&] {
      if (search != nullptr) all.push_back({search->end_ns, number, search, true, nullptr});
      search = nullptr;
    };
    for (const slice& each : one.slices) {
      if (each.kind != slice_kind::sleep) end_search();
      all.push_back({each.begin_ns, number, &each, false, nullptr});
      if (each.kind == slice_kind::search) {
        search = &each;
      } else {
        all.push_back({each.end_ns, number, &each, true, nullptr});
      }
    }
    end_search();
  }

  void annotate(message& event, message& told, const char* name, int kind, std::uint64_t value) {
    event.part(
        field::event_annotations,
        message().number(field::annotation_name_iid, annotations_.number(name, told)).number(kind, value));
  }

  void annotate_lane(message& event, message& told, const char* name, std::uint64_t lane) {
    if (lane >= process_.lanes.size()) return;
    event.part(field::event_annotations,
               message()
                   .number(field::annotation_name_iid, annotations_.number(name, told))
                   .text(field::annotation_string, process_.lanes[lane].name));
  }

  void name(message& event, message& told, const std::string& text, const char* category) {
    event.number(field::event_category_iids, categories_.number(category, told));
    event.number(field::event_name_iid, names_.number(text, told));
  }

  void begin(message& event, message& told, const slice& one) {
    name(event, told, name_of(one, names_of_code_.name_of(one.code)),
         one.kind == slice_kind::strand ? "strand" : "scheduler");
    if (one.victim >= 0) annotate_lane(event, told, "stolen from", static_cast<std::uint64_t>(one.victim));
    if (one.code != 0) annotate(event, told, "goes on at", field::annotation_pointer, one.code);
    for (const std::uint64_t flow : one.flows_in) event.fixed64(field::event_ending_flows, flow);
  }

  void tell(message& event, message& told, const moment& one) {
    const bool is_fork = one.kind == moment_kind::forks;
    name(event, told, name_of(one, is_fork ? names_of_code_.name_of(one.about) : ""),
         is_fork ? "fork" : "scheduler");
    switch (one.kind) {
    case moment_kind::stolen_from: annotate_lane(event, told, "thief", one.about); break;
    case moment_kind::wakes:
    case moment_kind::asks: annotate_lane(event, told, "whom", one.about); break;
    case moment_kind::promotes: annotate(event, told, "forks", field::annotation_uint, one.about); break;
    case moment_kind::reclaims: annotate(event, told, "pages", field::annotation_uint, one.about); break;
    case moment_kind::sits:
    case moment_kind::gets_up: annotate(event, told, "arena", field::annotation_pointer, one.about); break;
    case moment_kind::forks: annotate(event, told, "goes on at", field::annotation_pointer, one.about); break;
    case moment_kind::suspends: annotate(event, told, "frame", field::annotation_pointer, one.about); break;
    case moment_kind::woken: break;
    }
    if (one.flow_out != 0) event.fixed64(field::event_flows, one.flow_out);
    if (one.flow_in != 0) event.fixed64(field::event_ending_flows, one.flow_in);
  }

  void write_entry(const entry& one) {
    message event;
    message told;
    event.number(field::event_track, track(one.lane));
    if (one.of != nullptr) {
      event.number(field::event_type, one.ends ? slice_ends : slice_begins);
      if (!one.ends) begin(event, told, *one.of);
    } else {
      event.number(field::event_type, instant);
      if (one.at != nullptr) {
        tell(event, told, *one.at);
      } else {
        name(event, told, "earlier records are lost", "scheduler");
        annotate(event, told, "records", field::annotation_uint, process_.lanes[one.lane].lost);
      }
    }
    message packet;
    packet.number(field::timestamp, one.ns).number(field::sequence_flags, needs_state);
    if (!told.bytes().empty()) packet.part(field::interned_data, told);
    packet.part(field::track_event, event);
    put(packet);
  }

  const timeline& process_;
  symbols names_of_code_;
  std::uint64_t sequence_;
  std::string& to_;
  interned categories_{field::interned_categories};
  interned names_{field::interned_names};
  interned annotations_{field::interned_annotation_names};
};

}  // namespace

std::string name_of(const slice& one, const std::string& function) {
  if (one.kind == slice_kind::search) return "looks for work";
  if (one.kind == slice_kind::sleep) return "sleeps";
  const std::string where = function.empty() ? "" : ": " + function;
  switch (one.how) {
  case beginning::of_program: return "the program's own strand";
  case beginning::stolen: return "stolen strand" + where;
  case beginning::after_join: return "strand after its join or wait";
  case beginning::ready: return "ready strand" + where;
  case beginning::task: return "task" + where;
  case beginning::unknown: break;
  }
  return "strand";
}

std::string name_of(const moment& one, const std::string& function) {
  switch (one.kind) {
  case moment_kind::stolen_from: return "stolen from";
  case moment_kind::suspends: return "strand waits";
  case moment_kind::wakes: return "wakes a sleeper";
  case moment_kind::woken: return "is woken";
  case moment_kind::asks: return "asks for latent forks";
  case moment_kind::promotes: return "promotes latent forks";
  case moment_kind::sits: return "takes a seat";
  case moment_kind::gets_up: return "gives a seat back";
  case moment_kind::reclaims: return "gives pages back";
  case moment_kind::forks: return function.empty() ? "forks" : "forks: " + function;
  }
  return "";
}

std::string perfetto_trace(const std::vector<timeline>& processes) {
  std::string result;
  std::uint64_t sequence = 1;
  for (const timeline& each : processes) process_writer(each, sequence++, result).write();
  return result;
}

}  // namespace tool::tracing
