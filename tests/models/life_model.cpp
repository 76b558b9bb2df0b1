// adopt_this_thread, thread_ends, start_runtime, stop_runtime, nopal_push_slow_path, find_work, park: real code.

#include "models/life_model.hpp"

#include "models/life_world.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/unloading.hpp"
#include "strand/strand.hpp"

namespace explore {

namespace {

class life_model final : public life_world {
public:
  explicit life_model(const life_scenario& with) : with_(with) {
    program_threads = static_cast<int>(with.program.size());
    pool_threads = with.pool_threads;
    lives = with.lives;
    adopted_at_first = with.adopted_at_first;
    poisoned_at_first = with.poisoned;
    first_thread_over = with.first_thread_over;
    watch_strands = with.first_thread_over;
    substitutes = with.substitutes;
    threads_granted = with.threads_granted;
    values_granted = with.values_granted;
    for (const std::string& script : with.program) {
      watch_strands = watch_strands || script.find('x') != std::string::npos;
      watch_holds = watch_holds || script.find('s') != std::string::npos;
    }
  }

  void set_up() override {
    for (int i = 0; i < most_entries; ++i) {
      frames_[i] = {};
      frames_[i].frame_pointer = frames_[i].call_stack_pointer = memory_ + 2 * i + 2;
      contents_[i].initialize(0);
      name(&contents_[i], sizeof(int), "content");
      runs_[i] = 0;
      not_joined_[i] = 1;
      name(&not_joined_[i], sizeof not_joined_[i], "join");
    }
    for (int& pushed : pushed_) {
      pushed = 0;
    }
    pool_ = 0;
    name(&pool_, sizeof pool_, "pool");
    life_world::set_up();
    for (int i = 0; i < adopted_at_first; ++i) {
      const std::string& script = with_.program[static_cast<std::size_t>(i)];
      if (script == "b" || script == "k") {
        nopal::internal::worker* const self =
            nopal::internal::the_runtime().table[worker_of(i)->index].load(__ATOMIC_RELAXED);
        self->of_pool = true;
        nopal::internal::strand::have_none(self);
      }
    }
    if (with_.relaxed_table) {
      for (int i = 0; i < most_threads; ++i) {
        weaken_stores(&nopal::internal::the_runtime().table[i]);
      }
    }
  }

  void run(int thread) override {
    if (thread >= program_threads) {
      be_pool_thread(thread);
      return;
    }
    follow(thread, with_.program[static_cast<std::size_t>(thread)]);
  }

  void last_destructors(int thread) override { follow(thread, with_.pool_end); }

  void follow(int thread, const std::string& script) {
    int kept[entries_each] = {};
    int depth = 0;
    for (const char what : script) {
      switch (what) {
      case '+': kept[depth++] = push(thread); break;
      case '-': pop(kept[--depth]); break;
      case 'e': end_thread(); break;
      case 'x': stop(); break;
      case 'q': nopal::internal::stop_for_good(nopal::internal::the_runtime()); break;
      case 's': use_a_stack(); break;
      case 'a': ask_in_vain(); break;
      case 'b': look_until_the_pool_leaves(); break;
      case 'k': block_unless_stopped(thread); break;
      case 'w':
        nopal::internal::wake_one(nopal::internal::this_worker(),
                                  nopal::internal::root_of(*nopal::internal::this_worker()));
        break;
      default: look_at_all(); break;
      }
    }
  }

  void resumed(nopal_frame* frame) override {
    require(nopal::internal::the_runtime().stopping.load(__ATOMIC_RELAXED) != nopal::internal::pool_leaves,
            "a strand begins on the pool while that leaves");
    const auto number = frame - frames_;
    require(number >= 0 && number < most_entries, "what is resumed is no fork");
    require(contents_[number].read() == 1, "the frame is not complete");
    ++runs_[number];
  }
  void over(nopal_frame* frame) override { unlock(&not_joined_[frame - frames_]); }

  void check() override {
    const nopal::internal::runtime& all = nopal::internal::the_runtime();
    for (int i = 0; i < threads(); ++i) {
      require(i >= program_threads || !waits(i), "a thread of the program waits for good");
      const nopal::internal::worker* const own = worker_of(i);
      require(own == nullptr || all.table[own->index].load(__ATOMIC_RELAXED) == own,
              "two workers have one place");
      for (int k = 0; k < pushed_[i]; ++k) {
        require(runs_[i * entries_each + k] == 1, "a fork was not run on, or twice");
      }
    }
    std::uint32_t held = 0;
    std::memcpy(&held, &all.lock, sizeof held);
    require(held == 0, "somebody holds the lock");
    const bool running = all.running.load(__ATOMIC_RELAXED);
    require(lives_now() == (all.stacks_mapped ? 1 : 0) && (all.stacks_mapped || !running),
            "the runtime was started or stopped twice");
    const int used = all.table_used.load(__ATOMIC_RELAXED);
    for (int i = 0; i < used; ++i) {
      const nopal::internal::worker* const one = all.table[i].load(__ATOMIC_RELAXED);
      require(one == nullptr || one->index == i, "a worker has lost its place");
    }
  }

private:
  static constexpr int entries_each = 2;
  static constexpr int most_entries = entries_each * most_threads;

