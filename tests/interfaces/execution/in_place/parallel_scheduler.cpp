// Has the parallel scheduler of a test that leaves the choice to its program begin work on Nopal's workers.
#define STDEXEC_PARALLEL_SCHEDULER_HEADER_ONLY 1
#include <nopal/execution.hpp>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {
[[maybe_unused]] const auto before = STDEXEC::parallel_scheduler_replacement::set_parallel_scheduler_backend(
    nopal::execution::parallel_scheduler_backend);
}
