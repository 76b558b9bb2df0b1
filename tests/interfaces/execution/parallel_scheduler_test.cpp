// The standard's parallel scheduler, replaced by the program.
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "at_workers.hpp"

namespace replacement = ex::parallel_scheduler_replacement;

auto replacement::query_parallel_scheduler_backend()
    -> std::shared_ptr<replacement::parallel_scheduler_backend> {
  return nopal::execution::parallel_scheduler_backend();
}

namespace {

NOPAL_AT_WORKERS(parallel_scheduler);

TEST_P(parallel_scheduler, begins_work_on_workers) {
  const std::thread::id here = std::this_thread::get_id();
  const auto [there, index] =
      ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()) |
                    ex::let_value([] { return ex::just(std::this_thread::get_id(), nopal::worker_index()); }))
          .value();
  EXPECT_NE(here, there);
  EXPECT_GE(index, 0);
  EXPECT_EQ(ex::get_parallel_scheduler(), ex::get_parallel_scheduler());
}

TEST_P(parallel_scheduler, has_loops_for_bulks) {
  std::vector<std::atomic<int>> visits(5000);
  std::atomic<int> each{0};
  const auto [kept] =
      ex::sync_wait(
          ex::just(3) | ex::continues_on(ex::get_parallel_scheduler()) |
          ex::bulk(ex::par, 5000, [&](int i, int three) { visits[static_cast<std::size_t>(i)] += three; }) |
          ex::bulk_unchunked(ex::par, 100, [&](std::size_t, int) { ++each; }))
          .value();
  EXPECT_EQ(kept, 3);
  for (const std::atomic<int>& one : visits) ASSERT_EQ(one.load(), 3);
  EXPECT_EQ(each.load(), 100);
}

/// The bulk asks for the scheduler in the strand's environment, which has to have room (STDEXEC_TASK_SCHEDULE_OPSTATE_SIZE).
TEST_P(parallel_scheduler, is_waited_for_by_strands) {
  std::atomic<long> sum{0};
  nopal::parallel_for(0, 20, [&](int) {
    const auto [three] =
        nopal::execution::wait(ex::schedule(ex::get_parallel_scheduler()) |
                               ex::bulk(ex::par, 100, [&](long i) { sum += i; }) | ex::then([] { return 3; }))
            .value();
    sum += three;
  });
  EXPECT_EQ(sum.load(), 20 * (4950 + 3));
}

TEST_P(parallel_scheduler, begins_no_bulk_for_strands_whose_token_is_stopped) {
  ex::inplace_stop_source source;
  std::atomic<bool> begun{false};
  const auto work = ex::schedule(ex::get_parallel_scheduler()) | ex::then([&] { source.request_stop(); }) |
                    ex::bulk(ex::par, 100, [&](int) { begun = true; });
  EXPECT_FALSE(nopal::execution::wait(work, source.get_token()).has_value());
  // The same in front of a bulk of our own.
  const auto both = ex::schedule(ex::get_parallel_scheduler()) |
                    ex::bulk(ex::par, 100, [&](int) { begun = true; }) |
                    ex::continues_on(nopal::execution::get_scheduler()) | ex::bulk(ex::par, 10, [](int) {});
  EXPECT_FALSE(nopal::execution::wait(both, source.get_token()).has_value());
  EXPECT_FALSE(begun.load());
}

/// From a thread that is no worker, and with memory of any size.
struct items final : replacement::bulk_item_receiver_proxy {
  std::atomic<long> sum{0};
  std::atomic<int> done{0};
  ex::inplace_stop_source source;
  std::size_t stops_at = ~std::size_t{0};
  std::atomic<int> stopped{0};
  void execute(std::size_t from, std::size_t to) noexcept override {
    for (; from != to; ++from) {
      sum += static_cast<long>(from);
      if (from >= stops_at) source.request_stop();
    }
  }
  void set_value() noexcept override { ++done; }
  void set_error(std::exception_ptr /*thrown*/) noexcept override {}
  void set_stopped() noexcept override {
    ++stopped;
    ++done;
  }
  void __query_env(ex::__type_index query, ex::__type_index value, void* to) const noexcept override {
    if (query == ex::__mtypeid<ex::get_stop_token_t> && value == ex::__mtypeid<ex::inplace_stop_token>) {
      *static_cast<std::optional<ex::inplace_stop_token>*>(to) = source.get_token();
    }
  }
};

TEST_P(parallel_scheduler, takes_the_memory_that_it_is_given) {
  const auto backend = nopal::execution::parallel_scheduler_backend();
  const auto pass = [&backend] {
    for (const std::size_t size : {0, 72, 152, 256}) {
      alignas(16) std::byte memory[257];
      items receiver;
      backend->schedule_bulk_chunked(1000, receiver, std::span<std::byte>(memory + size % 16 / 8, size));
      while (receiver.done.load() != 1) std::this_thread::yield();
      backend->schedule_bulk_unchunked(1000, receiver, std::span<std::byte>(memory + 1, size));
      while (receiver.done.load() != 2) std::this_thread::yield();
      backend->schedule(receiver, std::span<std::byte>(memory, size));
      while (receiver.done.load() != 3) std::this_thread::yield();
      EXPECT_EQ(receiver.sum.load(), 2 * 499500L);
      EXPECT_EQ(receiver.stopped.load(), 0);
    }
  };
  EXPECT_EQ(allocations_in_the_end(1, pass), 0);
}

TEST_P(parallel_scheduler, is_stopped) {
  const auto backend = nopal::execution::parallel_scheduler_backend();
  items receiver;
  receiver.stops_at = 0;
  backend->schedule_bulk_chunked(std::size_t{1} << 40U, receiver, {});
  while (receiver.done.load() != 1) std::this_thread::yield();
  backend->schedule(receiver, {});
  while (receiver.done.load() != 2) std::this_thread::yield();
  EXPECT_EQ(receiver.stopped.load(), 2);
}

}  // namespace