  /// As nopal_push, and as nopal_push_slow goes on from there. Returns the fork's number; negative if it was refused.
  int push(int thread) {
    const int number = thread * entries_each + pushed_[thread];
    nopal_frame* const frame = &frames_[number];
    contents_[number].write(1);
    nopal::internal::worker* const self = nopal::internal::this_worker();
    bool refused = false;
    if (self != nullptr && self->deque.bottom < __atomic_load_n(&self->deque.limit, __ATOMIC_RELAXED)) {
      nopal::internal::deque::append(self->deque, frame);
    } else {
      const int rest = self == nullptr ? nopal::internal::whole_push : nopal_push_and_publish(frame, self);
      refused = rest != nopal::internal::nothing_left &&
                nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest)) != 0;
    }
    if (refused) {
      return -1;
    }
    ++pushed_[thread];
    return number;
  }

  void pop(int number) {
    if (number < 0) {
      return;
    }
    if (nopal_pop() != 0) {
      require(contents_[number].read() == 1, "the owner's frame was changed");
      ++runs_[number];
    } else {
      lock(&not_joined_[number]);
      nopal::internal::worker* const self = nopal::internal::this_worker();  // back on its own stack
      self->bottom_at_rest = self->deque.bottom;
    }
  }

  /// As shutdown.
  void stop() const {
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    const nopal::internal::locked guard(all);
    if (nopal::internal::stop_runtime(all)) {
      require(pool_is_over() || is_pool_thread(), "a thread of the pool runs on");
    }
  }

  /// As stop_threads where settle_stop meets an active strand.
  static void ask_in_vain() {
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    const nopal::internal::locked guard(all);
    all.stopping.store(nopal::internal::stop_is_asked, __ATOMIC_SEQ_CST);
    all.stopping.store(nopal::internal::goes_on, __ATOMIC_SEQ_CST);
    nopal::internal::wake_at(all.stopping, 1);
  }

  /// As find_work, where each look finds a strand that is over at once.
  static void look_until_the_pool_leaves() {
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    nopal::internal::worker* const self = nopal::internal::this_worker();
    for (;; explore::yield()) {
      if (all.stopping.load(__ATOMIC_SEQ_CST) != nopal::internal::goes_on) {
        if (nopal::internal::stand_by(all, self)) {
          break;
        }
        require(all.stopping.load(__ATOMIC_SEQ_CST) != nopal::internal::pool_leaves,
                "a strand begins on the pool while that leaves");
      }
    }
    nopal::internal::set_this_worker(nullptr);
  }

  /// As find_work, and as nopal_begin_blocking in what it found.
  void block_unless_stopped(int thread) {
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    nopal::internal::worker* const self = nopal::internal::this_worker();
    if (all.stopping.load(__ATOMIC_SEQ_CST) != nopal::internal::goes_on) {
      require(nopal::internal::stand_by(all, self), "a stop is given up for nobody");
      nopal::internal::set_this_worker(nullptr);
      return;
    }
    nopal::internal::strand::run_on(self, &self->native);  // of a thread of the pool, that is at work
    const int number = push(thread);
    all.blocked.fetch_add(1, __ATOMIC_SEQ_CST);
    nopal::internal::replace_blocked();
    lock(&not_joined_[number]);
  }

  /// As call_scheduler_with.
  void use_a_stack() {
    nopal::internal::worker* const self = nopal::internal::this_worker();
    require(nopal::internal::hold_stacks(self), "the runtime does not start");
    nopal::internal::strand::run_on(self, nullptr);
    nopal::internal::stack_pool& stacks = nopal::internal::the_runtime().stacks;
    // What is shared there: an exchange.
    lock(&pool_);
    nopal_stack* const stack = stacks.take(nullptr);
    unlock(&pool_);
    nopal::internal::strand::run_on(self, stack);
    require(lives_now() == 1, "a stack is used that is gone");
    stacks.give(stack);
    nopal::internal::strand::run_on(self, &self->native);
    nopal::internal::let_stacks_go(self);
  }

  /// As a sleeper of the pool looks for work.
  static void look_at_all() {
    static nopal::internal::worker sleeper;
    sleeper.of_pool = true;
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    const int used = all.table_used.load(__ATOMIC_SEQ_CST);
    for (int i = 0; i < used; ++i) {
      nopal::internal::worker* const other = all.table[i].load(__ATOMIC_ACQUIRE);
      if (other != nullptr && other != nopal::internal::this_worker()) {
        nopal::internal::known_roots known{};
        nopal::internal::has_work_to_take(&sleeper, other, known);
      }
    }
  }

  life_scenario with_;
  nopal_frame frames_[most_entries] = {};
  plain<int> contents_[most_entries];
  int runs_[most_entries] = {};
  std::uint32_t not_joined_[most_entries] = {};  // gates
  int pushed_[most_threads] = {};
  std::uint32_t pool_ = 0;  // a lock
  char memory_[1024] = {};
};

}  // namespace

std::unique_ptr<model> make_life_model(const life_scenario& with) {
  return std::make_unique<life_model>(with);
}

}  // namespace explore
