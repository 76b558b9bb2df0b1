#include "programs/graph.hpp"

#include <algorithm>
#include <numeric>

#include "programs/random.hpp"

namespace bench {

using vertex = graph::vertex;

graph::graph(const edge_list& from)
    : first_(static_cast<std::size_t>(from.vertices) + 1), neighbours_(from.edges.size()) {
  for (const auto& edge : from.edges) ++first_[static_cast<std::size_t>(edge.first) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [tail, head] : from.edges)
    neighbours_[next[static_cast<std::size_t>(tail)]++] = static_cast<vertex>(head);
}

vertex graph::busiest() const {
  vertex best = 0;
  for (vertex each = 1; each < vertices(); ++each) {
    if (neighbours(each).size() > neighbours(best).size()) best = each;
  }
  return best;
}

graph grid_graph(std::int64_t side) {
  const auto n = static_cast<std::int32_t>(side);
  const std::int32_t count = n * n * n;
  std::vector<std::size_t> first = {0};
  std::vector<vertex> neighbours;
  first.reserve(static_cast<std::size_t>(count) + 1);
  neighbours.reserve(6 * static_cast<std::size_t>(count));
  for (std::int32_t at = 0; at < count; ++at) {
    for (const std::int32_t step : {1, n, n * n}) {
      const std::int32_t along = at / step % n;
      if (along > 0) neighbours.push_back(static_cast<vertex>(at - step));
      if (along < n - 1) neighbours.push_back(static_cast<vertex>(at + step));
    }
    first.push_back(neighbours.size());
  }
  return {std::move(first), std::move(neighbours)};
}

graph rmat_graph(std::int64_t scale, std::uint64_t seed) {
  // Of 2^16: both numbers get a 0; the row gets a 0 and the column a 1; the other way round; else both get a 1.
  constexpr std::uint64_t both_low = 37355;
  constexpr std::uint64_t row_low = both_low + 12452;
  constexpr std::uint64_t column_low = row_low + 12452;
  constexpr int bits_of_choice = 16;
  random_sequence random(seed);
  edge_list list{std::int32_t{1} << scale, {}};
  const std::size_t count = std::size_t{16} << scale;
  list.edges.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t row = 0;
    std::int32_t column = 0;
    std::uint64_t bits = 0;
    for (std::int64_t level = 0; level < scale; ++level, bits >>= bits_of_choice) {
      if (level % (64 / bits_of_choice) == 0) bits = random.next();
      const std::uint64_t choice = bits & 0xffff;
      row = 2 * row + (choice >= row_low ? 1 : 0);
      column = 2 * column + (choice >= column_low || (choice >= both_low && choice < row_low) ? 1 : 0);
    }
    list.edges.emplace_back(row, column);
    list.edges.emplace_back(column, row);
  }
  return graph(list);
}

distances search_serially(const graph& in) {
  distances found(in.vertices(), unreached);
  if (found.empty()) return found;
  std::vector<vertex> queue = {in.busiest()};
  found[queue.front()] = 0;
  for (std::size_t taken = 0; taken < queue.size(); ++taken) {
    const vertex at = queue[taken];
    for (const vertex next : in.neighbours(at)) {
      if (found[next] != unreached) continue;
      found[next] = found[at] + 1;
      queue.push_back(next);
    }
  }
  return found;
}

namespace {

/// The chunks that in_halves makes of `length` numbers.
std::size_t chunks(std::size_t length, std::size_t most) {
  if (length <= most) return length > 0 ? 1 : 0;
  return chunks(length / 2, most) + chunks(length - length / 2, most);
}

}  // namespace

search_facts facts_of(const graph& in, std::ptrdiff_t grain, std::size_t block) {
  const distances found = search_serially(in);
  const auto most = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, grain));
  search_facts facts{in.vertices(), in.edges(), 0, 0, 0};
  std::vector<std::size_t> sizes;
  for (vertex at = 0; at < in.vertices(); ++at) {
    if (found[at] == unreached) continue;
    ++facts.reached;
    const auto layer = static_cast<std::size_t>(found[at]);
    if (layer >= sizes.size()) sizes.resize(layer + 1);
    ++sizes[layer];
    // A vertex with many edges forks, and after that its block looks its view up again.
    const std::size_t edges = in.neighbours(at).size();
    if (edges > most) facts.lookups += chunks(edges, most) + 1;
  }
  facts.layers = static_cast<std::int32_t>(sizes.size());
  // One for each block, and one to take the next layer.
  for (const std::size_t size : sizes) facts.lookups += (size + block - 1) / block + 1;
  return facts;
}

}  // namespace bench
