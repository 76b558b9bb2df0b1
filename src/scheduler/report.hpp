// What a run of the program is told about its workers.
#ifndef NOPAL_SCHEDULER_REPORT_HPP
#define NOPAL_SCHEDULER_REPORT_HPP

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Prints what each worker does.
extern "C" NOPAL_EXPORT void nopal_print_workers() noexcept;

/// Prints the table of NOPAL_STATS=1.
void print_statistics() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
