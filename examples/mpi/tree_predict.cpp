// Predicts tree_search on more ranks than there are. The same protocol moves nodes of the same tree between
// simulated ranks, in virtual time: a node takes as long as on this processor, and messages take what the
// options say. No thread and no clock, so the result depends on these alone. Needs no mpirun.
#include <ctime>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "moving.hpp"
#include "program.hpp"
#include "tree.hpp"

namespace {

struct arguments {
  std::int64_t tree = 1;
  std::int64_t seed = 1;
  std::int64_t walk = 500;
  std::int64_t given = 1000;
  std::int64_t ranks = 64;
  std::int64_t workers = 1;
  std::int64_t node_ns = 0;
  std::int64_t latency_ns = 2000;
  std::int64_t notice_ns = 100'000;
  std::int64_t bytes_per_us = 10'000;
  std::int64_t round_ns = 5000;
};

using protocol = moving::protocol<uts::node>;

/// A message that arrives, or, where it is none, the end of what a rank walks.
struct happening {
  std::int64_t at;
  std::int64_t number;  ///< of those of one moment, the earlier made first
  int rank;
  int from;
  moving::message<uts::node> message;
  bool is_end;
  bool is_late = false;  ///< it has waited for a worker
  bool operator>(const happening& other) const {
    return std::pair(at, number) > std::pair(other.at, other.number);
  }
};

struct outcome {
  std::int64_t ns = 0;
  std::int64_t walked = 0;
  std::int64_t most_walked = 0;
  std::int64_t messages = 0;
  std::int64_t moved = 0;
};

class simulation {
public:
  simulation(const uts::tree& of, const arguments& with) : of_(of), with_(with) {
    for (int rank = 0; rank < with.ranks; ++rank) {
      ranks_.push_back({protocol(rank, static_cast<int>(with.ranks), with.given), {}, true, 0, 0});
    }
  }

  outcome run() {
    send(0, ranks_[0].own.put({uts::root_of(of_)}));
    for (int rank = 0; rank < with_.ranks; ++rank) begin(rank);
    while (!agenda_.empty()) {
      const happening one = agenda_.top();
      agenda_.pop();
      now_ = one.at;
      simulated& rank = ranks_[static_cast<std::size_t>(one.rank)];
      if (one.is_end) {
        rank.is_idle = true;
        send(one.rank, rank.own.put(std::exchange(rank.left, {})));
        begin(one.rank);
      } else {
        const auto& got = one.message;
        // A strand that is to answer goes on once a worker has walked its part, or all parts if it is the only one.
        const std::int64_t part_end =
            with_.workers == 1 ? rank.end_at : std::min(rank.end_at, one.at + with_.walk * with_.node_ns);
        if (!rank.is_idle && !one.is_late && now_ < part_end) {
          happening later = one;
          later.at = part_end;
          later.is_late = true;
          agenda_.push(later);
          continue;
        }
        send(one.rank, rank.own.receive(one.from, got.which, got.number, got.things));
        if (rank.is_idle && rank.own.has_things()) begin(one.rank);
      }
    }
    for (const simulated& rank : ranks_) {
      result_.moved += rank.own.moved();
      result_.walked += rank.walked;
      result_.most_walked = std::max(result_.most_walked, rank.walked);
      if (!rank.own.is_over() || !rank.own.is_answered())
        throw nopal::error("tree_predict: a rank was not told of the end");
    }
    result_.ns = now_;
    return result_;
  }

private:
  struct simulated {
    protocol own;
    std::vector<uts::node> left;  // of what it walks
    bool is_idle;
    std::int64_t walked;
    std::int64_t end_at;  // of what it walks
  };

  void send(int from, const protocol::messages& all) {
    constexpr std::int64_t ns_per_us = 1000;
    for (const auto& one : all) {
      const auto bytes = static_cast<std::int64_t>(one.things.size() * sizeof(uts::node));
      const std::int64_t takes = with_.latency_ns + with_.notice_ns + bytes * ns_per_us / with_.bytes_per_us;
      agenda_.push({now_ + takes, ++count_, one.to, from, one, false});
      ++result_.messages;
    }
  }

