// Memory spread over several memory nodes.
#include "os/os.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

constexpr int most_nodes = 1024;

/// A set of nodes as the system's calls take it.
class node_set {
public:
  /// Without numbers that no system has.
  void add(int node) noexcept {
    if (node >= 0 && node < most_nodes) {
      words_[static_cast<std::size_t>(node / bits)] |= 1UL << static_cast<unsigned>(node % bits);
    }
  }
  [[nodiscard]] bool has(int node) const noexcept {
    return node >= 0 && node < most_nodes &&
           (words_[static_cast<std::size_t>(node / bits)] >> static_cast<unsigned>(node % bits) & 1U) != 0;
  }
  unsigned long* words() noexcept { return words_.data(); }
  /// One more than there are bits, as the system counts them.
  static constexpr unsigned long size = most_nodes + 1;

private:
  static constexpr int bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, most_nodes / bits> words_{};
};

/// Where this thread's new pages lie, until it is destroyed: then as before.
class own_policy {
public:
  own_policy() noexcept
      : is_known_(::syscall(SYS_get_mempolicy, &mode_, nodes_.words(), node_set::size, 0, 0) == 0) {}
  own_policy(const own_policy&) = delete;
  own_policy& operator=(const own_policy&) = delete;
  ~own_policy() {
    if (is_changed_) {
      (void)::syscall(SYS_set_mempolicy, mode_, nodes_.words(), node_set::size);
    }
  }
  /// False if the system refuses.
  bool prefer(int node) noexcept {
    node_set one;
    one.add(node);
    if (!is_known_ || ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, one.words(), node_set::size) != 0) {
      return false;
    }
    is_changed_ = true;
    return true;
  }

private:
  int mode_ = 0;
  node_set nodes_;
  bool is_known_;
  bool is_changed_ = false;
};

/// Takes the pages of every `count`-th chunk from one on.
void touch(volatile char* memory, std::size_t bytes, std::size_t from, std::size_t count,
           std::size_t chunk) noexcept {
  const std::size_t page = page_size();
  const std::size_t chunks = (bytes - 1) / chunk + 1;
  for (std::size_t i = from; i < chunks; i = count < chunks - i ? i + count : chunks) {
    const std::size_t end = std::min(chunk, bytes - i * chunk);
    for (std::size_t at = 0; at < end; at += page) {
      memory[i * chunk + at] = 0;
    }
  }
}

/// By taking each page while its node is preferred: a range of its own for each chunk would be more mappings than a
/// process may have.
void place_each(char* memory, std::size_t bytes, const int* nodes, std::size_t count,
                std::size_t chunk) noexcept {
  // A huge page would lie in one node.
  (void)::madvise(memory, bytes, MADV_NOHUGEPAGE);
  own_policy policy;
  node_set done;
  for (std::size_t i = 0; i != count; ++i) {
    if (done.has(nodes[i]) || !policy.prefer(nodes[i])) {
      continue;
    }
    done.add(nodes[i]);
    for (std::size_t j = i; j != count; ++j) {
      if (nodes[j] == nodes[i]) {
        touch(memory, bytes, j, count, chunk);
      }
    }
  }
}

}  // namespace

void* map_interleaved(std::size_t bytes, const int* nodes, std::size_t count, std::size_t chunk) noexcept {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  const int saved_errno = errno;
  node_set all;
  bool are_repeated = false;
  bool are_several = false;
  for (std::size_t i = 0; i != count; ++i) {
    are_repeated = are_repeated || all.has(nodes[i]);
    are_several = are_several || nodes[i] != nodes[0];
    all.add(nodes[i]);
  }
  if (are_several && (are_repeated || chunk != page_size())) {
    place_each(static_cast<char*>(memory), bytes, nodes, count, chunk);
  } else {
    (void)::syscall(SYS_mbind, memory, bytes, MPOL_INTERLEAVE, all.words(), node_set::size, 0);
  }
  errno = saved_errno;
  return memory;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
