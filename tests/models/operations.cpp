// What threads do to memory, each a step of the engine.

#include <cstdio>
#include <cstdlib>

#include "models/engine.hpp"

namespace explore {

void (*alter_exchange)(const std::uint64_t (&expected)[2], std::uint64_t& low, std::uint64_t& high) = nullptr;

namespace {

int without_release(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : releases(order) ? __ATOMIC_RELAXED : order;
}
int without_acquire(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_RELEASE : acquires(order) ? __ATOMIC_RELAXED : order;
}

const char* name_of(int order) {
  switch (order) {
  case __ATOMIC_RELAXED: return "relaxed";
  case __ATOMIC_CONSUME:
  case __ATOMIC_ACQUIRE: return "acquire";
  case __ATOMIC_RELEASE: return "release";
  case __ATOMIC_ACQ_REL: return "acq_rel";
  case __ATOMIC_SEQ_CST: return "seq_cst";
  default: return "plain";
  }
}

}  // namespace

location& engine::location_at(const void* address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const auto found = by_address_.find(first);
  if (found != by_address_.end()) {
    return locations_[found->second];
  }
  location made;
  made.address = static_cast<char*>(const_cast<void*>(address));
  made.bytes = static_cast<unsigned>(bytes);
  const auto known = names_.find(first);
  if (known != names_.end()) {
    made.address -= first - known->second.first;
    made.bytes = static_cast<unsigned>(known->second.bytes);
    made.name = known->second.text;
  } else {
    made.name = "location " + std::to_string(locations_.size());
  }
  for (std::size_t i = 0; i < made.bytes; ++i) {
    by_address_[reinterpret_cast<std::uintptr_t>(made.address) + i] =
        static_cast<unsigned>(locations_.size());
  }
  locations_.push_back(made);
  return locations_.back();
}

access engine::find(const void* address, std::size_t bytes) {
  location& at = location_at(address, bytes);
  const auto where = static_cast<unsigned>(&at - locations_.data());
  const auto offset = static_cast<unsigned>(static_cast<const char*>(address) - at.address);
  if (offset + bytes > at.bytes) {
    std::fprintf(stderr, "explorer: %s is used in pieces of different sizes; name it\n", at.name.c_str());
    std::abort();
  }
  if (!at.live) {
    at.live = true;
    std::memcpy(at.initial, at.address, at.bytes);
    memory_->introduce(where, {{at.initial[0], at.initial[1]}}, reinterpret_cast<std::uintptr_t>(at.address));
  }
  return {where, offset, static_cast<unsigned>(bytes)};
}

void engine::name(const void* address, std::size_t bytes, const char* text) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < bytes && (i > 0 || names_.find(first) == names_.end()); ++i) {
    names_[first + i] = {first, bytes, text};
  }
}

void engine::ignore(const void* address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  ignored_.push_back({first, first + bytes});
}

bool engine::ignored(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const range& one : ignored_) {
    if (one.first <= at && at < one.last) {
      return true;
    }
  }
  return false;
}

/// Of a thread that uses memory.
void engine::expect_there(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const range& one : gone_) {
    if (one.first <= at && at < one.last) {
      const auto known = by_address_.find(at);
      trace("%d: uses %s\n", running_,
            known == by_address_.end() ? "it" : locations_[known->second].name.c_str());
      report("memory is used that was given up");
    }
  }
}

void engine::give_up(const void* address, std::size_t bytes, bool gone) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  if (gone) {
    gone_.push_back({first, first + bytes});
    return;
  }
  std::erase_if(gone_,
                [first, bytes](const range& one) { return one.first < first + bytes && first < one.last; });
}

void engine::free_memory(void* address) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (const range& one : allocated_) {
    if (one.first == first) {
      expect_there(address);
      give_up(address, one.last - one.first, true);
      return;
    }
  }
  report("memory is given up that was not allocated");
}

void engine::remember(std::uint64_t kind, const access& of, std::uint64_t value) {
  self().history = mix(mix(self().history, kind << 32 | (of.where * 16 + of.offset)), value);
}

void engine::trace_access(const char* what, const access& of, std::uint64_t value, int order) {
  if (!tracing_) {
    return;
  }
  const location& at = locations_[of.where];
  char place[24] = "";
  if (of.bytes != at.bytes) {
    std::snprintf(place, sizeof place, "[%u..%u]", of.offset, of.offset + of.bytes - 1);
  }
  // Short values are signed numbers or pointers, as a rule.
  if (of.bytes == 4) {
    trace("%d: %s %s%s: %d (%s)\n", running_, what, at.name.c_str(), place, static_cast<std::int32_t>(value),
          name_of(order));
  } else {
    trace("%d: %s %s%s: %#llx (%s)\n", running_, what, at.name.c_str(), place,
          static_cast<unsigned long long>(value), name_of(order));
  }
}

std::uint64_t engine::load(const void* address, std::size_t bytes, int order) {
  std::uint64_t value = 0;
  if (ignored(address)) {
    expect_there(address);
    std::memcpy(&value, address, bytes);
    return value;
  }
  if (order != plain_order) {
    step();
  }
  expect_there(address);  // others may have moved in the step
  const access of = find(address, bytes);
  const location& at = locations_[of.where];
  if (at.blinded) {
    value = content{{at.initial[0], at.initial[1]}}.part(of);
  } else {
    value = memory_->load(running_, of, at.weak_loads ? without_acquire(order) : order);
  }
  remember(1, of, value);
  trace_access("load", of, value, order);
  show_what_an_access_did(of.where, order);
  return value;
}

