// Cilk Plus's hyperobjects by both of their names, and what a program asks of the runtime.
#include <cilk/cilk.h>
#include <cilk/cilk_api.h>
#include <cilk/cilkscale.h>
#include <cilk/reducer_list.h>
#include <cilk/reducer_opadd.h>
#include <cilk/reducer_opmul.h>
#include <cilk/reducer_opxor.h>
#include <cilk/reducer_vector.h>

#include <cstdio>
#include <string>

struct append : cilk::monoid_base<std::string> {
  static void reduce(std::string* left, std::string* right) { *left += *right; }
};

static cilk::reducer_opadd<long> everywhere;

static void count(int n, cilk::reducer<cilk::op_add<long>>& total) {
  if (n < 2) {
    *total += 1;
    return;
  }
  cilk_spawn count(n - 1, total);
  count(n - 2, total);
}

int main() {
  cilk::reducer<cilk::op_add<long>> total(5);
  count(15, total);
  std::printf("%ld\n", total.get_value());

  cilk::reducer<append> text;
  cilk::reducer_list_append<int> list;
  cilk::reducer<cilk::op_vector<int>> vector;
  cilk::reducer_opmul<unsigned> product(1u);
  cilk::reducer_opxor<int> mixed;
  cilk_for(int i = 0; i < 300; ++i) {
    *text += static_cast<char>('a' + i % 26);
    list.push_back(i);
    vector->push_back(2 * i);
    *product *= static_cast<unsigned>(2 * i + 1);
    mixed ^= i * 12345;
    everywhere += i;
    ++everywhere;
  }
  std::printf("%s %ld %u %d\n", text.get_value().c_str(), everywhere.get_value(), product.get_value(),
              mixed.get_value());
  long at = 0;
  for (const int each : list.get_value()) at = (at * 31 + each) % 1000003;
  for (const int each : vector.get_value()) at = (at * 31 + each) % 1000003;
  const wsp_t none = wsp_getworkspan() - wsp_getworkspan();
  std::printf("%ld %d %d\n", at, __cilkrts_get_nworkers() > 0, none.work <= 0);
  wsp_t sum = {2'000'000'000, 1'000'000'000, 1'000'000'000};
  sum += sum;
  sum -= wsp_zero();
  std::cout << sum << std::endl;  // seconds, and how much there was to do side by side
}
