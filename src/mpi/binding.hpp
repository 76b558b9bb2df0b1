// The processors of this rank, and those that others of its node share with it.
#ifndef NOPAL_MPI_BINDING_HPP
#define NOPAL_MPI_BINDING_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

/// Of the processors that this rank may run on, the part that is its own if ranks of the node which may run
/// on the same ones share them evenly: 1 for ranks that are bound apart. On the session's thread, by all
/// ranks.
double share_of_processors();

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
