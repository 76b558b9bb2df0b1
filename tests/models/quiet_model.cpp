// note_workers, tell_workers: real code.

#include "models/quiet_model.hpp"

#include "models/redirect.hpp"
// After the macros.
#include <new>

#include "scheduler/region_times.hpp"

namespace explore {

namespace {

using nopal::internal::region_times;

constexpr std::int32_t before = 2;
constexpr std::int32_t after = 3;

class quiet_model final : public model {
public:
  explicit quiet_model(int notes) : notes_(notes) {}
  [[nodiscard]] int threads() const override { return 2; }

  void set_up() override {
    new (&regions_) region_times{};
    loops_ = {};
    regions_.workers.store(before, std::memory_order_relaxed);
    is_chosen_.store(0, std::memory_order_relaxed);
    name(&regions_.workers, sizeof regions_.workers, "number");
    name(&regions_.quiet_loops, sizeof regions_.quiet_loops, "words");
    name(&loops_.workers, sizeof loops_.workers, "number in the words");
    name(&is_chosen_, sizeof is_chosen_, "chosen");
  }

  void run(int thread) override {
    if (thread == 1) {
      // The runtime tells of 0 first, that it is not known. Once is enough.
      nopal::internal::tell_workers(regions_, after);
      is_chosen_.store(1, std::memory_order_release);
      return;
    }
    for (int i = 0; i < notes_; ++i) {
      nopal::internal::note_workers(regions_, &loops_);
      use();
    }
  }

  void check() override { require_no_older_number(); }

private:
  void use() {
    // Acquire: this thread has heard of the choice.
    if (is_chosen_.load(std::memory_order_acquire) != 0) {
      require_no_older_number();
    }
  }
  void require_no_older_number() {
    const std::int32_t known = load(&loops_.workers, __ATOMIC_RELAXED);
    require(known == 0 || known == after, "a loop goes by a number of workers that is over");
  }

  int notes_;
  region_times regions_{};
  nopal_quiet_loops loops_{};
  std::atomic<int> is_chosen_{0};
};

}  // namespace

std::unique_ptr<model> make_quiet_model(int notes) { return std::make_unique<quiet_model>(notes); }

}  // namespace explore
