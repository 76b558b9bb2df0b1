// Reducers in the serial elision: variables, linked without the library.
#include <nopal/nopal.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"

namespace {

struct immovable {
  explicit immovable(int with) : number(with) {}
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  int number;
};

struct op_immovable {
  using value_type = immovable;
  static immovable identity() { return immovable(0); }
  static void reduce(immovable& left, immovable&& right) { left.number += right.number; }
};

class op_add_modulo {
public:
  using value_type = unsigned;
  explicit op_add_modulo(unsigned modulus) : modulus_(modulus) {}
  static unsigned identity() { return 0; }
  void reduce(unsigned& left, unsigned&& right) const { left = (left + right) % modulus_; }

private:
  unsigned modulus_;
};

void say(nopal::reducer<nopal::op_string_append>& text, int from, int to) {
  if (to - from == 1) {
    *text += std::to_string(from);
    return;
  }
  nopal::scope s;
  s.fork([&text, from, to] { say(text, from, (from + to) / 2); });
  say(text, (from + to) / 2, to);
  s.join();
}

void check_updates() {
  nopal::reducer<nopal::op_string_append> text("> ");
  say(text, 0, 10);
  CHECK(text.value() == "> 0123456789");
  CHECK(text.take() == "> 0123456789" && text->empty());
  text.set("again ");
  text.view() += "x";
  CHECK(text.value() == "again x");
}

void check_kinds() {
  nopal::reducer<op_immovable> of_an_immovable(5);
  nopal::reducer<op_add_modulo> with_state(op_add_modulo(7), 3U);
  const auto on_the_heap = std::make_unique<nopal::reducer<nopal::op_add<long>>>();
  nopal::holder tens([] { return std::vector<int>(10, 1); });
  std::ostringstream target;
  nopal::reducer<nopal::op_ostream> out(target);
  nopal::reducer<nopal::op_bag<int>> bag;
  nopal::scope s;
  for (int i = 0; i < 10; ++i) {
    s.fork([&, i] {
      of_an_immovable->number += i;
      *with_state += 1;
      **on_the_heap += tens->size() == 10 ? i : 0;
      *out << i << ' ';
      bag->insert(i);
    });
  }
  s.join();
  CHECK(of_an_immovable.value().number == 50);
  CHECK(with_state.value() == 13);
  CHECK(on_the_heap->value() == 45);
  CHECK(target.str() == "0 1 2 3 4 5 6 7 8 9 ");
  long sum = 0;
  bag->parallel_visit_blocks([&sum](const int* first, const int* last) {
    for (; first != last; ++first) sum += *first;
  });
  CHECK(sum == 45 && bag->size() == 10);
}

}  // namespace

int main() {
  check_updates();
  check_kinds();
  return failures != 0;
}
