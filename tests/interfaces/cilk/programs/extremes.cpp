// Hyperobjects of text, streams, minima and maxima, and scratch memory.
#include <cilk/cilk.h>
#include <cilk/holder.h>
#include <cilk/reducer_list.h>
#include <cilk/reducer_max.h>
#include <cilk/reducer_min.h>
#include <cilk/reducer_opadd.h>
#include <cilk/reducer_ostream.h>
#include <cilk/reducer_string.h>

#include <cstdio>
#include <iostream>
#include <list>
#include <string>
#include <vector>

static cilk::reducer_ostream out(std::cout);

int main() {
  std::vector<int> values(500);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 501);
  const int count = static_cast<int>(values.size());

  cilk::reducer<cilk::op_max<int>> most;
  cilk::reducer<cilk::op_min<double>> least;
  cilk::reducer<cilk::op_max_index<int, int>> best;
  cilk::reducer<cilk::op_min_index<int, int>> worst(-1, 9999);
  cilk::reducer_max<int> most_too(7);
  cilk::reducer_min<int> least_too;
  cilk::reducer_max_index<int, int> best_too;
  cilk::reducer_min_index<int, int> worst_too;
  cilk::reducer<cilk::op_max<std::string>> text_most;
  cilk::reducer<cilk::op_string> text("begin ");
  cilk::reducer_string text_too;
  cilk::reducer<cilk::op_ostream> stream(std::cerr);  // two of one stream would mix
  cilk::reducer_list_prepend<int> backwards;
  cilk::reducer_opadd<int> number;
  cilk::holder<std::vector<int>> scratch;
  cilk::holder<int, cilk::holder_keep_last> last;
  cilk_for(int i = 0; i < count; ++i) {
    const int value = values[static_cast<std::size_t>(i)];
    most->calc_max(value);
    *most = cilk::max_of(*most, value);
    least->calc_min(value / 2.0);
    best->calc_max(i, value / 10);
    worst->calc_min(i, value / 10);
    most_too = cilk::max_of(most_too, value);
    least_too.calc_min(value);
    best_too.calc_max(i, value);
    worst_too.calc_min(i, value);
    text_most->calc_max(std::to_string(value));
    *text += static_cast<char>('a' + i % 26);
    text->append("-");
    text_too.append(1, 'x') += i % 9 == 0 ? "y" : "";
    *stream << value << ' ';
    out << i << std::endl;
    backwards.push_front(i);
    number++;
    scratch().assign(3, i);
    number += scratch->at(2);
    last = i;
  }
  std::printf("%d %g %d %d %d %d %d %d %d %d\n", most.get_value(), least.get_value(), best.get_value().first,
              best.get_value().second, worst.get_value().first, worst.get_value().second,
              most_too.get_value(), least_too.get_value(), best_too.get_index(), worst_too.get_index());
  const int value = best_too.get_value();
  std::string moved;
  text_too.move_out(moved);
  std::list<int> list;
  backwards.move_out(list);
  const cilk::reducer_max<int> none;
  std::printf("%d %s %s %s %d %d %d %d %d\n", value, text_most.get_value().c_str(), text.get_value().c_str(),
              moved.c_str(), list.front(), list.back(), number.get_value(), last(), none.get_value() < 0);
  most.set_value(3);
  int taken = 0;
  most.move_out(taken);
  std::printf("%d\n", taken);
}
