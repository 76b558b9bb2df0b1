// A program that calls what oneTBB's library has since the headers that the machine may have: entry points up to those of 2023.2,
// as programs built with the newer headers do.
// Usage: in_place_later_program LIBRARY: not looked at.

#include <tbb/tbb.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "in_place_check.hpp"

namespace tbb::detail {
namespace d1 {
class wait_tree_vertex_interface;
}
namespace r1 {
d1::task* current_task_ptr();
d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface*);
d1::slot_id execution_slot(const d1::task_arena_base&);
void enter_parallel_phase(d1::task_arena_base*, std::uintptr_t);
void exit_parallel_phase(d1::task_arena_base*, std::uintptr_t);
void* allocate_interleaved(std::size_t, const int*, std::size_t, std::size_t);
void deallocate_interleaved(void*, std::size_t);
using assertion_handler_type = void (*)(const char*, int, const char*, const char*);
assertion_handler_type set_assertion_handler(assertion_handler_type) noexcept;
assertion_handler_type get_assertion_handler() noexcept;
}  // namespace r1
}  // namespace tbb::detail

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;

namespace {

/// A task that looks who it is, before and after others run in its wait, and hands on to another.
struct looks final : d1::task {
  looks(d1::wait_context& count, int left) : count_(count), left_(left) { count_.reserve(); }
  d1::task* execute(d1::execution_data&) override {
    CHECK(r1::current_task_ptr() == this);
    tbb::task_group inner;
    for (int i = 0; i != 4; ++i) {
      inner.run([this] { CHECK(r1::current_task_ptr() != nullptr && r1::current_task_ptr() != this); });
    }
    inner.wait();
    CHECK(r1::current_task_ptr() == this);
    tbb::this_task_arena::isolate([this] { CHECK(r1::current_task_ptr() == this); });
    d1::wait_context& count = count_;
    d1::task* const next = left_ != 0 ? new looks(count, left_ - 1) : nullptr;
    delete this;
    count.release();
    return next;
  }
  d1::task* cancel(d1::execution_data&) override { return nullptr; }

private:
  d1::wait_context& count_;
  int left_;
};

void tasks_know_themselves() {
  CHECK(r1::current_task_ptr() == nullptr);
  d1::wait_context count(0);
  tbb::task_group_context context;
  d1::execute_and_wait(*new looks(count, 10), context, count, context);
  CHECK(r1::current_task_ptr() == nullptr);
}

void groups_count_with_their_own() {
  long some = 0;
  auto* const count = reinterpret_cast<d1::wait_tree_vertex_interface*>(&some);
  CHECK(r1::get_thread_reference_vertex(count) == count);
}

void threads_have_indices_in_their_arenas() {
  tbb::task_arena one(2);
  tbb::task_arena other(2);
  other.initialize();
  CHECK(r1::execution_slot(one) == d1::no_slot);  // it is not active
  one.execute([&] {
    r1::enter_parallel_phase(&one, 0);
    r1::enter_parallel_phase(nullptr, 0);
    CHECK(r1::execution_slot(one) == tbb::this_task_arena::current_thread_index());
    CHECK(r1::execution_slot(other) == d1::no_slot);
    other.execute([&] {
      CHECK(r1::execution_slot(other) == tbb::this_task_arena::current_thread_index());
      CHECK(r1::execution_slot(one) == d1::no_slot);
    });
    tbb::parallel_for(0, 100, [&](int) { CHECK(r1::execution_slot(one) < 2); });
    r1::exit_parallel_phase(nullptr, 1);
    r1::exit_parallel_phase(&one, 0);
  });
  CHECK(r1::execution_slot(one) == d1::no_slot);
}

void memory_in_several_nodes() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = 10 * page + 1;
  const int nodes[] = {0, 0, 0};
  for (const std::size_t chunk : {std::size_t{0}, page, 3 * page, 100 * page}) {
    for (const std::size_t named : {0, 1, 3}) {
      auto* const memory =
          static_cast<char*>(r1::allocate_interleaved(bytes, named != 0 ? nodes : nullptr, named, chunk));
      CHECK(memory != nullptr);
      CHECK(std::all_of(memory, memory + bytes, [](char at) { return at == 0; }));
      std::fill(memory, memory + bytes, 'x');
      r1::deallocate_interleaved(memory, bytes);
    }
  }
  CHECK(r1::allocate_interleaved(0, nullptr, 0, 0) == nullptr);
  CHECK(r1::allocate_interleaved(bytes, nullptr, 0, 100) == nullptr);
  CHECK(r1::allocate_interleaved(bytes, nodes, 0, 0) == nullptr);
  CHECK(r1::allocate_interleaved(bytes, nullptr, 1, 0) == nullptr);
  r1::deallocate_interleaved(nullptr, bytes);
}

int told = 0;

void assertions_go_to_their_handler() {
  const auto own = r1::get_assertion_handler();
  CHECK(own != nullptr);
  const auto handler = [](const char*, int line, const char*, const char*) { told = line; };
  CHECK(r1::set_assertion_handler(handler) == own);
  CHECK(r1::get_assertion_handler() == +handler);
  r1::assertion_failure("here", 42, "1 == 2", nullptr);
  CHECK(told == 42);
  CHECK(r1::set_assertion_handler(nullptr) == +handler);
  CHECK(r1::get_assertion_handler() == own);
}

}  // namespace

int main() {
  tasks_know_themselves();
  groups_count_with_their_own();
  threads_have_indices_in_their_arenas();
  memory_in_several_nodes();
  assertions_go_to_their_handler();
  std::puts("all right");
}
