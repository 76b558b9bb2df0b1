// Forks in loops, members and captures, exceptions, and several scopes.
// clang-format off
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <nopal/scope.hpp>

#include "corpus.hpp"

namespace tasks_data { int x, y; }
using namespace tasks_data;
static int give() { return 7; }
CASE(loop_of_forks_one_counter) {
  nopal::scope s;
  for (int i = 0; i < 4; ++i) {
    s.fork([] { ++x; });  // race: A with: A
  }
  s.join();
}
CASE(loop_of_forks_own_elements) {
  int a[16];
  nopal::scope s;
  for (int i = 0; i < 16; ++i) s.fork([&a, i] { a[i] = i; });
  s.join();
  use(a[3]);
}
CASE(loop_variable_by_reference) {
  nopal::scope s;
  int i;
  for (i = 0; i < 4; ++i)  // with: A
    s.fork([&i] { use(i); });  // race: A
  s.join();
}
CASE(loop_variable_by_value) {
  nopal::scope s;
  for (int i = 0; i < 4; ++i) s.fork([i] { use(i); });
  s.join();
}
CASE(join_in_the_loop) {
  nopal::scope s;
  for (int i = 0; i < 4; ++i) {
    s.fork([] { ++x; });
    s.join();
  }
}
CASE(third_child_after_join) {
  nopal::scope s;
  s.fork([] { x = 1; });
  s.join();
  s.fork([] { y = 1; });
  x = 2;
  s.join();
  use(y);
}
static void write_x() { x = 1; }  // race: A
CASE(called_function_races) {
  nopal::scope s;
  s.fork(write_x);
  x = 2;  // with: A
  s.join();
}
static void write_y(int v) { y = v; }  // race: A with: A
CASE(same_line_in_both) {
  nopal::scope s;
  s.fork(write_y, 1);
  write_y(2);
  s.join();
}
struct counter {
  int n = 0;
  void add() { ++n; }  // race: A with: A
};
CASE(member_function_forked) {
  counter c;
  nopal::scope s;
  s.fork(&counter::add, &c);
  c.add();
  s.join();
}
CASE(member_function_of_two_objects) {
  counter c;
  counter d;
  nopal::scope s;
  s.fork(&counter::add, &c);
  d.add();
  s.join();
}
CASE(std_function_forked) {
  std::function<void()> f = [] { x = 1; };  // race: A
  nopal::scope s;
  s.fork(f);
  x = 2;  // with: A
  s.join();
}
CASE(move_only_argument) {
  auto p = std::make_unique<int>(1);
  nopal::scope s;
  s.fork([](std::unique_ptr<int> q) { *q = 2; }, std::move(p));
  s.join();
}
CASE(pointer_kept_after_move) {
  auto p = std::make_unique<int>(1);
  int* raw = p.get();
  nopal::scope s;
  s.fork([](std::unique_ptr<int> q) { use(*q); }, std::move(p));  // race: A
  use_address(raw);
  use(*raw);  // with: A
  s.join();
}
CASE(destructor_of_capture) {
  struct at_end {
    ~at_end() { if (is_last) x = 1; }  // race: A
    at_end() = default;
    at_end(at_end&& o) noexcept : is_last(o.is_last) { o.is_last = false; }
    bool is_last = true;
  };
  nopal::scope s;
  s.fork([e = at_end()] { use_address(&e); });
  x = 2;  // with: A
  s.join();
}
CASE(exception_of_a_child) {
  try {
    nopal::scope s;
    s.fork([] { x = 1; throw std::runtime_error("child"); });
    s.join();
  } catch (const std::runtime_error&) {
    x = 2;
  }
}
CASE(race_before_an_exception) {
  try {
    nopal::scope s;
    s.fork([] { x = 1; });  // race: A
    x = 2;  // with: A
    throw std::runtime_error("parent");
  } catch (const std::runtime_error&) {
    x = 3;
  }
}
CASE(exception_through_children) {
  for (int i = 0; i < 3; ++i) {
    try {
      nopal::scope s;
      s.fork([i] {
        nopal::scope t;
        t.fork([i] { x = i; throw i; });
        t.join();
      });
      s.join();
    } catch (int caught) {
      x = caught;
    }
  }
  x = 5;
}
CASE(race_after_an_exception) {
  nopal::scope s;
  s.fork([] {
    try {
      nopal::scope t;
      t.fork([] { throw 1; });
      t.join();
    } catch (int) {
      x = 1;  // race: A
    }
  });
  x = 2;  // with: A
  s.join();
}
CASE(exception_caught_while_the_scope_lives) {
  nopal::scope s;
  s.fork([] { y = 1; });
  try {
    s.fork([] { x = 1; throw 1; });
  } catch (int caught) {
    x = caught + y;
  }
  s.fork([] { x = 3; });
  s.join();
  try {
    s.fork([large = std::string(100, 'a')] { x = 4; throw std::runtime_error(large); });
  } catch (const std::runtime_error& caught) {
    x = caught.what()[0];
  }
  s.join();
}
CASE(race_with_the_scope_around_a_caught_exception) {
  nopal::scope s;
  s.fork([] { x = 1; });  // race: A
  nopal::scope t;
  try {
    t.fork([] { throw 1; });
  } catch (int) {
    x = 2;  // with: A
  }
  t.join();
  s.join();
}
struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw 1; }
};
CASE(race_after_an_argument_that_threw) {
  nopal::scope s;
  throws_when_copied argument;
  s.fork([] { x = 1; });  // race: A
  try {
    s.fork([](const throws_when_copied&) {}, argument);
  } catch (int) {
    x = 2;  // with: A
  }
  s.join();
}
CASE(two_scopes_in_turn) {
  nopal::scope s;
  nopal::scope t;
  s.fork([] { x = 1; });
  t.fork([] { y = 1; });
  t.join();
  s.join();
  use(x + y);
}
CASE(two_scopes_one_joined) {
  nopal::scope s;
  nopal::scope t;
  s.fork([] { x = 1; });
  t.fork([] { y = 1; });  // race: A
  s.join();
  use(x);
  y = 2;  // with: A
  t.join();
}
CASE(deep_recursion) {
  struct f {
    static void down(int n) {
      if (n == 0) return;
      int mine = 0;
      nopal::scope s;
      s.fork([&mine, n] { mine = n; down(n - 1); });
      s.join();
      use(mine);
    }
  };
  f::down(500);
}
CASE(reader_kept_beside_later_ones) {
  nopal::scope s;
  s.fork([] { use(x); });  // race: A
  {
    nopal::scope t;
    t.fork([] { use(x + 1); });
    t.join();
  }
  x = 1;  // with: A
  s.join();
}
CASE(static_initialized_once) {
  struct f {
    static int get() { static int made = give(); return made; }
  };
  nopal::scope s;
  s.fork([] { use(f::get()); });
  use(f::get());
  s.join();
}
CASE(lambda_modifies_its_own_copy) {
  int local = 1;
  nopal::scope s;
  auto f = [local]() mutable { ++local; use(local); };
  s.fork(f);
  s.fork(f);
  f();
  s.join();
}
CASE(one_callable_by_reference) {
  int calls = 0;
  auto f = [&calls] { ++calls; };  // race: A with: A
  nopal::scope s;
  s.fork(std::ref(f));
  f();
  s.join();
}
