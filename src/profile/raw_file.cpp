#include "profile/raw_file.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "os/os.hpp"
#include "os/report_file.hpp"
#include "profile/counts.hpp"
#include "profile/machine.hpp"
#include "profile/nests.hpp"
#include "profile/profile.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

struct named_interval {
  named_interval* next;
  sum count;
  sum work;  // in ns, as the next two
  sum span;
  sum burdened;
  char name[96];
};

struct output {
  os::report_file file;
  int workers = 0;
  int process = 0;
  int refused = 0;
  std::mutex naming;
  std::atomic<named_interval*> named{nullptr};

  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) noexcept {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    const int wanted = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const std::size_t bytes = wanted < 0 ? 0
                              : static_cast<std::size_t>(wanted) < sizeof text
                                  ? static_cast<std::size_t>(wanted)
                                  : sizeof text - 1;
    if (refused == 0) {
      refused = os::write_file(file.number, text, bytes);
    }
  }
};

constinit output out;

using ull = unsigned long long;

/// How many bytes of a text are one character in UTF-8; 0: they are none.
std::size_t character_bytes(const char* at) noexcept {
  const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const unsigned char first = byte(0);
  const std::size_t bytes = first < 0x80   ? 1
                            : first < 0xc2 ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // The longer forms of what has a shorter one, halves of pairs, and what is beyond the last character.
  const bool is_wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return is_wrong ? 0 : bytes;
}

/// For a string of JSON: what has to be escaped, U+FFFD for bytes that are no UTF-8, and nothing of the end of
/// what is too long.
struct json_text {
  explicit json_text(const char* from) noexcept {
    std::size_t used = 0;
    while (*from != '\0' && used < sizeof text - 8) {
      const auto c = static_cast<unsigned char>(*from);
      const std::size_t bytes = character_bytes(from);
      if (bytes == 0 || c < 0x20) {
        used += static_cast<std::size_t>(std::snprintf(text + used, 7, "\\u%04x", bytes == 0 ? 0xfffdU : c));
        ++from;
        continue;
      }
      if (c == '"' || c == '\\') {
        text[used++] = '\\';
      }
      std::memcpy(text + used, from, bytes);
      used += bytes;
      from += bytes;
    }
    text[used] = '\0';
  }
  char text[1000];
};

/// Without the half of a character that a cut has left at the end.
void trim_character(char* text) noexcept {
  std::size_t bytes = std::strlen(text);
  for (std::size_t back = 1; back <= 3 && back <= bytes; ++back) {
    const auto c = static_cast<unsigned char>(text[bytes - back]);
    if (c < 0x80) {
      return;
    }
    if (c >= 0xc0) {
      const std::size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
      if (wanted > back) {
        text[bytes - back] = '\0';
      }
      return;
    }
  }
}

/// Sums over all workers. Threads of the program run beside one another, as tasks do: the span is the
/// longest one.
struct totals {
  lengths regions{};
  std::uint64_t outside = 0, region_count = 0, region_time = 0, forks = 0, unobserved = 0;
  std::uint64_t converted = 0, roots = 0, preempted = 0, seen = 0, by_records = 0;
  told_path::path longest{};  ///< that of the span

  void add(const counts_table& one) noexcept {
    region_count += one.regions.get();
    region_time += one.region_time.get();
    forks += one.forks.get();
    unobserved += one.unobserved_work.get();
    converted += one.converted.get();
    preempted += one.preempted.get();
    seen += one.all_work.get();
    by_records += taken_by_records(one);
    told_path::path task = one.longest_task.last();
    task.length.work = one.tasks_work.get();
    task.length.burdened = one.tasks_burdened.get();
    add_root(task);
    if (one.root != nullptr) {
      ++roots;
      add_root(one.regions_path.last());
      outside += one.outside.get();
    }
  }
  /// What lies outside of regions lies on the path.
  void add_root(const told_path::path& root) noexcept {
    const auto less = [&root](std::uint64_t length) {
      return length > root.outside ? length - root.outside : 0;
    };
    regions.work += less(root.length.work);
    if (less(root.length.span) > regions.span) {
      regions.span = less(root.length.span);
      longest = root;
    }
    regions.burdened =
        less(root.length.burdened) > regions.burdened ? less(root.length.burdened) : regions.burdened;
  }
};

double parallelism(std::uint64_t work, std::uint64_t span) noexcept {
  return span == 0 ? 0 : static_cast<double>(work) / static_cast<double>(span);
}

double seconds(std::uint64_t ticks) noexcept { return static_cast<double>(as_ns(ticks)) * 1e-9; }

