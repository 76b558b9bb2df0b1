// x86-TSO (P. Sewell and others, "x86-TSO: a rigorous and usable programmer's model", 2010): one memory, and before it
// one buffer per thread in which stores wait in order. A thread reads its own waiting stores first.

#include <algorithm>

#include "models/memory.hpp"

namespace explore {

namespace {

struct waiting_store {
  access to;
  std::uint64_t value;
};

class tso final : public memory_model {
public:
  using memory_model::memory_model;

  void restart(int threads) override {
    memory_.clear();
    buffers_.assign(static_cast<std::size_t>(threads), {});
    since_step_.assign(static_cast<std::size_t>(threads), 0);
  }

  void introduce(unsigned where, const content& initial, std::uintptr_t /*address*/) override {
    if (memory_.size() <= where) {
      memory_.resize(where + 1);
    }
    memory_[where] = initial;
  }

  [[nodiscard]] bool store_is_private(int order) const override { return order != __ATOMIC_SEQ_CST; }

  std::uint64_t load(int thread, const access& of, int order) override {
    if (order != plain_order) {
      since_step_[static_cast<std::size_t>(thread)] = 0;
    }
    return seen_by(thread, of.where).part(of);
  }

  void store(int thread, const access& to, std::uint64_t value, int order) override {
    buffer(thread).push_back({to, value});
    ++since_step_[static_cast<std::size_t>(thread)];
    if (order == __ATOMIC_SEQ_CST) {
      drain_all(thread);  // compilers make an exchange of it
    }
  }

  content read_newest(int thread, unsigned where, int /*order*/) override {
    drain_all(thread);
    return memory_[where];
  }
  void write_newest(int /*thread*/, unsigned where, const content& value, int /*order*/) override {
    memory_[where] = value;
  }

  void fence(int thread, int order) override {
    if (order == __ATOMIC_SEQ_CST) {
      drain_all(thread);
    }
  }

  /// The thread may have gone on, by stores that nobody else sees: the fence may come before the last of them.
  void fence_elsewhere(int thread) override {
    const std::size_t before = buffer(thread).size() - since_step(thread);
    const auto all = static_cast<unsigned>(since_step(thread)) + 1;
    const std::size_t left = chooser_.decide(all);
    for (std::size_t i = before + all - 1; i > left; --i) {
      drain(thread);
    }
    since_step_[static_cast<std::size_t>(thread)] = left;
  }

  void settle(int /*thread*/) override {}  // stores reach memory by moves of their own

  [[nodiscard]] bool can_drain(int thread) const override { return !buffer(thread).empty(); }
  unsigned drain(int thread) override {
    std::vector<waiting_store>& waiting = buffer(thread);
    const waiting_store first = waiting.front();
    waiting.erase(waiting.begin());
    memory_[first.to.where].set_part(first.to, first.value);
    return first.to.where;
  }

  // Plain and atomic accesses of the machine are the same.
  void plain_read(int, std::uintptr_t, std::size_t) override {}
  void plain_write(int, std::uintptr_t, std::size_t) override {}
  void plain_copy(int, std::uintptr_t, std::size_t) override {}

  [[nodiscard]] content seen_by(int thread, unsigned where) const override {
    content value = memory_[where];
    if (thread >= 0) {
      for (const waiting_store& store : buffer(thread)) {
        if (store.to.where == where) {
          value.set_part(store.to, store.value);
        }
      }
    }
    return value;
  }

  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const override {
    for (const content& value : memory_) {
      seed = mix(mix(seed, value.words[0]), value.words[1]);
    }
    for (const std::vector<waiting_store>& waiting : buffers_) {
      seed = mix(seed, waiting.size());
      seed = mix(seed, since_step(static_cast<int>(&waiting - buffers_.data())));
      for (const waiting_store& store : waiting) {
        seed = mix(mix(seed, store.to.where * 16 + store.to.offset), store.value);
      }
    }
    return seed;
  }

private:
  [[nodiscard]] std::vector<waiting_store>& buffer(int thread) {
    return buffers_[static_cast<std::size_t>(thread)];
  }
  [[nodiscard]] const std::vector<waiting_store>& buffer(int thread) const {
    return buffers_[static_cast<std::size_t>(thread)];
  }
  /// How many stores of the thread that wait were made after its last step.
  [[nodiscard]] std::size_t since_step(int thread) const {
    return std::min(since_step_[static_cast<std::size_t>(thread)], buffer(thread).size());
  }
  void drain_all(int thread) {
    while (can_drain(thread)) {
      drain(thread);
    }
  }

  std::vector<content> memory_;
  std::vector<std::vector<waiting_store>> buffers_;
  std::vector<std::size_t> since_step_;  // stores of each thread
};

}  // namespace

std::unique_ptr<memory_model> make_tso(chooser& from) { return std::make_unique<tso>(from); }

}  // namespace explore
