// Memory nodes: parts of the machine whose CPUs have some of its memory near to them.
#ifndef NOPAL_NODES_HPP
#define NOPAL_NODES_HPP

#include <new>
#include <string>
#include <vector>

#include <nopal/detail/mode.hpp>

#ifndef NOPAL_ELIDE
#include <nopal/detail/observer.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

#ifdef NOPAL_ELIDE

/// The serial program tells no CPUs apart.
[[nodiscard]] inline std::vector<int> memory_nodes() { return {0}; }
[[nodiscard]] inline int cpus_of_node(int node) noexcept { return node == 0 ? 1 : 0; }

#else

/// The system's numbers of the nodes that have CPUs of this process, in order. One, of number 0,
/// where the system describes none. Read once, at the first question of any kind.
[[nodiscard]] inline std::vector<int> memory_nodes() {
  std::vector<int> nodes(static_cast<std::size_t>(nopal_nodes(nullptr, 0)));
  if (nodes.empty()) {
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    __builtin_trap();
#endif
  }
  static_cast<void>(nopal_nodes(nodes.data(), static_cast<int>(nodes.size())));
  return nodes;
}

/// How many CPUs of this process the node has: those that its first thread might run on then. 0: there
/// is no such node.
[[nodiscard]] inline int cpus_of_node(int node) noexcept { return nopal_cpus_of_node(node); }

#endif

namespace detail {

/// What is wrong with a node that is none.
[[nodiscard]] inline std::string text_of_no_node(int node) {
  std::string text =
      "nopal: arena: no memory node " + std::to_string(node) + ": those with CPUs of this process are";
  const char* before = " ";
  for (const int one : memory_nodes()) {
    text.append(before).append(std::to_string(one));
    before = ", ";
  }
  return text;
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
