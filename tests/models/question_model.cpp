// ask, on_question, adopt_this_thread, thread_ends: real code.

#include "models/question_model.hpp"

#include "models/interruptions.hpp"
#include "models/life_world.hpp"
// After the macros.
#include "scheduler/adoption.hpp"
#include "scheduler/latent.hpp"
#include "scheduler/questions.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
void allow_latent_forks(runtime&) noexcept {}
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

/// Of whoever asks; nothing but their counts changes.
nopal::internal::worker thieves[most_threads];

class question_model final : public life_world, public interrupter {
public:
  explicit question_model(const question_scenario& with) : with_(with) {
    program_threads = static_cast<int>(with.program.size());
    pool_threads = 0;
    adopted_at_first = with.adopted_at_first;
  }

  void set_up() override {
    the_interrupter = this;
    for (bool& gone : gone_) {
      gone = false;
    }
    life_world::set_up();
    nopal::internal::listen_for_questions(1);
    ignore(word_of_listening(), 1);
    for (nopal::internal::worker& one : thieves) {
      ignore(&one.counts, sizeof one.counts);
    }
  }

  void run(int thread) override {
    for (const char what : with_.program[static_cast<std::size_t>(thread)]) {
      if (what == 'a') {
        ask_all(thread);
      } else if (what == 'n') {
        require(nopal::internal::adopt_this_thread() != nullptr, "a thread cannot be a worker");
      } else {
        end_thread();
        gone_[thread] = true;
      }
    }
  }

  void interrupted(int /*thread*/, std::uint64_t /*told*/) override { the_answer({}); }
  bool send(int thread_id) override {
    require(!gone_[thread_id - 1], "a thread is asked that is gone");
    interrupt(thread_id - 1, 0);
    return true;
  }

  void last_destructors(int) override {}
  void resumed(nopal_frame*) override { fail("a strand is resumed"); }
  void over(nopal_frame*) override {}

private:
  static void ask_all(int thread) {
    nopal::internal::runtime& all = nopal::internal::the_runtime();
    for_each_worker(all, [thread](nopal::internal::worker* other) {
      if (other != nopal::internal::this_worker()) {
        nopal::internal::ask(&thieves[thread], other);
      }
    });
  }

  question_scenario with_;
  bool gone_[most_threads] = {};
};

}  // namespace

std::unique_ptr<model> make_question_model(const question_scenario& with) {
  return std::make_unique<question_model>(with);
}

}  // namespace explore
