#include "trace/raw_file.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "arch/arch.hpp"
#include "trace/order.hpp"

namespace tool::tracing {
namespace {

namespace format = nopal::internal::trace;

/// From ticks to the system's clock, along a line through two moments.
class clock_line {
public:
  clock_line(format::clock_pair from, format::clock_pair to) : from_(from) {
    constexpr std::uint64_t enough_ticks = 1'000'000;
    if (to.ticks < from.ticks + enough_ticks || to.ns <= from.ns) {
      measure();
      return;
    }
    ns_per_tick_ = static_cast<double>(to.ns - from.ns) / static_cast<double>(to.ticks - from.ticks);
  }

  [[nodiscard]] std::uint64_t ns(std::uint64_t ticks) const {
    const double passed = static_cast<double>(static_cast<std::int64_t>(ticks - from_.ticks));
    const double ns = passed * ns_per_tick_;
    return ns < 0 ? from_.ns : from_.ns + static_cast<std::uint64_t>(ns);
  }

private:
  /// The process ended before it could say how fast its ticks are: those of this machine now.
  void measure() {
    const auto now = [] {
      timespec time{};
      clock_gettime(CLOCK_MONOTONIC, &time);
      return format::clock_pair{nopal::internal::processor_ticks(),
                                static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                    static_cast<std::uint64_t>(time.tv_nsec)};
    };
    const format::clock_pair first = now();
    format::clock_pair last = now();
    while (last.ns < first.ns + 2'000'000) last = now();
    ns_per_tick_ = static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks);
  }

  format::clock_pair from_;
  double ns_per_tick_ = 1;
};

template <class Part>
Part part_at(const std::string& bytes, std::size_t offset) {
  Part part;
  std::memcpy(&part, bytes.data() + offset, sizeof part);
  return part;
}

bool begins_as_a_trace(const std::string& bytes) {
  return std::memcmp(bytes.data(), format::magic, sizeof format::magic) == 0;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(format::page_bytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto got = static_cast<std::size_t>(file.gcount());
  if (!file && got == 0 && !file.eof()) throw std::runtime_error(fmt::format("cannot read '{}'", path));
  bytes.resize(got);
  // Of a device that has no end no more.
  if (got < format::page_bytes || !begins_as_a_trace(bytes)) return bytes;
  return bytes.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

struct ring_place {
  std::size_t offset;
  format::ring_header header;
};

/// How many rings are there to their last byte.
std::uint64_t whole_rings(const std::string& bytes, const format::file_header& header) {
  return std::min<std::uint64_t>(header.rings, (bytes.size() - format::page_bytes) / header.ring_bytes);
}

/// Those that make sense.
std::vector<ring_place> rings_of(const std::string& bytes, const format::file_header& header) {
  std::vector<ring_place> rings;
  for (std::uint64_t i = 0; i < whole_rings(bytes, header); ++i) {
    const std::uint64_t offset = format::page_bytes + i * header.ring_bytes;
    const auto ring = part_at<format::ring_header>(bytes, offset);
    const std::uint64_t most = (header.ring_bytes - format::page_bytes) / sizeof(format::record);
    if (is_power_of_two(ring.capacity) && ring.capacity <= most) rings.push_back({offset, ring});
  }
  return rings;
}

raw_worker read_ring(const std::string& bytes, const ring_place& ring, const clock_line& clock) {
  raw_worker result;
  const std::uint64_t capacity = ring.header.capacity;
  const std::uint64_t next = ring.header.next;
  result.lost = next > capacity ? next - capacity : 0;
  for (std::uint64_t place = result.lost; place < next; ++place) {
    const auto one = part_at<format::record>(bytes, ring.offset + format::page_bytes +
                                                        (place & (capacity - 1)) * sizeof(format::record));
    const auto kind = static_cast<std::uint8_t>(one.ticks_and_what & 0xff);
    if (kind == 0 || kind > static_cast<std::uint8_t>(what::last)) continue;  // not written to its end
    result.events.push_back({clock.ns(one.ticks_and_what >> 8), static_cast<what>(kind), one.argument});
  }
  // A handler's records may be a few steps out of order.
  sort_stably(result.events, [](const raw_event& one) { return one.ns; });
  return result;
}

/// Of the worker that had the ring first; those whose beginning is lost come last.
std::uint64_t first_index(const raw_worker& one) {
  for (const raw_event& event : one.events) {
    if (event.kind == what::begins) return event.argument & format::index_mask;
  }
  return format::index_mask;
}

}  // namespace

bool is_raw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(sizeof format::magic, '\0');
  return file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) && begins_as_a_trace(bytes);
}

raw_process read_raw(const std::string& path) {
  const std::string bytes = contents(path);
  if (bytes.size() < format::page_bytes || !begins_as_a_trace(bytes)) {
    throw std::runtime_error(
        fmt::format("'{}' is no trace; accepted: a file that a program wrote with NOPAL_TRACE", path));
  }
  const auto header = part_at<format::file_header>(bytes, 0);
  if (header.ring_bytes <= format::page_bytes || header.ring_bytes > (std::uint64_t{1} << 40)) {
    throw std::runtime_error(fmt::format("'{}' is damaged: its first page makes no sense", path));
  }
  const std::uint64_t whole = whole_rings(bytes, header);
  if (whole == 0 && header.rings != 0) {
    throw std::runtime_error(fmt::format("'{}' is cut: it has its first page and no worker whole", path));
  }
  const std::vector<ring_place> rings = rings_of(bytes, header);
  format::clock_pair latest = header.ended;
  for (const ring_place& ring : rings) {
    if (header.ended.ns == 0 && ring.header.seen.ticks > latest.ticks) latest = ring.header.seen;
  }
  const clock_line clock(header.began, latest);
  raw_process result;
  result.number = static_cast<int>(header.process);
  result.program.assign(header.program, strnlen(header.program, sizeof header.program));
  result.program_headers = header.program_headers;
  result.began_ns = header.began.ns;
  if (header.loaded_ns != 0 && header.loaded_ns < header.began.ns)
    result.before_ns = header.began.ns - header.loaded_ns;
  result.ended_ns = std::max(header.began.ns, latest.ns);
  result.was_ended = header.ended.ns == 0;
  result.parts_cut = header.rings - whole;
  for (const ring_place& ring : rings) {
    result.workers.push_back(read_ring(bytes, ring, clock));
    const std::vector<raw_event>& events = result.workers.back().events;
    if (!events.empty()) result.ended_ns = std::max(result.ended_ns, events.back().ns);
  }
  // The thread that began comes first, as it does in the program.
  sort_stably(result.workers, first_index);
  return result;
}

}  // namespace tool::tracing