void engine::store(void* address, std::size_t bytes, std::uint64_t value, int order) {
  if (ignored(address)) {
    expect_there(address);
    std::memcpy(address, &value, bytes);
    return;
  }
  const bool seen_by_handler = program_.interruptible(running_) && !self().in_handler;
  if (order != plain_order && (seen_by_handler || !memory_->store_is_private(order))) {
    step();
  }
  expect_there(address);
  const access to = find(address, bytes);
  memory_->store(running_, to, value, locations_[to.where].weak_stores ? without_release(order) : order);
  ++writes_;
  remember(2, to, value);
  trace_access("store", to, value, order);
  show_what_an_access_did(to.where, __ATOMIC_RELAXED);
}

std::uint64_t engine::change(void* address, std::size_t bytes, update kind, std::uint64_t operand,
                             std::uint64_t expected, int order) {
  const bool counts = !ignored(address);
  if (counts && kind != update::compare_exchange && location_at(address, bytes).torn) {
    const std::uint64_t before = load(address, bytes, order);
    store(address, bytes, updated(kind, before, operand) & (~std::uint64_t{0} >> (64 - 8 * bytes)), order);
    return before;
  }
  content value;
  access of{};
  int effective = order;
  if (counts) {
    step();
  }
  expect_there(address);
  if (counts) {
    of = find(address, bytes);
    effective = locations_[of.where].weak_stores ? without_release(effective) : effective;
    effective = locations_[of.where].weak_loads ? without_acquire(effective) : effective;
    value = memory_->read_newest(running_, of.where, effective);
  } else {
    std::memcpy(value.words, address, bytes);
  }
  const std::uint64_t before = value.words[0];
  const bool fails = kind == update::compare_exchange && before != expected;
  if (!fails) {
    const std::uint64_t after = updated(kind, before, operand);
    std::memcpy(value.words, &after, bytes);
  }
  if (!counts) {
    std::memcpy(address, value.words, bytes);
    return before;
  }
  if (!fails) {
    memory_->write_newest(running_, of.where, value, effective);
    ++writes_;
  }
  remember(3, of, before);
  trace_access(fails ? "failed exchange of" : "read to change", of, before, order);
  if (!fails) {
    trace_access("change", of, value.words[0], order);
  }
  show_what_an_access_did(of.where, order);
  return before;
}

bool engine::change_16(void* address, std::uint64_t (&expected)[2], std::uint64_t low, std::uint64_t high) {
  step();
  expect_there(address);
  const access of = find(address, 16);
  if (how_.exchange_is_barrier) {
    memory_->fence(running_, __ATOMIC_SEQ_CST);
  }
  const content before = memory_->read_newest(running_, of.where, __ATOMIC_SEQ_CST);
  const bool equal = before.words[0] == expected[0] && before.words[1] == expected[1];
  if (equal) {
    if (alter_exchange != nullptr) {
      alter_exchange(expected, low, high);
    }
    memory_->write_newest(running_, of.where, {{low, high}}, __ATOMIC_SEQ_CST);
    ++writes_;
  }
  if (how_.exchange_is_barrier) {
    memory_->fence(running_, __ATOMIC_SEQ_CST);
  }
  expected[0] = before.words[0];
  expected[1] = before.words[1];
  remember(4, of, mix(before.words[0], before.words[1]));
  trace("%d: %s %s: %#llx %#llx, wants %#llx %#llx\n", running_, equal ? "exchange" : "failed exchange of",
        locations_[of.where].name.c_str(), static_cast<unsigned long long>(before.words[0]),
        static_cast<unsigned long long>(before.words[1]), static_cast<unsigned long long>(low),
        static_cast<unsigned long long>(high));
  show_memory(running_);
  return equal;
}

void engine::fence(int order) {
  step();
  memory_->fence(running_, order);
  remember(5, {}, 0);
  trace("%d: fence (%s)\n", running_, name_of(order));
  show_memory(running_);
}

void engine::plain(const void* address, std::size_t bytes, bool write) {
  expect_there(address);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (write) {
    memory_->plain_write(running_, at, bytes);
  } else {
    memory_->plain_read(running_, at, bytes);
  }
}

void* engine::copy(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
  if (running_ >= 0) {
    memory_->plain_copy(running_, reinterpret_cast<std::uintptr_t>(to), bytes);
  }
  return to;
}

void* engine::allocate(std::size_t alignment, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(arena_.data());
  const std::uintptr_t address = (begin + arena_used_ + alignment - 1) / alignment * alignment;
  arena_used_ = address - begin + bytes;
  if (arena_used_ > arena_.size()) {
    report("the arena is full");
  }
  std::memset(reinterpret_cast<void*>(address), 0, bytes);
  allocated_.push_back({address, address + bytes});
  if (running_ >= 0) {
    self().history = mix(self().history, address - begin);  // somebody else may have been first
  }
  return reinterpret_cast<void*>(address);
}

}  // namespace explore
