// A deque with its owner's and its thief's operations at hand, and entries that are never looked into.
#ifndef NOPAL_TESTS_UNIT_DEQUE_FIXTURE_HPP
#define NOPAL_TESTS_UNIT_DEQUE_FIXTURE_HPP

#include <gtest/gtest.h>

#include <nopal/detail/fast_path.h>

#include <vector>

#include "deque/deque.hpp"

class deque_fixture : public testing::Test {
public:
  deque_fixture() : frames_(6000) { EXPECT_TRUE(nopal::internal::deque::make(deque_)); }
  deque_fixture(const deque_fixture&) = delete;
  deque_fixture& operator=(const deque_fixture&) = delete;
  ~deque_fixture() override { nopal::internal::deque::destroy(deque_); }

  nopal_frame* entry(int number) { return &frames_[static_cast<std::size_t>(number)]; }

  void push(int number) {
    ASSERT_TRUE(nopal::internal::deque::reserve(deque_));
    nopal::internal::deque::append(deque_, entry(number));
  }
  void push_range(int first, int last) {
    for (int i = first; i < last; ++i) push(i);
  }

  /// The inlined pop of the header, on this deque in place of the thread's.
  bool pop() {
    const std::int32_t bottom = deque_.bottom - 1;
    __atomic_store_n(&deque_.bottom, bottom, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return bottom >= __atomic_load_n(&deque_.split, __ATOMIC_RELAXED) ||
           nopal::internal::deque::pop_slow(
               deque_, [](void* context) { return static_cast<deque_fixture*>(context)->allowed_; }, this);
  }

  nopal_frame* steal() {
    nopal_frame* frame = nullptr;
    last_outcome_ = nopal::internal::deque::steal(deque_, frame, [](void*) { return true; }, nullptr);
    return frame;
  }

  std::int32_t publish(std::int32_t most, bool ends_raise = false) {
    const auto record = [](void* context, nopal_frame*& slot) {
      static_cast<deque_fixture*>(context)->recorded_.push_back(slot);
    };
    return nopal::internal::deque::publish(deque_, most, record, this, ends_raise);
  }

  /// A forced publish whose barrier is `barrier_`, and during which `during_raise_` happens.
  bool force() {
    const auto allowed = [](void* context) {
      auto& self = *static_cast<deque_fixture*>(context);
      if (self.during_raise_ != nullptr) self.during_raise_(self);
      return self.allowed_;
    };
    return nopal::internal::deque::force_publish(deque_, barrier_, allowed, this);
  }

  alignas(64) nopal_deque deque_;
  nopal::internal::deque::steal_outcome last_outcome_ = nopal::internal::deque::steal_outcome::empty;
  std::vector<nopal_frame*> recorded_;
  bool (*barrier_)() = [] { return true; };
  void (*during_raise_)(deque_fixture&) = nullptr;
  bool allowed_ = true;

private:
  std::vector<nopal_frame> frames_;
};

#endif