  /// Walks parts below some nodes, each on the worker that is free first.
  void begin(int which) {
    simulated& rank = ranks_[static_cast<std::size_t>(which)];
    const std::vector<uts::node> nodes = rank.own.take(static_cast<std::size_t>(8 * with_.workers));
    if (nodes.empty()) {
      if (!rank.own.is_over()) send(which, rank.own.become_idle());
      return;
    }
    rank.is_idle = false;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> free_at;
    for (std::int64_t worker = 0; worker < with_.workers; ++worker) free_at.push(0);
    std::int64_t end = 0;
    for (const uts::node& node : nodes) {
      std::vector<uts::node> list = {node};
      const std::int64_t walked = uts::walk(of_, list, with_.walk);
      rank.walked += walked;
      rank.left.insert(rank.left.end(), list.begin(), list.end());
      const std::int64_t done = free_at.top() + walked * with_.node_ns;
      free_at.pop();
      free_at.push(done);
      end = std::max(end, done);
    }
    rank.end_at = now_ + end + with_.round_ns;
    agenda_.push({rank.end_at, ++count_, which, which, {which, moving::stop}, true});
  }

  const uts::tree& of_;
  const arguments& with_;
  std::vector<simulated> ranks_;
  std::priority_queue<happening, std::vector<happening>, std::greater<>> agenda_;
  std::int64_t now_ = 0;
  std::int64_t count_ = 0;
  outcome result_;
};

/// Processor time of a node, of a walk over the whole tree; how many there are.
std::pair<std::int64_t, std::int64_t> walked_by_one(const uts::tree& of) {
  const std::clock_t begin = std::clock();
  std::vector<uts::node> all = {uts::root_of(of)};
  const std::int64_t nodes = uts::walk(of, all, INT64_MAX);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return {nodes, static_cast<std::int64_t>(1e9 * seconds / static_cast<double>(nodes)) + 1};
}

bool run(arguments with) {
  uts::tree of = uts::trees[static_cast<std::size_t>(with.tree)];
  if (of.nodes == 0) of.root_seed = static_cast<std::uint32_t>(with.seed);
  const auto [nodes, node_ns] = walked_by_one(of);
  if (with.node_ns == 0) with.node_ns = node_ns;
  const outcome found = simulation(of, with).run();
  const double serial = static_cast<double>(nodes * with.node_ns) * 1e-9;
  const double seconds = static_cast<double>(found.ns) * 1e-9;
  std::printf(
      "tree_predict: prediction: %lld ranks x %lld workers, %lld nodes of %lld ns: %.4f s, speedup %.1f, "
      "%lld messages, %lld nodes moved, %.2f of the mean at most on a rank\n",
      static_cast<long long>(with.ranks), static_cast<long long>(with.workers), static_cast<long long>(nodes),
      static_cast<long long>(with.node_ns), seconds, serial / seconds, static_cast<long long>(found.messages),
      static_cast<long long>(found.moved),
      static_cast<double>(found.most_walked * with.ranks) / static_cast<double>(found.walked));
  return found.walked == nodes;
}

}  // namespace

int main(int argc, char** argv) {
  arguments with;
  const std::initializer_list<program::option> options = {
      {"--tree", "0: small geometric, 1: T1, 2: small binomial, 3: T3", &with.tree, 0, 3},
      {"--seed", "of the small trees", &with.seed, 0, 1'000'000'000},
      {"--walk", "nodes at a time below one", &with.walk, 1, 1'000'000'000},
      {"--given", "nodes in a message at most", &with.given, 1, 1'000'000},
      {"--ranks", "simulated", &with.ranks, 1, 65'536},
      {"--workers", "of each", &with.workers, 1, 1024},
      {"--node", "takes so many ns; 0: as measured here", &with.node_ns, 0, 1'000'000'000},
      {"--latency", "of a message, in ns", &with.latency_ns, 0, 1'000'000'000},
      {"--notice", "of a message, in ns, by the thread of the rank that gets it", &with.notice_ns, 0,
       1'000'000'000},
      {"--bandwidth", "in bytes for a microsecond", &with.bytes_per_us, 1, 1'000'000'000},
      {"--round", "of a rank takes so many ns beside the nodes", &with.round_ns, 0, 1'000'000'000}};
  try {
    if (program::read_options(argc, argv, options)) {
      program::print_help("tree_predict",
                          "Predicts tree_search on more ranks than there are. Needs no mpirun.", options);
      return 0;
    }
  } catch (const program::wrong_option& thrown) {
    std::fprintf(stderr, "tree_predict: %s\n", thrown.what());
    return 2;
  }
  try {
    if (run(with)) return 0;
    std::fprintf(stderr, "tree_predict: the result is wrong\n");
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s\n", thrown.what());
  }
  return 1;
}
