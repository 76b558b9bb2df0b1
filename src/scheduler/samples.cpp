// The thread that has forks of a traced process noted. It poisons the limit of each worker's deque, as whoever wants something of
// a running owner does, so that what is not traced pays nothing and what is traced pays for the forks that are noted.

#include "scheduler/samples.hpp"

#include <climits>

#include "deque/deque.hpp"
#include "os/os.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/runtime.hpp"
#include "trace/trace.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::uint64_t interval_ns = 2'000'000;
/// After so many it asks whether the program still has threads.
constexpr unsigned looks_before_question = 32;

constinit std::atomic<std::uint32_t> is_over{0};
constinit std::atomic<int> sampler_id{0};
constinit int process = 0;
constinit bool has_left = false;  ///< under the runtime's lock, as what starts the thread
os::thread_handle sampler;

void sample(void*) {
  os::name_current_thread("nopal-trace");
  // Relaxed: `stop_samples` asks whether it runs here.
  sampler_id.store(os::current_thread_id(), std::memory_order_relaxed);
  // Relaxed: nothing is read that comes before the end.
  for (unsigned looks = 1; is_over.load(std::memory_order_relaxed) == 0; ++looks) {
    os::futex_wait_for(is_over, 0, interval_ns);
    runtime& all = the_runtime();
    const locked guard(all);
    // It is not to keep the process.
    if (looks % looks_before_question == 0 && no_thread_is_left(all)) {
      has_left = true;
      return;
    }
    for_each_worker(all, [](worker* one) {
      // Not the first fork of whoever gets a strand next: these would be more than their part.
      const bool runs = get(one->deque.strand.stack) != nullptr;
      one->notes_fork.store(runs, std::memory_order_relaxed);
      if (runs) {
        deque::poison(one->deque);
      }
    });
  }
}

}  // namespace

void start_samples() noexcept {
  if (!trace::is_on || (process != 0 && !has_left) || is_over.load(std::memory_order_relaxed) != 0) {
    return;
  }
  if (has_left) {
    os::join_thread(sampler);  // it waits for nothing more
    has_left = false;
  }
  process = os::process_number();
  static_cast<void>(os::start_thread(sample, nullptr, 64 << 10, sampler));
}

void stop_samples() noexcept {
  if (!sampler.joinable() || process != os::process_number()) {
    return;
  }
  {
    const locked guard(the_runtime());  // nobody starts it again
    is_over.store(1, std::memory_order_relaxed);
  }
  os::futex_wake(is_over, INT_MAX);
  // As the last thread of all it may come here itself.
  if (sampler_id.load(std::memory_order_relaxed) != os::current_thread_id()) {
    os::join_thread(sampler);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
