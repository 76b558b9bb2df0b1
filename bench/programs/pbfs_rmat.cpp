// Parallel breadth-first search of a random graph with few layers, where few vertices have most of the edges.
#include "parallel_search.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

class pbfs_rmat_instance final : public search_instance {
public:
  explicit pbfs_rmat_instance(const input& with)
      : search_instance(rmat_graph(with.size, with.seed), with.grain) {}
};

}  // namespace

const program pbfs_rmat_program = {
    .name = "pbfs-rmat",
    .summary = "breadth-first search of a random graph with bags as reducers",
    .size =
        {.meaning = "s: 2^s vertices, 16 edges each", .usual = 18, .quick = 13, .paper = 23, .largest = 24},
    .grain = search_grain,
    .prepare = prepare<pbfs_rmat_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
