// Unbalanced tree search: counts the nodes of a tree that is known only by walking it. A rank's workers walk the
// nodes of a pool, each a part of its subtree, and put back what they leave; pools move work between ranks.
#include <atomic>
#include <cstddef>
#include <vector>

#include "moving_pool.hpp"
#include "program.hpp"
#include "tree.hpp"

namespace {

struct arguments {
  std::int64_t tree = 1;
  std::int64_t seed = 1;
  std::int64_t walk = 500;
  std::int64_t given = 1000;
  std::int64_t level = MPI_THREAD_MULTIPLE;
};

using pool = moving::pool<uts::node>;

/// Walks parts of the subtrees in parallel; how many nodes. What is left goes back to the pool.
std::int64_t walk_parts(const uts::tree& of, const std::vector<uts::node>& nodes, std::int64_t most,
                        pool& work) {
  std::vector<std::vector<uts::node>> left(nodes.size());
  std::atomic<std::int64_t> walked = 0;
  nopal::parallel_for(std::size_t{0}, nodes.size(), std::size_t{1}, [&](std::size_t i) {
    left[i] = {nodes[i]};
    // Relaxed: the loop's join orders it.
    walked.fetch_add(uts::walk(of, left[i], most), std::memory_order_relaxed);
  });
  std::vector<uts::node> all;
  for (const auto& part : left) all.insert(all.end(), part.begin(), part.end());
  work.put(all);
  return walked.load(std::memory_order_relaxed);
}

bool run(const nopal::mpi::session& session, const arguments& with) {
  uts::tree of = uts::trees[static_cast<std::size_t>(with.tree)];
  if (of.nodes == 0) of.root_seed = static_cast<std::uint32_t>(with.seed);
  nopal::mpi::barrier();
  const program::stopwatch time;
  pool work(session, with.given);
  std::int64_t walked = 0;
  nopal::scope s;
  s.fork([&] { work.serve(); });
  if (session.rank() == 0) work.put({uts::root_of(of)});
  const auto parts = std::size_t{8} * static_cast<std::size_t>(nopal::workers());
  for (std::vector<uts::node> nodes = work.take(parts); !nodes.empty(); nodes = work.take(parts)) {
    walked += walk_parts(of, nodes, with.walk, work);
    // On one worker, those that ask would never be answered.
    nopal::mpi::yield();
  }
  work.end();
  s.join();
  const double seconds = program::largest_of(time.seconds());
  const std::int64_t sum = program::sum_of(walked);
  const std::int64_t moved = program::sum_of(work.moved());
  const double most = program::largest_of(static_cast<double>(walked));
  if (session.rank() == 0) {
    std::printf(
        "tree_search: %d ranks x %d workers, %lld nodes, at most %.0f on a rank, %lld moved: %.4f s\n",
        session.size(), nopal::workers(), static_cast<long long>(sum), most, static_cast<long long>(moved),
        seconds);
  }
  std::int64_t right = of.nodes;
  if (right == 0) {
    std::vector<uts::node> all = {uts::root_of(of)};
    right = uts::walk(of, all, INT64_MAX);
  }
  return sum == right;
}

}  // namespace

int main(int argc, char** argv) {
  arguments with;
  return program::run(argc, argv, "tree_search",
                      "Counts the nodes of an unbalanced tree; work moves between ranks.",
                      {{"--tree", "0: small geometric, 1: T1, 2: small binomial, 3: T3", &with.tree, 0, 3},
                       {"--seed", "of the small trees", &with.seed, 0, 1'000'000'000},
                       {"--walk", "nodes at a time below one", &with.walk, 1, 1'000'000'000},
                       {"--given", "nodes in a message at most", &with.given, 1, 1'000'000},
                       program::level_option(with.level)},
                      with.level, [&](const nopal::mpi::session& session) { return run(session, with); });
}
