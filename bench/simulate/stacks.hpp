// The stacks that strands run on, as far as they cost time: which scope's frame each was taken for, and whether its
// unused pages are with the system.
#ifndef NOPAL_BENCH_SIMULATE_STACKS_HPP
#define NOPAL_BENCH_SIMULATE_STACKS_HPP

#include <cstdint>
#include <vector>

#include "record/graph.hpp"
#include "simulate/costs.hpp"

namespace simulate {

/// Stack 0 is the one that the program's thread came with: worker 0 alone runs on it.
class stack_pool {
public:
  explicit stack_pool(int workers) : budget_(workers * policy::idle_stacks_per_worker), stacks_(1) {}

  /// An empty stack; `touched` says whether its pages have to come from the system.
  std::uint32_t take(bool& touched) {
    std::uint32_t stack;
    if (free_.empty()) {
      stack = static_cast<std::uint32_t>(stacks_.size());
      stacks_.push_back({.bare = true});
    } else {
      stack = free_.back();
      free_.pop_back();
    }
    touched = reuse(stack);
    return stack;
  }
  /// The stack is for the continuation of `scope` from here on, or for nothing.
  void assign(std::uint32_t stack, std::uint32_t scope) { stacks_[stack].scope = scope; }
  /// The stack holds nothing any more. True if its pages went back to the system.
  bool give(std::uint32_t stack) {
    stacks_[stack].scope = recording::none;
    free_.push_back(stack);
    return retain(stack);
  }
  /// The stack keeps a suspended frame. True if the pages below went back to the system.
  bool retain(std::uint32_t stack) {
    if (stack == 0 || stacks_[stack].bare) return false;
    if (idle_ < budget_) {
      ++idle_;
      stacks_[stack].idle = true;
      return false;
    }
    stacks_[stack].bare = true;
    return true;
  }
  /// The stack is run on again. True if its pages have to come from the system.
  bool reuse(std::uint32_t stack) {
    description& of = stacks_[stack];
    if (of.idle) --idle_;
    of.idle = false;
    const bool was_bare = of.bare;
    of.bare = false;
    return was_bare;
  }
  /// The scope whose continuation the stack was taken for.
  [[nodiscard]] std::uint32_t scope_of(std::uint32_t stack) const { return stacks_[stack].scope; }

private:
  struct description {
    std::uint32_t scope = recording::none;
    bool idle = false;  // counts against the budget
    bool bare = false;  // the pages are with the system
  };
  int budget_;
  int idle_ = 0;
  std::vector<description> stacks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace simulate

#endif
