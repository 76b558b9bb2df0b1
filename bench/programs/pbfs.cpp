// Parallel breadth-first search of a regular graph, with many layers, or of one from a file.
#include "parallel_search.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

class pbfs_instance final : public search_instance {
public:
  explicit pbfs_instance(const input& with)
      : search_instance(with.matrix_file.empty() ? grid_graph(with.size)
                                                 : graph(read_graph(with.matrix_file)),
                        with.grain) {}
};

}  // namespace

const program pbfs_program = {
    .name = "pbfs",
    .summary = "breadth-first search of a grid, or of a graph from a file, with bags as reducers",
    .size = {.meaning = "side of a grid in space", .usual = 150, .quick = 40, .paper = 200, .largest = 300},
    .grain = search_grain,
    .prepare = prepare<pbfs_instance>,
    .reads_matrix = matrix_kind::graph,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
