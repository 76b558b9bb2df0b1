// Memory nodes: which CPUs of this process each has, read once, and masks made of them.

#include "scheduler/nodes.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "scheduler/observers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

struct node {
  int number;
  int count;
  os::cpu_bits cpus;
};

/// Never freed: arenas refer to its masks.
struct description {
  description* earlier;
  std::vector<node> nodes;  // by number
};

constinit pthread_mutex_t nodes_lock = PTHREAD_MUTEX_INITIALIZER;
description* latest_nodes = nullptr;  // under the lock

class nodes_guard {
public:
  nodes_guard() noexcept { pthread_mutex_lock(&nodes_lock); }
  nodes_guard(const nodes_guard&) = delete;
  nodes_guard& operator=(const nodes_guard&) = delete;
  ~nodes_guard() { pthread_mutex_unlock(&nodes_lock); }

private:
  const os::not_cancelled until_released_;
};

constexpr int bits_of_word = 64;
constexpr int most_cpus = static_cast<int>(sizeof(os::cpu_bits)) * 8;

/// CPUs with numbers beyond the masks are in no node.
void add(std::vector<node>& nodes, const os::cpu_place& place) {
  const int number = std::max(place.node, 0);
  auto at =
      std::find_if(nodes.begin(), nodes.end(), [number](const node& one) { return one.number >= number; });
  if (at == nodes.end() || at->number != number) {
    at = nodes.insert(at, node{number, 0, {}});
  }
  at->cpus.words[place.cpu / bits_of_word] |= std::uint64_t{1} << place.cpu % bits_of_word;
  ++at->count;
}

/// Where the system says nothing of nodes, all CPUs are of one. Else a CPU that it puts nowhere is left
/// out.
std::vector<node> read_nodes(const char* root) {
  const std::vector<os::cpu_place> places = os::read_topology(os::first_threads_affinity(), root).places;
  const bool described =
      std::any_of(places.begin(), places.end(), [](const os::cpu_place& place) { return place.node >= 0; });
  std::vector<node> nodes;
  for (const os::cpu_place& place : places) {
    if (place.cpu < most_cpus && (place.node >= 0 || !described)) {
      add(nodes, place);
    }
  }
  return nodes;
}

// Under the lock. Null, if there is no memory for it.
const description* known_nodes() noexcept {
  if (latest_nodes == nullptr) {
    try {
      latest_nodes = new description{nullptr, read_nodes("")};
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  return latest_nodes;
}

const node* find(int number) noexcept {
  const description* const known = known_nodes();
  if (known == nullptr) {
    return nullptr;
  }
  const auto at = std::find_if(known->nodes.begin(), known->nodes.end(),
                               [number](const node& one) { return one.number == number; });
  return at == known->nodes.end() ? nullptr : &*at;
}

}  // namespace

void describe_nodes(const char* root) {
  std::vector<node> nodes = read_nodes(root);
  const nodes_guard guard;
  latest_nodes = new description{latest_nodes, std::move(nodes)};
}

os::cpu_bits* bind_this_thread(const os::cpu_bits& cpus) noexcept {
  os::cpu_bits now;
  if (!os::own_cpus(now)) {
    return nullptr;
  }
  os::cpu_bits wanted;
  bool any = false;
  for (std::size_t i = 0; i < std::size(now.words); ++i) {
    wanted.words[i] = now.words[i] & cpus.words[i];
    any = any || wanted.words[i] != 0;
  }
  if (!any) {
    wanted = cpus;
  } else if (std::equal(std::begin(now.words), std::end(now.words), std::begin(wanted.words))) {
    return nullptr;
  }
  auto* const before = new (std::nothrow) os::cpu_bits(now);
  if (before == nullptr || !os::allow_cpus(wanted)) {
    delete before;
    return nullptr;
  }
  return before;
}

void unbind_this_thread(os::cpu_bits* before) noexcept {
  if (before != nullptr) {
    static_cast<void>(os::allow_cpus(*before));  // CPUs may be gone; then the thread stays where it is
    delete before;
  }
}

void unbind_arena(nopal_arena* arena) noexcept {
  auto* const made = static_cast<made_arena*>(arena);
  if (made->cpus != nullptr) {
    made->cpus = nullptr;
    __atomic_fetch_sub(&observing, 1, __ATOMIC_RELAXED);
  }
}

extern "C" NOPAL_EXPORT int nopal_nodes(int* numbers, int room) {
  const nodes_guard guard;
  const description* const known = known_nodes();
  const int count = known == nullptr ? 0 : static_cast<int>(known->nodes.size());
  for (int i = 0; i < count && i < room; ++i) {
    numbers[i] = known->nodes[static_cast<std::size_t>(i)].number;
  }
  return count;
}

extern "C" NOPAL_EXPORT int nopal_cpus_of_node(int number) {
  const nodes_guard guard;
  const node* const found = find(number);
  return found == nullptr ? 0 : found->count;
}

extern "C" NOPAL_EXPORT void* nopal_map_interleaved(size_t bytes, const int* nodes, size_t count,
                                                    size_t chunk) {
  const std::size_t page = os::page_size();
  if (bytes == 0 || chunk % page != 0 || (nodes == nullptr) != (count == 0)) {
    return nullptr;
  }
  int all[1024];
  if (nodes == nullptr) {
    constexpr int room = sizeof all / sizeof *all;
    nodes = all;
    count = static_cast<std::size_t>(std::min(nopal_nodes(all, room), room));
  }
  return os::map_interleaved(bytes, nodes, count, chunk == 0 ? page : chunk);
}

extern "C" NOPAL_EXPORT void nopal_unmap_interleaved(void* memory, size_t bytes) {
  if (memory != nullptr) {
    os::unmap(memory, bytes);
  }
}

extern "C" NOPAL_EXPORT int nopal_arena_bind(nopal_arena* arena, int number) {
  const nodes_guard guard;
  const node* const found = find(number);
  if (found == nullptr) {
    return 1;
  }
  static_cast<made_arena*>(arena)->cpus = &found->cpus;
  // Relaxed: whoever gets to know the arena sees it.
  __atomic_fetch_add(&observing, 1, __ATOMIC_RELAXED);
  return 0;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
