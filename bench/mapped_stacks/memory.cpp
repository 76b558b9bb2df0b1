// Windows of the file, and which of them a worker has mapped.
#include "mapped_stacks/memory.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace mapped {

void fail(const char* what, int error) {
  std::fprintf(stderr, "nopal: mapped stacks: %s%s%s\n", what, error == 0 ? "" : ": ",
               error == 0 ? "" : std::strerror(error));
  // Of a worker process only; who started it sees how it ended.
  _exit(3);
}

spin_lock::spin_lock(std::atomic<int>& word) : word_(word) {
  // Acquire: pairs with the release of who held it last.
  while (word_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
}

// Release: pairs with the exchange of who takes it next.
spin_lock::~spin_lock() { word_.store(0, std::memory_order_release); }

memory::memory(const options& with) : options_(with), file_(memfd_create("nopal_stacks", MFD_CLOEXEC)) {
  if (file_ < 0) fail("memfd_create", errno);
  if (ftruncate(file_, static_cast<off_t>(region_bytes * most_stacks)) != 0) fail("ftruncate", errno);
  const bool separate = with.stacks == kind::separate;
  const std::size_t bytes = separate ? region_bytes * most_stacks : region_bytes;
  // The windows of separate stacks are mapped once and for all.
  void* region = separate
                     ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0)
                     : mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) fail("mmap of the stacks", errno);
  region_ = static_cast<char*>(region);
  void* table =
      mmap(nullptr, sizeof(window_table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) fail("mmap", errno);
  table_ = new (table) window_table{};
  table_->free_count = most_stacks;
  for (int i = 0; i < most_stacks; ++i) table_->free[static_cast<std::size_t>(i)] = most_stacks - 1 - i;
}

memory::~memory() {
  munmap(region_, options_.stacks == kind::separate ? region_bytes * most_stacks : region_bytes);
  munmap(table_, sizeof(window_table));
  close(file_);
}

std::uintptr_t memory::edge(int stack, int page) const {
  const std::size_t window = options_.stacks == kind::separate ? static_cast<std::size_t>(stack) : 0;
  return reinterpret_cast<std::uintptr_t>(region_) + window * region_bytes + region_bytes -
         static_cast<std::size_t>(page) * page_bytes;
}

int memory::page_of(int stack, std::uintptr_t address) const {
  return static_cast<int>((edge(stack, 0) - address - 1) / page_bytes);
}

long memory::resident_pages() const {
  struct stat status{};
  if (fstat(file_, &status) != 0) fail("fstat", errno);
  return static_cast<long>(status.st_blocks) * 512 / static_cast<long>(page_bytes);
}

void memory::give_back(int stack, int from_page, counts& by) const {
  const auto begin = static_cast<off_t>(static_cast<std::size_t>(stack) * region_bytes);
  const auto bytes = static_cast<off_t>(region_bytes - static_cast<std::size_t>(from_page) * page_bytes);
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, bytes) != 0)
    fail("fallocate", errno);
  ++by.pages_returned_calls;
}

region::region(memory& all, counts& counted) : all_(all), counts_(counted) { shown_.fill(no_stack); }

int region::take() {
  if (at_hand_count_ > 0) return at_hand_[static_cast<std::size_t>(--at_hand_count_)];
  window_table& table = all_.table();
  const spin_lock held(table.lock);
  if (table.free_count == 0) fail("every stack is in use", 0);
  const int taken = table.free[static_cast<std::size_t>(--table.free_count)];
  table.used_most = std::max(table.used_most, most_stacks - table.free_count);
  return taken;
}

void region::give(int stack) {
  if (all_.options_.eager) all_.give_back(stack, 0, counts_);
  if (at_hand_count_ < most_at_hand) {
    at_hand_[static_cast<std::size_t>(at_hand_count_++)] = stack;
    return;
  }
  if (!all_.options_.eager) all_.give_back(stack, 0, counts_);
  window_table& table = all_.table();
  const spin_lock held(table.lock);
  table.free[static_cast<std::size_t>(table.free_count++)] = stack;
}

void region::show(int tip) {
  if (all_.options_.stacks == kind::separate) return;
  // The last page stays inaccessible: the guard.
  int end = region_pages - 1;
  for (int at = tip; at != no_stack;) {
    const stack& part = all_.table().stacks[static_cast<std::size_t>(at)];
    // Runs of pages that show something else.
    for (int from = part.first_page; from < end;) {
      int to = from;
      while (to < end && shown_[static_cast<std::size_t>(to)] != at) ++to;
      if (to > from) map(at, from, to, at != tip);
      from = to;
      while (from < end && shown_[static_cast<std::size_t>(from)] == at) ++from;
    }
    end = part.first_page;
    at = part.parent;
  }
}

void region::map(int stack, int from, int to, bool prefix) {
  const auto bytes = static_cast<std::size_t>(to - from) * page_bytes;
  void* at = reinterpret_cast<void*>(all_.edge(stack, to));
  const auto offset = static_cast<off_t>(static_cast<std::size_t>(stack + 1) * region_bytes -
                                         static_cast<std::size_t>(to) * page_bytes);
  const int populate = all_.options_.populate && prefix ? MAP_POPULATE : 0;
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | populate, all_.file_, offset) != at)
    fail("mmap of a prefix", errno);
  std::fill(shown_.begin() + from, shown_.begin() + to, static_cast<std::int16_t>(stack));
  ++counts_.mmap_calls;
  if (prefix) counts_.pages_mapped += static_cast<std::uint64_t>(to - from);
}

}  // namespace mapped
