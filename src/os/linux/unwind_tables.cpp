// The search for unwind tables: the C library's for the object, then that object's sorted index
// (.eh_frame_hdr).
#include "os/unwind_tables.hpp"

#include <cstddef>
#include <cstring>

#include <dlfcn.h>
#include <link.h>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

// The GNU C library's from 2.35 on, which takes no lock. Declared here under a name of our own: older
// headers know neither, and a weak declaration of what newer ones declare would be refused.
struct found_object {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  void* link_map;
  void* unwind_index;
  unsigned long long reserved[7];
};
extern "C" __attribute__((weak)) int nopal_find_object(void* address,
                                                       found_object* found) __asm__("_dl_find_object");

/// As every linker writes it: offsets of 32 bits from the index's own beginning.
struct index_header {
  unsigned char version;
  unsigned char frames_encoding;
  unsigned char count_encoding;
  unsigned char table_encoding;
  std::int32_t frames;
  std::uint32_t count;
};
struct index_entry {
  std::int32_t code;
  std::int32_t description;
};

// The objects that the program began with: they cannot be unloaded. Written before the first search, and not changed.
constexpr int most_lasting = 128;
const void* lasting[most_lasting];
int lasting_count = 0;

void note_lasting(const void* address) noexcept {
  found_object object;
  if (lasting_count < most_lasting && nopal_find_object(const_cast<void*>(address), &object) == 0) {
    lasting[lasting_count++] = object.map_start;
  }
}

bool is_lasting(const void* map_start) noexcept {
  for (int i = 0; i < lasting_count; ++i) {
    if (lasting[i] == map_start) return true;
  }
  return false;
}

/// The sorted index of the object that has the code at `address`; null if there is none, or another kind.
const unsigned char* find_index(std::uint64_t address, found_object& object, index_header& header) noexcept {
  if (nopal_find_object == nullptr || nopal_find_object(reinterpret_cast<void*>(address), &object) != 0 ||
      object.unwind_index == nullptr) {
    return nullptr;
  }
  const auto* const begin = static_cast<const unsigned char*>(object.unwind_index);
  std::memcpy(&header, begin, sizeof header);
  constexpr unsigned char relative = 0x3b;  // to the index, 32 bits
  const bool is_known = header.version == 1 && header.count_encoding == 0x03 &&
                        header.table_encoding == relative && (header.frames_encoding & 0x0fU) == 0x0b &&
                        header.count != 0;
  return is_known ? begin : nullptr;
}

}  // namespace

void note_lasting_objects() noexcept {
  if (nopal_find_object == nullptr || lasting_count != 0) return;
  const link_map* const first = _r_debug.r_map;
  if (first == nullptr) {  // a program without shared objects
    note_lasting(reinterpret_cast<const void*>(&note_lasting_objects));
    return;
  }
  // In the order of loading, and the dynamic linker is among those that a program begins with. The list
  // grows at its end alone.
  for (const link_map* one = first; one != nullptr; one = one->l_next) {
    note_lasting(one->l_ld);
    if (one->l_addr == _r_debug.r_ldbase) return;
  }
  lasting_count = 0;  // not as known: nothing is taken to last
}

bool finds_unwind_entries() noexcept { return nopal_find_object != nullptr; }

bool has_unwind_index(const void* code) noexcept {
  found_object object;
  index_header header;
  return find_index(reinterpret_cast<std::uint64_t>(code), object, header) != nullptr;
}

const unsigned char* find_unwind_entry(std::uint64_t address, bool& lasts) noexcept {
  found_object object;
  index_header header;
  const unsigned char* const begin = find_index(address, object, header);
  if (begin == nullptr) return nullptr;
  lasts = is_lasting(object.map_start);
  const auto* const table = reinterpret_cast<const index_entry*>(begin + sizeof header);
  const auto wanted = static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(begin));
  std::uint32_t low = 0;
  std::uint32_t high = header.count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (table[middle].code <= wanted ? low : high) = middle;
  }
  return table[low].code <= wanted ? begin + table[low].description : nullptr;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
