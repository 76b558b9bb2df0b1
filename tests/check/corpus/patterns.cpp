// Parallel patterns, reducers, arenas, bags and sorts.
// clang-format off
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <nopal/nopal.hpp>
#include <nopal/arena.hpp>
#include <nopal/bag.hpp>
#include <nopal/blocked_range.hpp>

#include "corpus.hpp"

namespace patterns_data { int x; std::vector<int> v(100, 1); std::vector<int> w(100); }
using namespace patterns_data;

CASE(loop_with_own_elements) {
  nopal::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(i)] = i; });
  use(v[5]);
}
CASE(loop_with_one_sum) {
  int sum = 0;
  nopal::parallel_for(0, 100, [&sum](int i) { sum += i; });  // race: A with: A
  use(sum);
}
CASE(loop_reads_its_neighbour) {
  nopal::parallel_for(1, 100, [](int i) {
    const auto at = static_cast<std::size_t>(i);
    v[at] = v[at - 1];  // race: A with: A
  });
}
CASE(loop_reads_another_vector) {
  nopal::parallel_for(1, 100, [](int i) { w[static_cast<std::size_t>(i)] = v[static_cast<std::size_t>(i - 1)]; });
}
CASE(loop_with_a_grain_shares_within_it) {
  static int cells[100]; use_address(&cells);
  nopal::parallel_for(0, 100, 10, [](int i) {
    cells[i / 10] += i;  // race: A with: A
  });
}
CASE(loop_not_larger_than_its_grain) {
  int sum = 0;
  nopal::parallel_for(0, 100, 100, [&sum](int i) { sum += i; });
  use(sum);
}
CASE(loop_over_iterators) {
  nopal::parallel_for(v.begin(), v.end(), [](int& each) { each = 2; });
  use(v[3]);
}
CASE(loop_over_iterators_writes_the_first) {
  nopal::parallel_for(v.begin(), v.end(), [](int& each) {
    v[0] = each;  // race: A with: A
  });
}
CASE(loop_over_chunks) {
  nopal::parallel_for(0, 100, [](int from, int to) { for (int i = from; i < to; ++i) v[static_cast<std::size_t>(i)] = i; });
}
CASE(loop_over_chunks_with_one_sum) {
  nopal::parallel_for(0, 100, [](int from, int to) {
    x += to - from;  // race: A with: A
  });
}
CASE(loop_beside_its_caller) {
  nopal::scope s;
  s.fork([] { nopal::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(i)] = i; }); });  // race: A
  use(v[50]);  // with: A
  s.join();
}
CASE(loops_in_turn) {
  nopal::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(i)] = i; });
  nopal::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(99 - i)] += i; });
}
CASE(nested_loops) {
  static int m[10][10]; use_address(&m);
  nopal::parallel_for(0, 10, [](int i) { nopal::parallel_for(0, 10, [i](int j) { m[i][j] = i * j; }); });
}
CASE(nested_loops_share_a_row) {
  static int m[10][10]; use_address(&m);
  nopal::parallel_for(0, 10, [](int) {
    nopal::parallel_for(0, 10, [](int j) {
      m[0][j] = j;  // race: A with: A
    });
  });
}
CASE(for_each_element) {
  nopal::parallel_for_each(v, [](int& each) { each += 1; });
}
CASE(for_each_element_counts) {
  int n = 0;
  nopal::parallel_for_each(v, [&n](int& each) {
    each += n++;  // race: A with: A
  });
}
CASE(for_each_of_a_list) {
  std::vector<std::string> names{"a", "b", "c"};
  nopal::parallel_for_each(names, [](std::string& each) { each += "x"; });
}
CASE(reduction) {
  use(nopal::parallel_reduce(0, 100, 0L, [](int i) { return static_cast<long>(i); }, std::plus<>()));
}
CASE(reduction_whose_map_counts) {
  int calls = 0;
  use(nopal::parallel_reduce(0, 100, 0L, [&calls](int i) { ++calls; return static_cast<long>(i); }, std::plus<>()));  // race: A with: A
}
CASE(reduction_of_strings) {
  const std::string all = nopal::parallel_reduce(0, 20, std::string(), [](int i) { return std::to_string(i); }, std::plus<>());
  use(static_cast<std::int64_t>(all.size()));
}
CASE(reduction_with_a_grain) {
  use(nopal::parallel_reduce(0, 100, std::size_t{10}, 0L, [](int i) { return static_cast<long>(i); }, std::plus<>()));
}
CASE(transformation) {
  nopal::parallel_transform(v.begin(), v.end(), w.begin(), [](int each) { return each + 1; });
}
CASE(transformation_in_place) {
  nopal::parallel_transform(v.begin(), v.end(), v.begin(), [](int each) { return each + 1; });
}
CASE(transformation_shifted_by_one) {
  nopal::parallel_transform(v.begin(), v.end() - 1, v.begin() + 1, [](int each) { return each + 1; });  // race: A with: A
}
CASE(inclusive_scan) {
  nopal::parallel_inclusive_scan(v.begin(), v.end(), w.begin());
  use(w[99]);
}
CASE(exclusive_scan_in_place) {
  nopal::parallel_exclusive_scan(v.begin(), v.end(), v.begin(), 0);
  use(v[99]);
}
CASE(scan_whose_operation_counts) {
  nopal::parallel_inclusive_scan(v.begin(), v.end(), w.begin(), [](int a, int b) {
    ++x;  // race: A with: A
    return a + b;
  });
}
CASE(scan_of_strings) {
  std::vector<std::string> t(10, "a"), u(10);
  nopal::parallel_inclusive_scan(t.begin(), t.end(), u.begin());
  use(static_cast<std::int64_t>(u[9].size()));
}
CASE(sort_of_numbers) {
  std::vector<int> a(20000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>((i * 7919) % 20011);
  nopal::parallel_sort(a.begin(), a.end());
  use(std::is_sorted(a.begin(), a.end()));
}
CASE(sort_whose_comparison_counts) {
  std::vector<int> a(20000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>((i * 7919) % 20011);
  nopal::parallel_sort(a.begin(), a.end(), [](int one, int other) {  // race: Parallel with: Parallel
    ++x;  // race: A with: A race: Parallel with: Parallel
    return one < other;
  });
}
CASE(stable_sort_of_numbers) {
  std::vector<int> a(20000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>((i * 7919) % 20011);
  nopal::parallel_stable_sort(a.begin(), a.end());
  use(std::is_sorted(a.begin(), a.end()));
}
CASE(sort_of_strings) {
  std::vector<std::string> a(5000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = "a string of some length " + std::to_string((i * 7919) % 5003);
  nopal::parallel_sort(a.begin(), a.end());
  use(std::is_sorted(a.begin(), a.end()));
}
CASE(search) {
  use(*nopal::parallel_find_if(v.begin(), v.end(), [](int each) { return each == 1; }));
}
CASE(search_whose_predicate_counts) {
  use(nopal::parallel_any_of(v.begin(), v.end(), [](int each) {
    ++x;  // race: A with: A
    return each == 7;
  }));
}
CASE(invoke_apart) {
  nopal::parallel_invoke([] { v[0] = 1; }, [] { v[1] = 1; }, [] { v[2] = 1; });
}
CASE(invoke_together) {
  nopal::parallel_invoke([] { x = 1; },  // race: A
                         [] { v[1] = 1; },
                         [] { x = 2; });  // with: A
}
CASE(invoke_returns) {
  auto [a, b] = nopal::parallel_invoke([] { return 1; }, [] { return std::string("two"); });
  use(a + static_cast<std::int64_t>(b.size()));
}
CASE(blocked_range_own_positions) {
  static int m[16][16]; use_address(&m);
  nopal::parallel_for(nopal::range_2d(0, 16, 0, 16), [](int i, int j) { m[i][j] = i + j; });
}
CASE(blocked_range_shares_a_row) {
  static int m[16]; use_address(&m);
  nopal::parallel_for(nopal::range_2d(0, 16, 0, 16), [](int i, int j) {
    m[j] = i;  // race: A with: A
  });
}
CASE(reducer_sum) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::parallel_for(0, 100, [&sum](int i) { *sum += i; });
  use(sum.value());
  if (sum.value() != 4950) __builtin_trap();
}
CASE(reducer_of_a_vector) {
  nopal::reducer<nopal::op_vector_append<int>> all;
  nopal::parallel_for(0, 300, [&all](int i) { all->push_back(i); });
  for (std::size_t i = 0; i < 300; ++i) if (all.value()[i] != static_cast<int>(i)) __builtin_trap();
}
CASE(reducer_of_a_string) {
  nopal::reducer<nopal::op_string_append> all;
  nopal::scope s;
  s.fork([&all] { *all += "one "; });
  *all += "two ";
  s.fork([&all] { *all += "three "; });
  *all += "four";
  s.join();
  if (all.value() != "one two three four") __builtin_trap();
}
CASE(reducer_value_before_the_join) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  s.fork([&sum] { *sum += 1; });  // race: A
  use(sum.value());  // with: A
  s.join();
}
CASE(reducer_value_before_a_child_updates) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  s.fork([&sum] {
    for (volatile int i = 0; i < 100000;) i = i + 1;
    *sum += 1;  // race: A
  });
  use(sum.value());  // with: A
  s.join();
}
CASE(reducer_over_scopes_that_are_not_nested) {
#ifdef NOPAL_CHECKED_PARALLEL  // the serial detector wants scopes to be nested
  for (int i = 0; i < 20; ++i) {
    nopal::reducer<nopal::op_string_append> all;
    nopal::scope a, b;
    const auto add_slowly = [&all](const char* text) {
      for (; *text != 0; ++text) {
        *all += *text;
        for (volatile int j = 0; j < 1000;) j = j + 1;
      }
    };
    a.fork([=] { add_slowly("ab"); });
    *all += "c";
    b.fork([=] { add_slowly("de"); });
    *all += "f";
    a.fork([=] { add_slowly("gh"); });
    *all += "i";
    if (i % 2 == 0) a.join();
    b.join();
    *all += "j";
    a.join();
    *all += "k";
    if (all.value() != "abcdefghijk") __builtin_trap();
  }
#endif
}
[[gnu::noinline]] static void add_many(nopal::reducer<nopal::op_add<long>>& sum, int depth) {
  if (depth == 0) {
    *sum += 1;
    return;
  }
  nopal::scope s;
  s.fork([&sum, depth] { add_many(sum, depth - 1); });
  add_many(sum, depth - 1);
  s.join();
}
CASE(reducers_from_before_a_million_forks) {
  nopal::reducer<nopal::op_string_append> all;
  const auto add_in_parallel = [&all](const char* first, const char* second) {
    nopal::scope s;
    s.fork([&all, first] { *all += first; });
    *all += second;
    s.join();
  };
  add_in_parallel("a", "b");
  nopal::reducer<nopal::op_add<long>> sum;
  add_many(sum, 20);
  add_in_parallel("c", "d");
  add_many(sum, 4);
  if (all.value() != "abcd" || sum.value() != (1L << 20) + (1L << 4)) __builtin_trap();
}
CASE(reducer_value_after_the_join) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  s.fork([&sum] { *sum += 1; });
  s.join();
  use(sum.value());
}
CASE(reducer_set_before_the_join) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  s.fork([&sum] { *sum += 1; });  // race: A
  sum.set(5);  // with: A
  s.join();
}
CASE(reducer_taken_before_the_join) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  s.fork([&sum] { *sum += 1; });  // race: A
  use(sum.take());  // with: A
  s.join();
}
CASE(reducer_value_in_the_first_child) {
  nopal::reducer<nopal::op_add<long>> sum;
  *sum += 5;
  nopal::scope s;
  s.fork([&sum] { use(sum.value()); });
  *sum += 1;
  s.join();
  if (sum.value() != 6) __builtin_trap();
}
CASE(reference_to_a_view_kept_too_long) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::scope s;
  long& mine = *sum;
  s.fork([&sum] { *sum += 1; });  // race: A
  mine += 1;  // with: A
  s.join();
}
CASE(reducer_nested) {
  nopal::reducer<nopal::op_add<long>> sum;
  for (int round = 0; round < 3; ++round) {
    nopal::scope s;
    for (int i = 0; i < 4; ++i) {
      s.fork([&sum] { nopal::parallel_for(0, 10, [&sum](int j) { *sum += j; }); });
      *sum += 1;
    }
    s.join();
  }
  if (sum.value() != 3 * 4 * 46) __builtin_trap();
}
CASE(reducer_made_in_a_child) {
  nopal::scope s;
  for (int i = 0; i < 3; ++i) {
    s.fork([] {
      nopal::reducer<nopal::op_max<int>> most;
      nopal::parallel_for(0, 10, [&most](int j) { if (j > *most) *most = j; });
      use(most.value());
    });
  }
  s.join();
}
CASE(reducer_and_a_plain_variable) {
  nopal::reducer<nopal::op_add<long>> sum;
  nopal::parallel_for(0, 100, [&sum](int i) {
    *sum += i;
    x = i;  // race: A with: A
  });
  use(sum.value());
}
CASE(holder_as_scratch) {
  nopal::holder scratch([] { return std::vector<int>(16); });
  nopal::parallel_for(0, 50, [&scratch](int i) { (*scratch)[static_cast<std::size_t>(i % 16)] = i; });
}
CASE(arena_executes) {
  nopal::arena a(2);
  a.execute([] { nopal::parallel_for(0, 10, [](int i) { v[static_cast<std::size_t>(i)] = i; }); });
  use(v[1]);
}
CASE(arena_enqueued_and_waited_for) {
  nopal::arena a(2);
  a.enqueue([] { x = 1; });
  a.wait();
  x = 2;
}
CASE(arena_enqueued_and_not_waited_for) {
  nopal::arena a(2);
  a.enqueue([] { x = 1; });  // race: A
  x = 2;  // with: A
  a.wait();
}
CASE(exception_leaves_a_loop) {
  try {
    nopal::parallel_for(0, 100, [](int i) { if (i == 50) throw i; v[static_cast<std::size_t>(i)] = i; });
  } catch (int caught) {
    v[0] = caught;
  }
}
CASE(algorithm_called_twice_with_scratch) {
  std::vector<int> scratch(100);
  for (int round = 0; round < 2; ++round) {
    nopal::parallel_for(0, 100, [&scratch](int i) { scratch[static_cast<std::size_t>(i)] = i; });
    use(std::accumulate(scratch.begin(), scratch.end(), 0));
  }
}
