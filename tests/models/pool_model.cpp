// stack_pool: real code.

#include "models/pool_model.hpp"

#include "models/redirect.hpp"
// After the macros.
#include <new>

#include "os/os.hpp"
#include "stack/pool.hpp"

namespace explore {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t stride = 2 * page;  // a stack and its guard
constexpr int region_stacks = 2;
constexpr int most_regions = 3;

/// What the system has granted; each grant is a step.
struct system_state {
  bool at_work = false;  // memory is the execution's
  int regions_left = 0;
  int stacks_left = 0;
};
system_state the_system;
alignas(page) char address_space[most_regions * region_stacks * stride];

}  // namespace

}  // namespace explore

// The pool's own descriptions of its regions.
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return explore::the_system.at_work ? explore::allocate(64, bytes) : (std::malloc)(bytes);
}
void operator delete[](void* memory) noexcept {
  if (explore::the_system.at_work && explore::allocated(memory)) {
    explore::free_memory(memory);
  } else {
    (std::free)(memory);
  }
}
void operator delete[](void* memory, std::size_t) noexcept { operator delete[](memory); }

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace os {

using explore::the_system;

std::size_t page_size() noexcept { return explore::page; }

void* reserve_stack_memory(std::size_t bytes_with_guard) noexcept {
  const std::size_t bytes = bytes_with_guard - explore::page;
  if (bytes > explore::region_stacks * explore::stride) {
    return nullptr;
  }
  const int left = explore::fetch_add(&the_system.regions_left, -1, __ATOMIC_RELAXED);
  return left > 0 ? explore::address_space + static_cast<std::size_t>(left - 1) * bytes : nullptr;
}
bool allow_stack_memory(void*, std::size_t) noexcept {
  return explore::fetch_add(&the_system.stacks_left, -1, __ATOMIC_RELAXED) > 0;
}
/// A quarter is room for a region, and guards are narrow.
std::size_t address_space_left() noexcept { return 4 * explore::region_stacks * explore::stride; }
std::size_t lock_limit_on(void*) noexcept { return 0; }
void unmap(void*, std::size_t) noexcept {}
bool discard_pages(void*, std::size_t, bool) noexcept { return true; }
std::size_t resident_pages(const void*, std::size_t) noexcept { return 0; }
void yield() noexcept { explore::yield(); }

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

class pool_model final : public model {
public:
  explicit pool_model(pool_scenario with) : with_(std::move(with)) {}
  ~pool_model() override { the_system.at_work = false; }
  [[nodiscard]] int threads() const override { return static_cast<int>(with_.threads.size()); }

  void set_up() override {
    the_system = {true, with_.regions, with_.stacks};
    name(&the_system.regions_left, sizeof(int), "regions left");
    name(&the_system.stacks_left, sizeof(int), "stacks left");
    for (int i = 0; i < most_stacks; ++i) {
      content_[i].initialize(0);
      name(&content_[i], sizeof(int), "content");
      holder_[i] = nobody;
    }
    pool_ = new (pool_memory_) nopal::internal::stack_pool;
    // The last members, counts of stacks for statistics and for a budget that is not used.
    constexpr std::size_t counts = 4 * sizeof(std::uint64_t);
    ignore(pool_memory_ + sizeof pool_memory_ - counts, counts);
    require(pool_->start({page, 1, nopal::reclaim::never, nopal::reclaim_call::dontneed, with_.nodes}),
            "no first region");
  }

  void run(int thread) override {
    nopal_stack* held[most_stacks];
    int count = 0;
    for (const char what : with_.threads[static_cast<std::size_t>(thread)]) {
      if (what == 't') {
        const int node = thread % with_.nodes;
        nopal_stack* const stack = pool_->take(nullptr, node);
        require(stack != nullptr || !with_.enough, "there is no stack although there are enough");
        require(!with_.near || (stack != nullptr && pool_->node_of(stack) == node),
                "a stack is another node's although the taker's own has one");
        if (stack != nullptr) {
          hold(thread, *stack);
          held[count++] = stack;
        }
      } else if (count > 0) {
        nopal_stack* const stack = held[--count];
        require(holder_[number_of(*stack)] == thread, "a stack is somebody else's");
        holder_[number_of(*stack)] = nobody;
        pool_->give(stack);
      }
    }
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(!waits(i), "somebody waits for good");
    }
    // What is not held can be taken.
    int held = 0;
    for (const int holder : holder_) {
      held += holder != nobody ? 1 : 0;
    }
    const int granted = with_.regions - (the_system.regions_left > 0 ? the_system.regions_left : 0);
    the_system.regions_left = 0;
    int taken = 0;
    while (pool_->take(nullptr, with_.nodes - 1) != nullptr) {
      ++taken;
    }
    require(with_.stacks < 100 || taken + held == granted * region_stacks,
            "a stack was lost, or found twice");
  }

private:
  static constexpr int nobody = -1;
  static constexpr int most_stacks = most_regions * region_stacks;

  static std::size_t number_of(const nopal_stack& stack) {
    return static_cast<std::size_t>(stack.low - address_space) / stride;
  }

  void hold(int thread, const nopal_stack& stack) {
    require(stack.low >= address_space && stack.high <= address_space + sizeof address_space,
            "a stack is not where stacks are");
    const std::size_t number = number_of(stack);
    require(holder_[number] == nobody, "a stack has two holders");
    holder_[number] = thread;
    content_[number].write(thread);
  }

  pool_scenario with_;
  nopal::internal::stack_pool* pool_ = nullptr;
  alignas(nopal::internal::stack_pool) unsigned char pool_memory_[sizeof(nopal::internal::stack_pool)] = {};
  plain<int> content_[most_stacks];
  int holder_[most_stacks] = {};
};

}  // namespace

std::unique_ptr<model> make_pool_model(const pool_scenario& with) {
  return std::make_unique<pool_model>(with);
}

}  // namespace explore
