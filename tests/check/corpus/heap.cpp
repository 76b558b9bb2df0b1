// The heap, dead frames, thread-local variables, virtual calls and initialization.
// clang-format off
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <nopal/scope.hpp>

#include "corpus.hpp"

namespace heap_data { int x; }
using namespace heap_data;
namespace heap_data { int numbers[64]; }
namespace heap_data { char text[64]; }
CASE(heap_element) {
  int* a = new int[8];
  nopal::scope s;
  s.fork([a] { a[2] = 1; });  // race: A
  a[2] = 2;  // with: A
  s.join();
  delete[] a;
}
CASE(heap_elements_apart) {
  int* a = new int[8];
  nopal::scope s;
  s.fork([a] { a[2] = 1; });
  a[3] = 2;
  s.join();
  delete[] a;
}
CASE(freed_and_reused) {
  nopal::scope s;
  for (int i = 0; i < 8; ++i) {
    s.fork([] {
      int* a = new int(1);
      use_address(a);
      *a = 2;
      delete a;
    });
  }
  int* b = new int(3);
  *b = 4;
  delete b;
  s.join();
}
CASE(malloc_and_free_in_children) {
  nopal::scope s;
  for (int i = 0; i < 8; ++i) {
    s.fork([] {
      auto* a = static_cast<char*>(std::malloc(100));
      std::memset(a, 1, 100);
      use_address(a);
      std::free(a);
    });
  }
  s.join();
}
CASE(free_while_read) {
  int* a = static_cast<int*>(std::malloc(64));
  a[1] = 1;
  nopal::scope s;
  s.fork([a] { use(a[1]); });  // race: A
  std::free(a);  // with: A
  s.join();
}
CASE(delete_while_read) {
  int* a = new int(1);
  nopal::scope s;
  s.fork([a] { use(*a); });  // race: A
  delete a;  // with: A
  s.join();
}
CASE(free_after_join) {
  int* a = new int(1);
  nopal::scope s;
  s.fork([a] { use(*a); });
  s.join();
  delete a;
}
CASE(child_allocates_parent_uses) {
  int* a = nullptr;
  nopal::scope s;
  s.fork([&a] { a = new int(1); });  // race: A
  use(a != nullptr);  // with: A
  s.join();
  delete a;
}
CASE(child_allocates_parent_uses_later) {
  int* a = nullptr;
  nopal::scope s;
  s.fork([&a] { a = new int(1); });
  s.join();
  use(*a);
  delete a;
}
CASE(realloc_keeps_and_moves) {
  auto* a = static_cast<int*>(std::malloc(16));
  a[0] = 1;
  nopal::scope s;
  s.fork([&a] { a = static_cast<int*>(std::realloc(a, 4096)); a[100] = 1; });
  s.join();
  use(a[0]);
  std::free(a);
}
CASE(children_grow_blocks_side_by_side) {
  nopal::scope s;
  for (int i = 0; i < 100; ++i) {
    s.fork([i] {
      auto* a = static_cast<char*>(std::malloc(16));
      for (std::size_t bytes = 32; bytes < 40000; bytes *= 2) {
        a = static_cast<char*>(std::realloc(a, bytes));
        std::memset(a, i, bytes);
      }
      std::free(a);
    });
  }
  s.join();
}
[[gnu::noinline]] static void fill_frame(int v) {
  int local[32];
  for (int& each : local) each = v;
  use_address(local);
}
CASE(dead_frames_of_children) {
  nopal::scope s;
  s.fork([] { fill_frame(1); });
  s.fork([] { fill_frame(2); });
  fill_frame(3);
  s.join();
  fill_frame(4);
}
CASE(dead_frames_deeper) {
  nopal::scope s;
  s.fork([] { nopal::scope t; t.fork([] { fill_frame(1); }); fill_frame(2); t.join(); });
  s.fork([] { nopal::scope t; t.fork([] { fill_frame(3); }); fill_frame(4); t.join(); });
  fill_frame(5);
  s.join();
}
CASE(block_locals_share_a_place) {
  nopal::scope s;
  for (int i = 0; i < 3; ++i) {
    int local[8];
    local[i] = i;
    use_address(local);
    s.fork([i] { use(i); });
  }
  { int after[8]; after[2] = 1; use_address(after); }
  s.join();
}
CASE(parents_array_by_children) {
  int a[4] = {};
  nopal::scope s;
  s.fork([&a] { a[0] = 1; });  // race: A
  s.fork([&a] { use(a[0]); });  // with: A
  s.join();
}
namespace heap_data { thread_local int per_thread; }
CASE(thread_local_of_strands) {
  nopal::scope s;
  s.fork([] { per_thread = 1; });  // race: A
  per_thread = 2;  // with: A
  s.join();
}
CASE(thread_local_read_only) {
  nopal::scope s;
  s.fork([] { use(per_thread); });
  use(per_thread);
  s.join();
}
CASE(errno_of_strands) {
  nopal::scope s;
  s.fork([] { errno = 0; use(errno); });
  errno = 0;
  use(errno);
  s.join();
}
struct base {
  virtual ~base() = default;
  virtual int f() { return 1; }
  int n = 0;
};
struct derived : base {
  int f() override { return n; }  // with: A
};
CASE(virtual_call_reads_a_member) {
  derived d;
  base* b = &d;
  use_address(b);
  nopal::scope s;
  s.fork([b] { b->n = 1; });  // race: A
  use(b->f());
  s.join();
}
struct derived_clean : base {
  int f() override { return n; }
};
CASE(virtual_calls_only) {
  derived_clean d;
  base* b = &d;
  use_address(b);
  nopal::scope s;
  s.fork([b] { use(b->f()); });
  use(b->f());
  s.join();
}
CASE(object_made_by_child) {
  std::unique_ptr<base> b;
  nopal::scope s;
  s.fork([&b] { b = std::make_unique<derived_clean>(); });
  s.join();
  use(b->f());
}
CASE(array_initialized_by_child) {
  static int table[16]; use_address(&table);
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 16; ++i) table[i] = i; });  // race: A
  use(table[7]);  // with: A
  s.join();
}
CASE(array_initialized_before) {
  static int table[16]; use_address(&table);
  for (int i = 0; i < 16; ++i) table[i] = i;
  nopal::scope s;
  s.fork([] { use(table[7]); });
  use(table[7]);
  s.join();
}
CASE(pointer_and_what_it_leads_to) {
  static int* to = &x;
  nopal::scope s;
  s.fork([] { *to = 1; });  // race: A
  x = 2;  // with: A
  s.join();
}
CASE(pointer_is_changed) {
  static int* to = &x;
  nopal::scope s;
  s.fork([] { use(*to); });  // race: A
  to = &numbers[0];  // with: A
  s.join();
}
CASE(linked_list_of_own_nodes) {
  struct node { int v; node* next; };
  static node nodes[8]; use_address(&nodes);
  nopal::scope s;
  for (int i = 0; i < 7; ++i) s.fork([i] { nodes[i].v = i; nodes[i].next = &nodes[i + 1]; });
  s.join();
}
CASE(long_double_and_its_bytes) {
  static long double d; use_address(&d);
  nopal::scope s;
  s.fork([] { d = 1.5L; });  // race: ClangA
  use(static_cast<std::int64_t>(d));  // with: ClangA
  s.join();
}
CASE(volatile_variable) {
  static volatile int v; use_address(&v);
  nopal::scope s;
  s.fork([] { v = 1; });  // race: A
  v = 2;  // with: A
  s.join();
}
CASE(placement_new_in_children) {
  alignas(16) static char room[64]; use_address(&room);
  nopal::scope s;
  s.fork([] { ::new (room) int(1); });
  s.fork([] { ::new (room + 16) int(2); });
  s.join();
}
CASE(matrix_rows) {
  static double m[4][4]; use_address(&m);
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([i] { for (int j = 0; j < 4; ++j) m[i][j] = i + j; });
  s.join();
}
CASE(matrix_row_and_column) {
  static double m[4][4]; use_address(&m);
  nopal::scope s;
  s.fork([] { for (int j = 0; j < 4; ++j) m[1][j] = j; });  // race: A
  for (int i = 0; i < 4; ++i) m[i][2] = i;  // with: A
  s.join();
}
