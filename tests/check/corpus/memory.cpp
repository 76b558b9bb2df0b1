// Arrays, bytes, bit-fields, structures, the heap, the stack, thread-local variables and virtual calls.
// clang-format off
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <nopal/scope.hpp>

#include "corpus.hpp"

namespace memory_data { int x; }
using namespace memory_data;
namespace memory_data { int numbers[64]; }
namespace memory_data { char text[64]; }
CASE(same_element) {
  nopal::scope s;
  s.fork([] { numbers[3] = 1; });  // race: A
  numbers[3] = 2;  // with: A
  s.join();
}
CASE(neighbouring_elements) {
  nopal::scope s;
  s.fork([] { numbers[3] = 1; });
  numbers[4] = 2;
  s.join();
}
CASE(neighbouring_bytes) {
  nopal::scope s;
  s.fork([] { text[0] = 'a'; });
  text[1] = 'b';
  s.join();
}
CASE(same_byte) {
  nopal::scope s;
  s.fork([] { text[1] = 'a'; });  // race: A
  text[1] = 'b';  // with: A
  s.join();
}
CASE(every_byte_of_a_word_by_another) {
  nopal::scope s;
  for (int i = 0; i < 8; ++i) s.fork([i] { text[i] = 'a'; });
  s.join();
}
CASE(word_and_one_of_its_bytes) {
  static union { std::uint64_t word; char bytes[8]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.word = 1; });  // race: A
  u.bytes[5] = 2;  // with: A
  s.join();
}
CASE(byte_and_the_word_after_it) {
  static struct { char c; std::uint32_t w; } v; use_address(&v);
  nopal::scope s;
  s.fork([] { v.c = 1; });
  v.w = 2;
  s.join();
}
CASE(halves_of_a_word) {
  static union { std::uint64_t word; std::uint32_t halves[2]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.halves[0] = 1; });
  u.halves[1] = 2;
  s.join();
  use(static_cast<std::int64_t>(u.word));
}
CASE(shorts_that_overlap_a_word) {
  static union { std::uint32_t word; std::uint16_t halves[2]; } u; use_address(&u);
  nopal::scope s;
  s.fork([] { u.halves[1] = 1; });  // race: A
  use(u.word);  // with: A
  s.join();
}
CASE(strides_that_do_not_meet) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 64; i += 2) numbers[i] = i; });
  for (int i = 1; i < 64; i += 2) numbers[i] = i;
  s.join();
}
CASE(strides_that_meet) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 64; i += 2) numbers[i] = i; });  // race: A
  for (int i = 1; i < 64; i += 3) numbers[i] = i;  // with: A
  s.join();
}
CASE(halves_of_an_array) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i < 32; ++i) numbers[i] = i; });
  for (int i = 32; i < 64; ++i) numbers[i] = i;
  s.join();
}
CASE(halves_that_overlap_by_one) {
  nopal::scope s;
  s.fork([] { for (int i = 0; i <= 32; ++i) numbers[i] = i; });  // race: A
  for (int i = 32; i < 64; ++i) numbers[i] = i;  // with: A
  s.join();
}
CASE(read_of_the_neighbour) {
  static int a[8]; use_address(&a);
  nopal::scope s;
  for (int i = 1; i < 8; ++i) {
    s.fork([i] { a[i] = a[i - 1] + 1; });  // race: A with: A
  }
  s.join();
}
struct with_bits {
  unsigned a : 4;
  unsigned b : 4;
  unsigned : 0;
  unsigned c : 8;
};
namespace memory_data { with_bits bits; }
CASE(bit_fields_of_one_unit) {
  nopal::scope s;
  s.fork([] { bits.a = 1; });  // race: A
  bits.b = 2;  // with: A
  s.join();
}
CASE(bit_fields_apart) {
  nopal::scope s;
  s.fork([] { bits.a = 1; });
  bits.c = 2;
  s.join();
}
struct pair_of_longs { std::int64_t a, b; };
namespace memory_data { pair_of_longs p, q; }
CASE(copy_of_a_structure) {
  nopal::scope s;
  s.fork([] { p.b = 1; });  // race: A
  q = p;  // with: A
  s.join();
}
CASE(copy_of_another_structure) {
  static pair_of_longs r; use_address(&r);
  nopal::scope s;
  s.fork([] { p.b = 1; });
  q = r;
  s.join();
}
CASE(members_apart) {
  nopal::scope s;
  s.fork([] { p.a = 1; });
  p.b = 2;
  s.join();
}
struct large { int values[100]; };
namespace memory_data { large one, other; }
CASE(copy_of_a_large_structure) {
  nopal::scope s;
  s.fork([] { one.values[77] = 1; });  // race: A
  other = one;  // with: A
  s.join();
}
CASE(memcpy_over_a_write) {
  nopal::scope s;
  s.fork([] { one.values[5] = 1; });  // race: A
  std::memcpy(&one, &other, sizeof one);  // with: A
  s.join();
}
CASE(memcpy_of_the_other_half) {
  nopal::scope s;
  s.fork([] { one.values[5] = 1; });
  std::memcpy(one.values + 50, other.values, 50 * sizeof(int));
  s.join();
}
CASE(memcpy_reads) {
  nopal::scope s;
  s.fork([] { other.values[5] = 1; });  // race: A
  std::memcpy(&one, &other, sizeof one);  // with: A
  s.join();
}
namespace memory_data { char big[1 << 20]; }
CASE(memset_of_pages_over_a_byte) {
  nopal::scope s;
  s.fork([] { big[700001] = 1; });  // race: A
  std::memset(big, 0, sizeof big);  // with: A
  s.join();
}
CASE(memset_of_pages_both) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big); });  // race: A
  std::memset(big, 2, sizeof big);  // with: A
  s.join();
}
CASE(memset_of_halves) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big / 2); });
  std::memset(big + sizeof big / 2, 2, sizeof big / 2);
  s.join();
}
CASE(byte_after_memset_of_pages) {
  nopal::scope s;
  s.fork([] { std::memset(big, 1, sizeof big); });  // race: A
  big[12345] = 2;  // with: A
  s.join();
}
CASE(memmove_overlaps_itself) {
  nopal::scope s;
  s.fork([] { std::memmove(text + 4, text, 16); });  // race: A
  use(text[19]);  // with: A
  s.join();
}
CASE(memmove_ends_before) {
  nopal::scope s;
  s.fork([] { std::memmove(text + 4, text, 16); });
  use(text[20]);
  s.join();
}
namespace memory_data { char word[16] = "nopal"; }
CASE(strlen_of_what_is_written) {
  nopal::scope s;
  s.fork([] { word[2] = 'x'; });  // race: A
  use(static_cast<std::int64_t>(std::strlen(word)));  // with: A
  s.join();
}
CASE(unaligned_words_overlap) {
  static char raw[32]; use_address(&raw);
  nopal::scope s;
  s.fork([] { std::uint32_t v = 1; std::memcpy(raw + 3, &v, 4); });  // race: A
  std::uint32_t v = 2;
  std::memcpy(raw + 6, &v, 4);  // with: A
  s.join();
}
CASE(unaligned_words_beside) {
  static char raw[32]; use_address(&raw);
  nopal::scope s;
  s.fork([] { std::uint32_t v = 1; std::memcpy(raw + 3, &v, 4); });
  std::uint32_t v = 2;
  std::memcpy(raw + 7, &v, 4);
  s.join();
}
struct [[gnu::packed]] packed_word { char c; std::uint64_t w; };
namespace memory_data { packed_word packed[8]; }
CASE(packed_word_across_blocks) {
  nopal::scope s;
  s.fork([] { packed[1].w = 1; });  // race: A
  use(static_cast<std::int64_t>(packed[1].w));  // with: A
  s.join();
}
CASE(packed_words_beside) {
  nopal::scope s;
  s.fork([] { packed[1].w = 1; });
  packed[2].w = 2;
  packed[1].c = 1;
  s.join();
}
typedef float vector4 __attribute__((vector_size(16)));
namespace memory_data { vector4 vectors[4]; }
CASE(vectors_of_16_bytes) {
  nopal::scope s;
  s.fork([] { vectors[1] = vector4{1, 2, 3, 4}; });  // race: A
  vectors[2] = vectors[1];  // with: A
  s.join();
}
CASE(vectors_apart) {
  nopal::scope s;
  s.fork([] { vectors[1] = vector4{1, 2, 3, 4}; });
  vectors[2] = vectors[3];
  s.join();
}
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
namespace memory_data { thread_local int per_thread; }
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
