// The memory model of C++ in terms of views (after J. Kang and others, "A promising semantics for relaxed-memory
// concurrency", 2017, without promises): a location has its messages in modification order, a thread has a view, the
// oldest message of each location that it may still read. Acquire joins the view that a release left in a message.
//
// Where it is stronger than C++: a store becomes the newest message of its location when it is executed, and no load is
// done after a store that follows it. A failed compare-and-exchange reads the newest message.

#include <algorithm>
#include <array>

#include "models/memory.hpp"

namespace explore {

namespace {

constexpr std::size_t most_locations = 96;
constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t granules = 2;  // the halves of a location are read one by one

struct view {
  std::array<std::uint8_t, most_locations * granules> oldest{};  // per half of a location: index of a message
  std::array<std::uint16_t, most_threads> clock{};  // per thread: the last of its steps that happened before

  void join(const view& other) {
    join_messages(other);
    for (std::size_t i = 0; i < clock.size(); ++i) {
      clock[i] = std::max(clock[i], other.clock[i]);
    }
  }
  void join_messages(const view& other) {
    for (std::size_t i = 0; i < oldest.size(); ++i) {
      oldest[i] = std::max(oldest[i], other.oldest[i]);
    }
  }
};

struct message {
  content value;
  view released;  // what an acquire load of it gets
};

struct thread_state {
  view now;
  view at_release_fence;   // what its relaxed stores carry
  view for_acquire_fence;  // what its relaxed loads found
};

struct plain_cell {
  std::uintptr_t address;
  std::size_t bytes;
  int writer = -1;
  std::uint16_t written = 0;
  std::array<std::uint16_t, most_threads> read{};
};

std::size_t first_granule(unsigned where) { return where * granules; }
std::size_t granule(const access& of) { return first_granule(of.where) + of.offset / 8; }

class views final : public memory_model {
public:
  using memory_model::memory_model;

  void restart(int threads) override {
    messages_.clear();
    threads_.assign(static_cast<std::size_t>(threads), {});
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i].now.clock[i] = 1;
    }
    total_ = {};
    cells_.clear();
    copies_.clear();
    copied_by_.clear();
  }

  void introduce(unsigned where, const content& initial, std::uintptr_t address) override {
    if (where >= most_locations) {
      chooser_.report("more locations than the explorer has room for");
    }
    if (messages_.size() <= where) {
      messages_.resize(where + 1);
      copied_by_.resize(where + 1, none);
    }
    messages_[where].assign(1, {initial, {}});
    copied_by_[where] = none;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (copies_[i].address <= address && address < copies_[i].address + copies_[i].bytes) {
        copied_by_[where] = i;
      }
    }
  }

  [[nodiscard]] bool store_is_private(int /*order*/) const override { return false; }

  std::uint64_t load(int thread, const access& of, int order) override {
    thread_state& self = state(thread);
    const std::vector<message>& all = messages_[of.where];
    const std::size_t place = granule(of);
    unsigned oldest = self.now.oldest[place];
    if (order == __ATOMIC_SEQ_CST) {
      oldest = std::max<unsigned>(oldest, total_.oldest[place]);
    }
    const auto newest = static_cast<unsigned>(all.size()) - 1;
    const unsigned chosen = newest - chooser_.decide(newest - oldest + 1);
    saw(self, place, chosen);
    if (order == __ATOMIC_SEQ_CST) {
      raise_total(place, chosen);
    }
    if (chosen == 0 && copied_by_[of.where] != none) {
      const plain_cell& copy = copies_[copied_by_[of.where]];
      if (copy.written > self.now.clock[static_cast<std::size_t>(copy.writer)]) {
        chooser_.report("a read races with the initialization of what it reads");
      }
    }
    receive(self, all[chosen], order);
    return all[chosen].value.part(of);
  }

  void store(int thread, const access& to, std::uint64_t value, int order) override {
    content whole = messages_[to.where].back().value;
    whole.set_part(to, value);
    append(thread, to.where, whole, order, {});
  }

  content read_newest(int thread, unsigned where, int order) override {
    thread_state& self = state(thread);
    const std::vector<message>& all = messages_[where];
    see_newest(self, where);
    if (order == __ATOMIC_SEQ_CST) {
      total_.oldest[first_granule(where)] = total_.oldest[first_granule(where) + 1] =
          static_cast<std::uint8_t>(all.size() - 1);
    }
    receive(self, all.back(), order);
    return all.back().value;
  }

  void write_newest(int thread, unsigned where, const content& value, int order) override {
    // A release that a read-modify-write goes on from stays in force.
    const view inherited = messages_[where].back().released;
    append(thread, where, value, order, inherited);
  }

  void fence(int thread, int order) override {
    thread_state& self = state(thread);
    if (acquires(order)) {
      self.now.join(self.for_acquire_fence);
    }
    if (order == __ATOMIC_SEQ_CST) {
      // What happened before one fence is seen after every later one. It orders atomics; races are another matter.
      self.now.join_messages(total_);
      total_.join_messages(self.now);
    }
    if (releases(order)) {
      self.at_release_fence = self.now;
      tick(thread);
    }
  }

  void settle(int thread) override {
    for (unsigned where = 0; where < messages_.size(); ++where) {
      if (!messages_[where].empty()) {
        see_newest(state(thread), where);
      }
    }
  }

  [[nodiscard]] bool can_drain(int) const override { return false; }
  unsigned drain(int) override { return 0; }

  void plain_read(int thread, std::uintptr_t address, std::size_t bytes) override {
    plain_cell& cell = cell_of(address, bytes);
    const thread_state& self = state(thread);
    if (cell.writer >= 0 && cell.written > self.now.clock[static_cast<std::size_t>(cell.writer)]) {
      chooser_.report("a plain read races with a write");
    }
    const auto reader = static_cast<std::size_t>(thread);
    cell.read[reader] = self.now.clock[reader];
  }

  void plain_write(int thread, std::uintptr_t address, std::size_t bytes) override {
    plain_cell& cell = cell_of(address, bytes);
    const thread_state& self = state(thread);
    if (cell.writer >= 0 && cell.written > self.now.clock[static_cast<std::size_t>(cell.writer)]) {
      chooser_.report("a plain write races with a write");
    }
    for (std::size_t i = 0; i < cell.read.size(); ++i) {
      if (cell.read[i] > self.now.clock[i]) {
        chooser_.report("a plain write races with a read");
      }
    }
    cell.writer = thread;
    cell.written = self.now.clock[static_cast<std::size_t>(thread)];
    cell.read = {};
  }

  void plain_copy(int thread, std::uintptr_t address, std::size_t bytes) override {
    copies_.push_back({address, bytes, thread, state(thread).now.clock[static_cast<std::size_t>(thread)]});
  }

  [[nodiscard]] content seen_by(int thread, unsigned where) const override {
    const std::vector<message>& all = messages_[where];
    if (thread < 0) {
      return all.back().value;
    }
    const view& now = state(thread).now;
    const std::size_t place = first_granule(where);
    content value;
    value.words[0] = all[now.oldest[place]].value.words[0];
    value.words[1] = all[now.oldest[place + 1]].value.words[1];
    return value;
  }

  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const override {
    for (const std::vector<message>& all : messages_) {
      seed = mix(seed, all.size());
      for (const message& one : all) {
        seed = hash_view(mix(mix(seed, one.value.words[0]), one.value.words[1]), one.released);
      }
    }
    for (const thread_state& self : threads_) {
      seed = hash_view(seed, self.now);
      seed = hash_view(seed, self.at_release_fence);
      seed = hash_view(seed, self.for_acquire_fence);
    }
    seed = hash_view(seed, total_);
    for (const plain_cell& cell : cells_) {
      seed = mix(mix(seed, cell.address), static_cast<std::uint64_t>(cell.writer + 1) << 16 | cell.written);
      std::uint64_t read = 0;
      std::memcpy(&read, cell.read.data(), sizeof read);
      seed = mix(seed, read);
    }
    return seed;
  }

