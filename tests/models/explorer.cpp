// The explorer as models and redirected sources see it: the engine that is at work, or plain memory.

#include "models/explorer.hpp"

#include <cstdlib>

#include "models/engine.hpp"

namespace explore {

namespace {
bool inside() { return the_engine != nullptr && the_engine->inside(); }
}  // namespace

outcome explore(model& program, const options& how) {
  engine all(program, how);
  the_engine = &all;
  outcome result = all.explore_all();
  the_engine = nullptr;
  return result;
}

void name(const void* address, std::size_t bytes, const char* text) {
  the_engine->name(address, bytes, text);
}
void ignore(const void* address, std::size_t bytes) { the_engine->ignore(address, bytes); }
void weaken_stores(const void* address, bool on) { the_engine->location_at(address, 4).weak_stores = on; }
void weaken_loads(const void* address, bool on) { the_engine->location_at(address, 4).weak_loads = on; }
void blind(const void* address, bool on) { the_engine->location_at(address, 4).blinded = on; }
void tear(const void* address, bool on) { the_engine->location_at(address, 4).torn = on; }

bool broken(const char* fault) { return the_engine->broken(fault); }

int this_thread() { return the_engine->running(); }
void fail(const char* message) { the_engine->report(message); }
void finish() { the_engine->finish(); }
unsigned choose(unsigned count) { return the_engine->choose(count); }
std::uint64_t choose_or(unsigned count, std::uint64_t drawn) {
  return the_engine->tries_each_draw() ? choose(count) : the_engine->draw(drawn);
}
bool process_barrier() {
  the_engine->barrier();
  return true;
}
void yield() {
  if (inside()) the_engine->yield();
}
bool futex_wait(const void* address, std::uint32_t expected, bool timed) {
  return the_engine->futex_wait(address, expected, timed);
}
int futex_wake(const void* address, int count) {
  return inside() ? the_engine->futex_wake(address, count) : 0;
}
void interrupt(int thread, std::uint64_t told) { the_engine->interrupt(thread, told); }
void instruction() { the_engine->instruction(); }
void lock(void* address) {
  if (inside()) the_engine->lock(address);
}
void unlock(void* address) {
  if (inside()) {
    the_engine->unlock(address);
  } else {
    std::memset(address, 0, sizeof(std::uint32_t));
  }
}
void give_up(const void* address, std::size_t bytes, bool gone) { the_engine->give_up(address, bytes, gone); }
void free_memory(void* address) { the_engine->free_memory(address); }
bool allocated(const void* address) { return the_engine != nullptr && the_engine->allocated(address); }
bool waits(int thread) { return the_engine->waits(thread); }

void* allocate(std::size_t alignment, std::size_t bytes) { return the_engine->allocate(alignment, bytes); }
void* copy(void* to, const void* from, std::size_t bytes) {
  return the_engine != nullptr ? the_engine->copy(to, from, bytes) : std::memcpy(to, from, bytes);
}

std::uint64_t load_bits(const void* address, std::size_t bytes, int order) {
  if (inside()) {
    return the_engine->load(address, bytes, order);
  }
  std::uint64_t value = 0;
  std::memcpy(&value, address, bytes);
  return value;
}

void store_bits(void* address, std::size_t bytes, std::uint64_t value, int order) {
  if (inside()) {
    the_engine->store(address, bytes, value, order);
  } else {
    std::memcpy(address, &value, bytes);
  }
}

std::uint64_t update_bits(void* address, std::size_t bytes, update kind, std::uint64_t operand,
                          std::uint64_t expected, int order) {
  if (inside()) {
    return the_engine->change(address, bytes, kind, operand, expected, order);
  }
  std::uint64_t before = 0;
  std::memcpy(&before, address, bytes);
  if (kind != update::compare_exchange || before == expected) {
    const std::uint64_t after = updated(kind, before, operand);
    std::memcpy(address, &after, bytes);
  }
  return before;
}

bool compare_exchange_16(void* address, std::uint64_t (&expected)[2], std::uint64_t low, std::uint64_t high) {
  if (inside()) {
    return the_engine->change_16(address, expected, low, high);
  }
  std::uint64_t seen[2];
  std::memcpy(seen, address, sizeof seen);
  const bool equal = std::memcmp(seen, expected, sizeof seen) == 0;
  std::memcpy(expected, seen, sizeof seen);
  if (equal) {
    const std::uint64_t desired[2] = {low, high};
    std::memcpy(address, desired, sizeof desired);
  }
  return equal;
}

void fence(int order) {
  if (inside()) {
    the_engine->fence(order);
  }
}
void plain_read(const void* address, std::size_t bytes) {
  if (inside()) {
    the_engine->plain(address, bytes, false);
  }
}
void plain_write(const void* address, std::size_t bytes) {
  if (inside()) {
    the_engine->plain(address, bytes, true);
  }
}

}  // namespace explore
