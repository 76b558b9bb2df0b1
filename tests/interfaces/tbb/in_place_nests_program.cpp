// Random nests of a program that is linked with oneTBB's library, where Nopal's is in its place.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "in_place_check.hpp"

#define INDICES_CHECK(what) CHECK(what)
#define FAILURES_CHECK(what) CHECK(what)
#define GRAPHS_CHECK(what) CHECK(what)
#define WAITS_CHECK(what) CHECK(what)
#include "random_failures.hpp"
#include "random_graphs.hpp"
#include "random_indices.hpp"
#include "random_waits.hpp"
#include "served_waits.hpp"

namespace {
bool ended = false;
}

int main() {
  alarm(100);
  const std::string seed = support::seed_in("NESTS_SEED");
  setenv("NESTS_SEED", seed.c_str(), 1);
  std::atexit([] {
    if (!ended) std::fprintf(stderr, "NESTS_SEED=%s\n", std::getenv("NESTS_SEED"));
  });
  random_indices::run_for_a_while(false, 1000);
  random_indices::run_for_a_while(true, 1000);
  for (int round = 0; round != 10; ++round)
    CHECK(served_waits::run(16) == 16);  // by now the program has asked for indices
  const support::number first = support::seed_given_in("NESTS_SEED");
  random_failures::run_for_a_while(first, 1000);
  random_graphs::run_for_a_while(first, 1000);
  random_waits::run_for_a_while(first, 1000);
  ended = true;
  std::puts("all right");
}
