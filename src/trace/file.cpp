// The file of a traced process: begun with the runtime, longer by a ring with each worker, complete at
// the end.
//
// Every part is mapped as it is made, and room on the disk is taken then, so that no later store can
// fail. No descriptor stays open, since programs close those that they do not know.

#include "trace/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "arch/arch.hpp"
#include "os/file_name.hpp"
#include "os/os.hpp"
#include "trace/trace.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

bool is_on = false;
std::uint64_t first_ticks = 0;

namespace {

constexpr std::size_t most_name_bytes = 4096;

file_header* header = nullptr;  ///< mapped; null: there is no file
bool is_parents = false;        ///< the file is that of this process's parent
bool room_told = false;
std::uint64_t loaded_ns = 0;
char path[most_name_bytes + 32];

// As early as the library can: what the program does before its first fork is not recorded, but how long it takes is.
[[gnu::constructor]] void note_loading() noexcept { loaded_ns = os::monotonic_ns(); }

clock_pair clock_now() noexcept { return {processor_ticks() - first_ticks, os::monotonic_ns()}; }

void refuse(const char* why) noexcept {
  os::write_stderr("nopal: NOPAL_TRACE=%.200s: %s; the program runs without a trace\n", path, why);
}

/// False if the name is too long.
bool complete_path(const char* name, std::size_t bytes) noexcept {
  const std::size_t length = os::current_directory(path, name[0] == '/' ? 0 : most_name_bytes / 2);
  return os::append_file_name(path, length, most_name_bytes, name, bytes);
}

/// What this process left as another program goes to a name of its own, with a number behind.
bool keep_former() noexcept {
  constexpr int most = 1000;
  char to[sizeof path + 8];
  for (int i = 1; i <= most; ++i) {
    std::snprintf(to, sizeof to, "%s.%d", path, i);
    if (os::rename_file(path, to)) {
      return true;
    }
  }
  return false;
}

/// Whether a file of that name may be written anew: there is none, it is empty, or it is the trace of a
/// process that is gone.
bool may_be_replaced() noexcept {
  file_header there{};
  const std::size_t got = os::read_beginning(path, &there, sizeof there);
  if (got == 0) {
    return true;
  }
  if (got < sizeof there || std::memcmp(there.magic, magic, sizeof magic) != 0) {
    refuse("there is a file of that name which is no trace; accepted: another name");
    return false;
  }
  const bool is_own = static_cast<int>(there.process) == os::process_number();
  // With the same number: another program that this process ran before, or another copy of the library.
  const bool goes_on =
      there.ended.ns == 0 &&
      (is_own ? there.image == os::image_number() : os::process_is_there(static_cast<int>(there.process)));
  if (goes_on) {
    refuse(
        "another process, or another copy of the library, writes it; accepted: a name with %p, which becomes "
        "the process's number");
    return false;
  }
  if (is_own && there.ended.ns == 0 && keep_former()) {
    return true;
  }
  os::remove_file(path);  // who still has it mapped keeps it
  return true;
}

/// Rounds down to a power of two.
std::uint64_t capacity_of(std::size_t ring_bytes) noexcept {
  std::uint64_t records = 1;
  while (records * 2 * sizeof(record) <= ring_bytes) {
    records *= 2;
  }
  return records;
}

}  // namespace

bool open(const char* name, std::size_t name_bytes, std::size_t ring_bytes) noexcept {
  if (is_parents || header != nullptr) {
    return true;
  }
  if (!complete_path(name, name_bytes)) {
    refuse("the name is too long");
    return false;
  }
  if (!may_be_replaced()) {
    return false;
  }
  int refused = os::find_or_make_file(path);
  void* const page = refused == 0 ? os::map_file(path, 0, page_bytes, refused) : nullptr;
  if (page == nullptr) {
    char why[200];
    std::snprintf(why, sizeof why, "cannot be written: %s", std::strerror(refused));
    refuse(why);
    return false;
  }
  header = static_cast<file_header*>(page);
  std::memcpy(header->magic, magic, sizeof magic);
  header->ring_bytes = page_bytes + capacity_of(ring_bytes) * sizeof(record);
  header->process = static_cast<std::uint64_t>(os::process_number());
  header->image = os::image_number();
  header->program_headers = os::program_headers();
  os::program_path(header->program, sizeof header->program);
  first_ticks = processor_ticks();
  header->began = clock_now();
  header->loaded_ns = loaded_ns;
  is_on = true;
  return true;
}

void close() noexcept {
  if (header != nullptr && is_on) {
    header->ended = clock_now();
  }
}

void leave_to_parent() noexcept {
  is_parents = is_parents || header != nullptr;
  is_on = false;
}

ring* make_ring() noexcept {
  if (!is_on) {
    return nullptr;
  }
  int refused = 0;
  void* const memory =
      os::map_file(path, page_bytes + header->rings * header->ring_bytes, header->ring_bytes, refused);
  if (memory == nullptr) {
    if (!room_told) {
      room_told = true;
      os::write_stderr("nopal: NOPAL_TRACE=%.200s: no room for another worker's records: %s; the trace lacks "
                       "it\n",
                       path, std::strerror(refused));
    }
    return nullptr;
  }
  auto* const made = static_cast<ring*>(memory);
  made->header.capacity = (header->ring_bytes - page_bytes) / sizeof(record);
  header->rings = header->rings + 1;
  return made;
}

void note_clock(ring* of) noexcept {
  if (of != nullptr) {
    of->header.seen = clock_now();
  }
}

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
