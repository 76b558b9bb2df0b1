// The processors of this rank.
#include "mpi/binding.hpp"

#include <sched.h>

#include <cstddef>
#include <vector>

#include <nopal/mpi.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

namespace {

/// All zero where the system does not say.
processor_set own_processors() {
  processor_set own{};
  if (sched_getaffinity(0, sizeof own, reinterpret_cast<cpu_set_t*>(own.data())) != 0) own.fill(0);
  return own;
}

/// The sets of all ranks that share this one's memory.
std::vector<processor_set> sets_of_node(const processor_set& own) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int ranks = 0;
  check(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
  std::vector<processor_set> all(static_cast<std::size_t>(ranks));
  constexpr int bytes = sizeof(processor_set);
  check(MPI_Allgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, node), "MPI_Allgather");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return all;
}

}  // namespace

double share_of(const processor_set& own, std::span<const processor_set> all) {
  double shares = 0;
  int processors = 0;
  for (std::size_t word = 0; word < own.size(); ++word) {
    for (unsigned long left = own[word]; left != 0; left &= left - 1) {
      const unsigned long processor = left & (~left + 1);
      int ranks = 0;
      for (const processor_set& one : all) ranks += (one[word] & processor) != 0 ? 1 : 0;
      shares += 1.0 / ranks;
      ++processors;
    }
  }
  return processors == 0 ? 1.0 / static_cast<double>(all.size()) : shares / processors;
}

double share_of_processors() {
  const processor_set own = own_processors();
  return share_of(own, sets_of_node(own));
}

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
