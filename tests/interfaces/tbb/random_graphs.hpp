// Random flow graphs, whose bodies run loops, groups, arenas and graphs of their own. Written for oneTBB's interface alone:
// GRAPHS_CHECK ends the program where something does not hold. What arrives at the ends is what a serial walk gives; of a body that
// throws the wait hears, and no body runs after it.
#ifndef NOPAL_TESTS_INTERFACES_TBB_RANDOM_GRAPHS_HPP
#define NOPAL_TESTS_INTERFACES_TBB_RANDOM_GRAPHS_HPP

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "../../support/random_numbers.hpp"

namespace random_graphs {

using support::mix;
using support::number;

struct failure {};

/// Nodes in the order of their edges, which lead to later ones.
struct shape {
  explicit shape(number seed) : seeds(static_cast<std::size_t>(2 + seed % 6)), next(seeds.size()) {
    for (std::size_t i = 0; i != seeds.size(); ++i) {
      seeds[i] = mix(seed + i);
      for (std::size_t j = i + 1; j != seeds.size(); ++j) {
        if (mix(seeds[i] + j) % 3 == 0 || j == i + 1) next[i].push_back(j);
      }
    }
  }
  std::vector<number> seeds;
  std::vector<std::vector<std::size_t>> next;

  [[nodiscard]] number sum_from(std::size_t node, number message) const {
    const number out = mix(message ^ seeds[node]);
    if (next[node].empty()) return out;
    number sum = 0;
    for (const std::size_t to : next[node]) sum += sum_from(to, out);
    return sum;
  }
};

/// `is_whole`: nothing around it fails, which would cancel it.
void run(number seed, int depth, bool fails, bool is_whole);

/// What a body does beside its answer.
inline void work(number seed, int depth, bool is_whole) {
  std::atomic<int> calls{0};
  switch (seed % 8) {
  case 0:
    tbb::parallel_for(0, 8, [&calls](int) { ++calls; });
    GRAPHS_CHECK(calls == 8 || !is_whole);
    break;
  case 1: {
    tbb::task_group group;
    for (int i = 0; i != 4; ++i) group.run([&calls] { ++calls; });
    group.wait();
    GRAPHS_CHECK(calls == 4 || !is_whole);
    break;
  }
  case 2:
    tbb::task_arena(2).execute([&calls] { tbb::parallel_for(0, 4, [&calls](int) { ++calls; }); });
    GRAPHS_CHECK(calls == 4 || !is_whole);
    break;
  case 3:
    if (depth != 0) run(seed, depth - 1, false, is_whole);
    break;
  case 4: std::this_thread::yield(); break;
  default: break;
  }
}

inline void run(number seed, int depth, bool fails, bool is_whole) {
  using node = tbb::flow::function_node<number, number>;
  const shape of(seed);
  std::atomic<number> sum{0};
  std::atomic<int> inside{0};
  std::atomic<bool> failed{false};
  tbb::flow::graph graph;
  std::vector<std::unique_ptr<node>> nodes;
  std::vector<std::unique_ptr<std::atomic<int>>> at_once;
  for (std::size_t i = 0; i != of.seeds.size(); ++i) {
    const number own = of.seeds[i];
    const std::size_t limit = own / 8 % 3 == 0 ? std::size_t{tbb::flow::unlimited} : own / 8 % 3;
    at_once.push_back(std::make_unique<std::atomic<int>>(0));
    std::atomic<int>* const here = at_once.back().get();
    const bool is_end = of.next[i].empty();
    const auto body = [=, &sum, &inside, &failed](number message) {
      ++inside;
      const int together = ++*here;
      GRAPHS_CHECK(limit == tbb::flow::unlimited || together <= static_cast<int>(limit));
      const number out = mix(message ^ own);
      work(mix(out), depth, is_whole && !fails);
      if (is_end) sum += out;
      --*here;
      --inside;
      if (fails && out % 16 == 0) {
        failed = true;
        throw failure{};
      }
      return out;
    };
    nodes.push_back(own / 64 % 4 == 0
                        ? std::make_unique<node>(graph, limit, body, tbb::flow::node_priority_t{1})
                        : std::make_unique<node>(graph, limit, body));
  }
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    for (const std::size_t to : of.next[i]) tbb::flow::make_edge(*nodes[i], *nodes[to]);
  }
  number expected = 0;
  const number messages = 1 + seed / 16 % 20;
  for (number i = 0; i != messages; ++i) {
    expected += of.sum_from(0, mix(seed ^ i));
    nodes[0]->try_put(mix(seed ^ i));
  }
  bool threw = false;
  try {
    graph.wait_for_all();
  } catch (const failure&) {
    threw = true;
  }
  GRAPHS_CHECK(inside == 0);
  GRAPHS_CHECK(threw == failed);
  GRAPHS_CHECK(failed || sum == expected || !is_whole);
}

inline void run_for_a_while(number first, int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (number i = 0; std::chrono::steady_clock::now() < end; ++i) {
    const number seed = mix(first + i);
    run(seed, 2, seed % 5 == 0, true);
  }
}

}  // namespace random_graphs

#endif
