// The processors of this rank, and those that others of its node share with it.
#ifndef NOPAL_MPI_BINDING_HPP
#define NOPAL_MPI_BINDING_HPP

#include <array>
#include <climits>
#include <cstddef>
#include <span>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

inline constexpr std::size_t most_processors = 8192;  // as many as Linux can be built for

/// A bit for each.
using processor_set = std::array<unsigned long, most_processors / (sizeof(unsigned long) * CHAR_BIT)>;

/// The part of `own` that is left to a rank if those of `all`, of which it is one, share each processor evenly.
double share_of(const processor_set& own, std::span<const processor_set> all);

/// Of the processors that this rank may run on, the part that is its own if ranks of the node which may run
/// on the same ones share them evenly: 1 for ranks that are bound apart. On the session's thread, by all
/// ranks.
double share_of_processors();

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
