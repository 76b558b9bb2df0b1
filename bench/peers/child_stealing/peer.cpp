#include "peers/peer.hpp"

#include <nopal/version.hpp>

#include "peers/child_stealing/scheduler.hpp"
#include "programs/fork_join.hpp"
#include "runner/warm_up.hpp"

namespace bench::peer {
namespace {

struct root_task : child_stealing::task {
  const std::function<void()>* function;
};

child_stealing::counts counted;

}  // namespace

identity who() {
  return {.name = "child_stealing",
          .title = "children stolen, on this library's deque and stacks",
          .version = NOPAL_VERSION_STRING,
          .idiom =
              "tasks in the parent's frame, pooled where forks are in a loop; joins wait on their stacks"};
}

void run_with(int workers, const std::function<void()>& timed) {
  const std::function<void()> whole = [&] {
    warm_up<scope>(workers);
    timed();
  };
  root_task root{
      {[](child_stealing::task* begun) { (*static_cast<root_task*>(begun)->function)(); }, nullptr}, &whole};
  counted = child_stealing::run(workers, root);
}

void add_counts(run_record& record) {
  record.steals = counted.steals;
  record.failed_steals = counted.failed_steals;
  record.suspensions = counted.suspensions;
  record.pages_reclaimed = counted.pages_reclaimed;
  record.stacks_peak = counted.stacks.most_out;
  record.stack_pages_peak = counted.stacks.pages_peak;
}

}  // namespace bench::peer