void print_words(const totals& sum, bool is_complete) noexcept {
  out.print("# Work and span as nopal measured them. `nopal profile --read` makes tables and pages of this "
            "file.\n");
  if (!is_complete) {
    out.print("# The program ended in the midst: what was under way is not in here.\n");
  }
  out.print("# work %.6f s, span %.6f s, parallelism %.1f; burdened span %.6f s, parallelism %.1f\n",
            seconds(sum.regions.work), seconds(sum.regions.span),
            parallelism(sum.regions.work, sum.regions.span), seconds(sum.regions.burdened),
            parallelism(sum.regions.work, sum.regions.burdened));
  out.print("# %llu regions, %llu forks recorded, %d workers\n", static_cast<ull>(sum.region_count),
            static_cast<ull>(sum.forks), out.workers);
}

void print_whole(const totals& sum, bool is_complete) noexcept {
  const machine& m = this_machine;
  char program[1000];
  os::program_path(program, sizeof program);
  out.print("{\"nopal_profile\":1,\"program\":\"%s\",\"process\":%d,\"workers\":%d,\"complete\":%s",
            json_text(program).text, out.process, out.workers, is_complete ? "true" : "false");
  out.print(",\"work_ns\":%llu,\"span_ns\":%llu,\"burdened_span_ns\":%llu",
            static_cast<ull>(as_ns(sum.regions.work)), static_cast<ull>(as_ns(sum.regions.span)),
            static_cast<ull>(as_ns(sum.regions.burdened)));
  out.print(",\"outside_ns\":%llu,\"wall_ns\":%llu,\"regions\":%llu,\"regions_wall_ns\":%llu",
            static_cast<ull>(as_ns(sum.outside)), static_cast<ull>(os::monotonic_ns() - m.began_ns),
            static_cast<ull>(sum.region_count), static_cast<ull>(as_ns(sum.region_time)));
  out.print(",\"forks\":%llu,\"unobserved_ns\":%llu,\"turned_out_long\":%llu,\"roots\":%llu",
            static_cast<ull>(sum.forks), static_cast<ull>(as_ns(sum.unobserved)),
            static_cast<ull>(sum.converted), static_cast<ull>(sum.roots));
  out.print(",\"preempted_ns\":%llu", static_cast<ull>(as_ns(sum.preempted)));
  out.print(",\"seen_work_ns\":%llu", static_cast<ull>(as_ns(sum.seen)));
  out.print(",\"measuring_ns\":%llu", static_cast<ull>(as_ns(m.measuring)));
  out.print(",\"burden_ns\":%llu,\"steal_ns\":%llu,\"wake_ns\":%llu,\"cold_stack_ns\":%llu",
            static_cast<ull>(as_ns(m.burden)), static_cast<ull>(m.steal_ns), static_cast<ull>(m.wake_ns),
            static_cast<ull>(m.cold_stack_ns));
  out.print(",\"record_ns\":%llu", static_cast<ull>(sum.forks == 0 ? 0 : as_ns(sum.by_records) / sum.forks));
  const counts_table* const any = first_counts();
  const auto cost = [any](after kind) {
    return any == nullptr
               ? 0
               : static_cast<ull>(as_ns(any->cost[static_cast<int>(kind)].load(std::memory_order_relaxed)));
  };
  out.print(",\"hook_ns\":[%llu,%llu,%llu,%llu]}\n", cost(after::fork), cost(after::child), cost(after::join),
            cost(after::other));
}

/// Ticks of a part of that path; what lies outside of regions is no part.
std::uint64_t in_regions(const told_path::path& path, const path_shares::share& part) noexcept {
  const std::uint64_t outside = part.nest == outside_nest ? path.outside : 0;
  return part.ticks > outside ? part.ticks - outside : 0;
}

std::uint64_t on_path(const told_path::path& path, site_number site) noexcept {
  std::uint64_t ticks = 0;
  for (std::uint32_t i = 0; i < path.shares.count; ++i) {
    ticks += site_of(path.shares.at[i].nest) == site ? in_regions(path, path.shares.at[i]) : 0;
  }
  return ticks;
}

void print_part(nest_number part, std::uint64_t ticks) noexcept {
  // The sites from the outermost to the one that the part is of.
  site_number sites[deepest_nest];
  int count = 0;
  do {
    sites[count++] = site_of(part);
    part = around(part);
  } while (part != outside_nest && count != deepest_nest);
  out.print("{\"path\":[");
  while (count-- != 0) {
    out.print("%u%s", sites[count], count == 0 ? "" : ",");
  }
  out.print("],\"ns\":%llu}\n", static_cast<ull>(as_ns(ticks)));
}

