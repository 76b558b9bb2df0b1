// What latent_model.hpp makes: the strand that forks, on a stack that the real walk goes through, and thieves by scripts.
#ifndef NOPAL_TESTS_EXPLORE_LATENT_STRAND_HPP
#define NOPAL_TESTS_EXPLORE_LATENT_STRAND_HPP

#include "models/fake_runtime.hpp"
#include "models/interruptions.hpp"
#include "models/latent_frames.hpp"
#include "models/latent_model.hpp"

namespace explore {

class latent_model final : public scheduler_model, public interrupter {
public:
  explicit latent_model(const latent_scenario& with) : with_(with) {
    for (const std::string& script : with.thieves) {
      sleeps_ = sleeps_ || script.find_first_of("dmnw") != std::string::npos;
      asks_ = asks_ || script.find_first_of("aw") != std::string::npos;
    }
    strands_matter = sleeps_;
    table_grows = with.alone;
  }
  [[nodiscard]] int threads() const override { return 1 + static_cast<int>(with_.thieves.size()); }
  [[nodiscard]] bool interruptible(int thread) const override { return thread == 0 && asks_; }
  [[nodiscard]] std::uint64_t draw(std::uint64_t /*drawn*/) const override { return 0; }  // the owner

  void set_up() override;
  void run(int thread) override;
  void check() override;

  void interrupted(int thread, std::uint64_t told) override;
  bool send(int thread_id) override;
  void resumed(nopal_frame* frame) override;
  [[nodiscard]] bool passes(std::uint64_t /*ns*/) const override {
    return looks_[this_thread()] < with_.looks;
  }
  void passed(std::uint64_t ns) override {
    ++looks_[this_thread()];
    clocks_[this_thread()] += ns;
  }
  [[nodiscard]] std::uint64_t now() const { return clocks_[this_thread() < 0 ? 0 : this_thread()]; }
  [[nodiscard]] int thread_number() const { return number_ + 1; }
  [[nodiscard]] const call_stack& calls() const { return calls_; }

private:
  static constexpr int most_forks = 6;
  static constexpr std::int32_t usual_capacity = latent_scenario::usual_capacity;

  void make_deque(nopal_deque& one, int number);
  void name_all();
  void ignore_what_stays();
  void own();
  void fork(call_kind kind);
  void push(nopal_frame* frame);
  void copy();
  void leave();
  void take_back(int fork);
  void lose_strand();
  void begin_anew();
  void steal(nopal::internal::worker* self, nopal::internal::worker* victim);
  static void sleep_until_woken(nopal::internal::worker* self, bool sleeps);
  void steal_by_script(int thread, const std::string& script);
  void check_order();
  [[nodiscard]] bool is_below_promoted(int call) const;
  [[nodiscard]] bool has_copied(int call) const;
  [[nodiscard]] bool is_latent(int call) const {
    return calls_.kind(call) != call_kind::unknown && calls_.is_latent(call);
  }
  [[nodiscard]] int number_of(const nopal_frame* frame) const { return static_cast<int>(frame - frames_); }

  latent_scenario with_;
  int number_ = 0;  // of the worker that is made
  call_stack calls_;
  spot spot_ = spot::in_code;  // of the owner
  bool sleeps_ = false;        // some thief does
  bool asks_ = false;          // the same
  bool lost_ = false;          // the owner's strand went on elsewhere
  int forks_ = 0;
  nopal_frame frames_[most_forks] = {};
  int runs_[most_forks] = {};         // of each continuation
  bool away_[most_forks] = {};        // latent when an older strand took them along
  plain<int> arguments_[most_forks];  // of a child that copies them; 1 until the continuation ends them
  std::uint32_t not_over_[most_forks] = {};  // gates: their takers open them
  std::uint32_t never_ = 1;                  // a gate that stays shut
  std::uint64_t clocks_[most_threads] = {};
  int looks_[most_threads] = {};
  char memory_[1024] = {};
};

}  // namespace explore

#endif