private:
  thread_state& state(int thread) { return threads_[static_cast<std::size_t>(thread)]; }
  [[nodiscard]] const thread_state& state(int thread) const {
    return threads_[static_cast<std::size_t>(thread)];
  }

  void tick(int thread) { ++state(thread).now.clock[static_cast<std::size_t>(thread)]; }

  static void saw(thread_state& self, std::size_t place, unsigned index) {
    self.now.oldest[place] = std::max(self.now.oldest[place], static_cast<std::uint8_t>(index));
  }
  void see_newest(thread_state& self, unsigned where) {
    const auto newest = static_cast<unsigned>(messages_[where].size()) - 1;
    saw(self, first_granule(where), newest);
    saw(self, first_granule(where) + 1, newest);
  }
  void raise_total(std::size_t place, unsigned index) {
    total_.oldest[place] = std::max(total_.oldest[place], static_cast<std::uint8_t>(index));
  }

  static void receive(thread_state& self, const message& from, int order) {
    if (acquires(order)) {
      self.now.join(from.released);
    } else {
      self.for_acquire_fence.join(from.released);
    }
  }

  void append(int thread, unsigned where, const content& value, int order, const view& inherited) {
    std::vector<message>& all = messages_[where];
    if (all.size() >= 255) {
      chooser_.report("more stores to one location than the explorer has room for");
    }
    thread_state& self = state(thread);
    all.push_back({value, inherited});
    see_newest(self, where);
    all.back().released.join(releases(order) ? self.now : self.at_release_fence);
    if (order == __ATOMIC_SEQ_CST) {
      raise_total(first_granule(where), static_cast<unsigned>(all.size()) - 1);
      raise_total(first_granule(where) + 1, static_cast<unsigned>(all.size()) - 1);
    }
    if (releases(order)) {
      tick(thread);  // what comes later is not released by this
    }
  }

  plain_cell& cell_of(std::uintptr_t address, std::size_t bytes) {
    for (plain_cell& cell : cells_) {
      if (cell.address < address + bytes && address < cell.address + cell.bytes) {
        return cell;
      }
    }
    cells_.push_back({address, bytes});
    return cells_.back();
  }

  static std::uint64_t hash_view(std::uint64_t seed, const view& of) {
    for (std::size_t i = 0; i < of.oldest.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t eight;
      std::memcpy(&eight, of.oldest.data() + i, sizeof eight);
      if (eight != 0) {
        seed = mix(mix(seed, i), eight);
      }
    }
    std::uint64_t clock = 0;
    std::memcpy(&clock, of.clock.data(), sizeof clock);
    return mix(seed, clock);
  }

  std::vector<std::vector<message>> messages_;  // by location, in modification order
  std::vector<thread_state> threads_;
  view total_;  // of sequentially consistent operations and fences so far
  std::vector<plain_cell> cells_;
  std::vector<plain_cell> copies_;      // of whole ranges
  std::vector<std::size_t> copied_by_;  // by location: the copy that its first message is from, or none
};

}  // namespace

std::unique_ptr<memory_model> make_views(chooser& from) { return std::make_unique<views>(from); }

}  // namespace explore