void print_path(const told_path::path& path) noexcept {
  for (std::uint32_t i = 0; i < path.shares.count; ++i) {
    if (const std::uint64_t ticks = in_regions(path, path.shares.at[i])) {
      print_part(path.shares.at[i].nest, ticks);
    }
  }
}

void print_site(site_number site, const told_path::path& longest) noexcept {
  std::uint64_t forks = 0, unobserved = 0, work = 0, own = 0, all = 0, sampled = 0, sampled_work = 0;
  for (const counts_table* one = first_counts(); one != nullptr; one = one->next) {
    const site_counts& counts = one->sites[site];
    forks += counts.forks.get();
    unobserved += counts.unobserved.get();
    work += counts.work.get();
    own += counts.own_work.get();
    all += counts.all_work.get();
    sampled += counts.sampled_forks.get();
    sampled_work += counts.sampled_work.get();
  }
  const std::uint64_t path = on_path(longest, site);
  if (forks == 0 && path == 0) {
    return;
  }
  const void* const address = knowledge_of(site).address.load(std::memory_order_acquire);
  const os::code_place place = address == nullptr ? os::code_place{"", 0, ""} : os::place_of(address);
  out.print("{\"site\":%u,\"object\":\"%s\",\"offset\":%llu,\"symbol\":\"%s\"", site,
            json_text(place.object).text, static_cast<ull>(place.offset), json_text(place.symbol).text);
  out.print(",\"forks\":%llu,\"unobserved\":%llu,\"work_ns\":%llu,\"own_work_ns\":%llu,\"all_work_ns\":%llu,"
            "\"path_ns\":%llu,\"sampled_forks\":%llu,\"sampled_work_ns\":%llu}\n",
            static_cast<ull>(forks), static_cast<ull>(unobserved), static_cast<ull>(as_ns(work)),
            static_cast<ull>(as_ns(own)), static_cast<ull>(as_ns(all)), static_cast<ull>(as_ns(path)),
            static_cast<ull>(sampled), static_cast<ull>(as_ns(sampled_work)));
}

}  // namespace

int open_raw_file(const char* path, int workers) noexcept {
  if (const int refused = os::create_file(path, out.file)) {
    return refused;
  }
  out.workers = workers;
  out.process = os::process_number();
  return 0;
}

bool is_own_process() noexcept { return out.process == os::process_number(); }

void write_raw_file(bool is_complete) noexcept {
  totals sum;
  for (const counts_table* one = first_counts(); one != nullptr; one = one->next) {
    sum.add(*one);
    // Of the thread that calls this it is so after exit() in a region.
    is_complete = is_complete && (one->root == nullptr || one->root->open_scopes == 0);
  }
  out.refused = os::reopen_file(out.file);
  print_words(sum, is_complete);
  print_whole(sum, is_complete);
  for (site_number site = 0; site < sites_used(); ++site) {
    print_site(site, sum.longest);
  }
  print_path(sum.longest);
  for (const named_interval* one = out.named.load(std::memory_order_acquire); one != nullptr;
       one = one->next) {
    out.print(
        "{\"interval\":\"%s\",\"count\":%llu,\"work_ns\":%llu,\"span_ns\":%llu,\"burdened_span_ns\":%llu}\n",
        json_text(one->name).text, static_cast<ull>(one->count.get()), static_cast<ull>(one->work.get()),
        static_cast<ull>(one->span.get()), static_cast<ull>(one->burdened.get()));
  }
  if (out.refused != 0) {
    os::write_stderr("nopal: NOPAL_PROFILE: the file could not be written: %s\n", std::strerror(out.refused));
  }
  os::close_file(out.file);
}

void add_named(const char* name, const lengths& difference) noexcept {
  decltype(named_interval::name) kept{};
  std::strncpy(kept, name, sizeof kept - 1);
  if (std::strlen(name) >= sizeof kept) {
    trim_character(kept);
  }
  std::lock_guard<std::mutex> guard(out.naming);
  named_interval* found = out.named.load(std::memory_order_relaxed);
  while (found != nullptr && std::strcmp(found->name, kept) != 0) {
    found = found->next;
  }
  if (found == nullptr) {
    found = new (std::nothrow) named_interval{};
    if (found == nullptr) {
      return;
    }
    std::memcpy(found->name, kept, sizeof kept);
    found->next = out.named.load(std::memory_order_relaxed);
    // Release pairs with the acquire of whoever writes the file.
    out.named.store(found, std::memory_order_release);
  }
  found->count.add(1);
  found->work.add(difference.work);
  found->span.add(difference.span);
  found->burdened.add(difference.burdened);
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
