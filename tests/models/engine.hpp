// The explorer's machinery: fibers, the list of choices, the states seen.
#ifndef NOPAL_TESTS_EXPLORE_ENGINE_HPP
#define NOPAL_TESTS_EXPLORE_ENGINE_HPP

#include <ucontext.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/memory.hpp"

namespace explore {

class engine final : public chooser {
public:
  engine(model& program, const options& how);
  outcome explore_all();

  // Of the running thread.
  [[nodiscard]] bool inside() const { return running_ >= 0; }
  [[nodiscard]] int running() const { return running_; }
  std::uint64_t load(const void* address, std::size_t bytes, int order);
  void store(void* address, std::size_t bytes, std::uint64_t value, int order);
  std::uint64_t change(void* address, std::size_t bytes, update kind, std::uint64_t operand,
                       std::uint64_t expected, int order);
  bool change_16(void* address, std::uint64_t (&expected)[2], std::uint64_t low, std::uint64_t high);
  void fence(int order);
  void barrier();
  void yield();
  bool futex_wait(const void* address, std::uint32_t expected, bool timed);
  bool futex_wait_once(const void* address, std::uint32_t expected, bool timed);
  int futex_wake(const void* address, int count);
  void interrupt(int thread, std::uint64_t told);
  void instruction();
  void lock(void* address);
  void unlock(void* address);
  void plain(const void* address, std::size_t bytes, bool write);
  void* copy(void* to, const void* from, std::size_t bytes);
  [[noreturn]] void finish();
  unsigned decide(unsigned count) override;
  unsigned choose(unsigned count);
  [[noreturn]] void report(const char* message) override;

  // Of set_up and check.
  void name(const void* address, std::size_t bytes, const char* text);
  void ignore(const void* address, std::size_t bytes);
  location& location_at(const void* address, std::size_t bytes);
  void* allocate(std::size_t alignment, std::size_t bytes);
  void give_up(const void* address, std::size_t bytes, bool gone);
  void free_memory(void* address);
  [[nodiscard]] bool allocated(const void* address) const {
    return address >= arena_.data() && address < arena_.data() + arena_.size();
  }
  [[nodiscard]] bool broken(const char* fault) const {
    return std::strcmp(how_.broken, fault) == 0 || std::strcmp(how_.also_broken, fault) == 0;
  }
  [[nodiscard]] bool tries_each_draw() const { return program_.tries_each_draw(); }
  [[nodiscard]] std::uint64_t draw(std::uint64_t drawn) const { return program_.draw(drawn); }
  [[nodiscard]] bool waits(int thread) const {
    return fibers_[static_cast<std::size_t>(thread)].state == fiber_state::waiting;
  }

private:
  enum class fiber_state { ready, waiting, finished };
  struct fiber {
    ucontext_t context;
    std::vector<char> stack;
    fiber_state state = fiber_state::finished;
    const void* waits_for = nullptr;  // a futex
    bool timed = false;               // the wait may end by itself
    bool yielded = false;             // not again before somebody else has moved
    bool signalled = false;           // an interruption is on its way
    bool arrives = false;             // it is this thread's next move
    bool in_handler = false;          // no other arrives there
    bool begins_again = false;        // a wait was interrupted
    std::uint64_t told = 0;           // with the interruption
    std::uint64_t history = 0;        // of all it has read: where it is, since threads are deterministic
  };
  struct choice {
    unsigned made;
    unsigned count;
  };
  static constexpr int nobody = -2;
  /// What may happen next: a thread's step, a store's way from its buffer to memory, or an interruption.
  enum class move_kind { step, drain, arrival };
  struct move {
    int thread;
    move_kind kind;
  };

  static void fiber_main(unsigned high, unsigned low);
  void run_once();
  bool next_choices();
  void start_fibers();
  void step();
  void schedule();
  void choose_next();
  void handle();
  void list_moves();
  void let_others_go_on(int mover);
  bool seen_before();
  void leave();
  void enter(int thread);
  void show_memory(int thread);
  void show_location(unsigned where);
  void show_what_an_access_did(unsigned where, int order);
  access find(const void* address, std::size_t bytes);
  [[nodiscard]] bool ignored(const void* address) const;
  void expect_there(const void* address);
  fiber& self() { return fibers_[static_cast<std::size_t>(running_)]; }
  void remember(std::uint64_t kind, const access& of, std::uint64_t value);
  [[gnu::format(printf, 2, 3)]] void trace(const char* format, ...);
  void trace_access(const char* what, const access& of, std::uint64_t value, int order);

  model& program_;
  options how_;
  std::unique_ptr<memory_model> memory_;
  std::vector<fiber> fibers_;
  ucontext_t outside_{};
  int running_ = -1;
  int last_running_ = -1;
  int shown_ = nobody;  // memory is as this thread would find it
  int preemptions_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t writes_before_ = 0;  ///< when those that yielded were last let go on for that

  std::vector<choice> choices_;
  std::size_t replayed_ = 0;  // choices of this execution so far
  std::size_t repeats_ = 0;   // the first of them repeat an earlier execution
  std::vector<move> moves_;
  std::unordered_set<std::uint64_t> states_;
  std::uint64_t steps_here_ = 0;
  bool pruned_ = false;
  bool failed_ = false;
  std::string message_;
  bool tracing_ = false;
  std::string trace_;
  outcome counts_;

  std::vector<location> locations_;
  std::unordered_map<std::uintptr_t, unsigned> by_address_;  // of every byte of a location
  struct given_name {
    std::uintptr_t first;
    std::size_t bytes;
    std::string text;
  };
  std::unordered_map<std::uintptr_t, given_name>
      names_;  // by every byte; of locations that are not used yet, too
  struct range {
    std::uintptr_t first, last;
  };
  std::vector<range> ignored_, gone_, allocated_;
  std::vector<char> arena_;
  std::size_t arena_used_ = 0;
};

/// The exploration that is under way; null if none is.
extern engine* the_engine;

}  // namespace explore

#endif
