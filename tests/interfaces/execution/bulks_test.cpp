// bulk, bulk_chunked and bulk_unchunked as loops of Nopal.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "at_workers.hpp"

namespace {

using nopal::execution::get_scheduler;

NOPAL_AT_WORKERS(bulks);

TEST_P(bulks, visit_each_position_once) {
  constexpr int count = 10'000;
  std::vector<std::atomic<int>> plain(count);
  std::vector<std::atomic<int>> chunked(count);
  std::vector<std::atomic<int>> unchunked(count);
  ex::sync_wait(ex::schedule(get_scheduler()) |
                ex::bulk(ex::par, count, [&](int i) { ++plain[static_cast<std::size_t>(i)]; }) |
                ex::bulk_chunked(ex::par_unseq, static_cast<long>(count),
                                 [&](long from, long to) {
                                   for (; from != to; ++from) ++chunked[static_cast<std::size_t>(from)];
                                 }) |
                ex::bulk_unchunked(ex::par, static_cast<std::uint16_t>(count),
                                   [&](std::uint16_t i) { ++unchunked[i]; }));
  for (std::size_t i = 0; i != count; ++i) {
    ASSERT_EQ(plain[i].load(), 1);
    ASSERT_EQ(chunked[i].load(), 1);
    ASSERT_EQ(unchunked[i].load(), 1);
  }
}

TEST_P(bulks, of_nothing_call_nothing) {
  int calls = 0;
  const auto [kept] = ex::sync_wait(ex::just(4) | ex::continues_on(get_scheduler()) |
                                    ex::bulk(ex::par, 0, [&](int, int&) { ++calls; }) |
                                    ex::bulk_chunked(ex::par, -3, [&](int, int, int&) { ++calls; }) |
                                    ex::bulk_unchunked(ex::seq, 0U, [&](unsigned, int&) { ++calls; }))
                          .value();
  EXPECT_EQ(kept, 4);
  EXPECT_EQ(calls, 0);
}

/// The values are those that came, not copies, and go on.
TEST_P(bulks, pass_values_by_reference) {
  auto [numbers, alone] =
      ex::sync_wait(ex::just(std::vector<int>(100, 1), std::make_unique<int>(5)) |
                    ex::continues_on(get_scheduler()) |
                    ex::bulk(ex::par, 100,
                             [](int i, std::vector<int>& all, std::unique_ptr<int>& five) {
                               all[static_cast<std::size_t>(i)] += *five * i;
                             }))
          .value();
  for (int i = 0; i != 100; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], 1 + 5 * i);
  EXPECT_EQ(*alone, 5);
}

TEST_P(bulks, are_in_order_by_other_policies) {
  std::vector<int> seen;
  int chunks = 0;
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk(ex::seq, 100, [&](int i) { seen.push_back(i); }) |
                ex::bulk_unchunked(ex::unseq, 100, [&](int i) { seen.push_back(100 + i); }) |
                ex::bulk_chunked(ex::seq, 50, [&](int from, int to) { chunks += from == 0 && to == 50; }));
  ASSERT_EQ(seen.size(), 200U);
  for (int i = 0; i != 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(chunks, 1);
}

/// The bodies wait for one another, so as many threads as there are workers run them at the same time.
TEST_P(bulks, run_on_all_workers) {
  const int all = GetParam();
  std::atomic<int> there{0};
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk_unchunked(ex::par, all, [&](int) {
                  ++there;
                  while (there.load() < all) std::this_thread::yield();
                }));
  EXPECT_EQ(there.load(), all);
}

/// The same for waits of strands, and for as many operations.
TEST_P(bulks, leave_the_place_of_who_waits) {
  const int all = GetParam();
  std::atomic<int> there{0};
  nopal::execution::wait(ex::schedule(get_scheduler()) | ex::bulk_unchunked(ex::par, all, [&](int) {
                           ++there;
                           while (there.load() < all) std::this_thread::yield();
                         }));
  EXPECT_EQ(there.load(), all);
}

/// As many threads compute as there are workers, where a thread of the program waits.
TEST_P(bulks, run_on_no_more_than_all_workers) {
  if (GetParam() == 1) return;  // its substitutes may change while one ends
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  nopal::execution::wait(ex::schedule(get_scheduler()) | ex::bulk_unchunked(ex::par, 100, [&](int) {
                           const int now = ++inside;
                           int seen = most.load();
                           while (now > seen && !most.compare_exchange_weak(seen, now)) {
                           }
                           std::this_thread::sleep_for(std::chrono::milliseconds(2));
                           --inside;
                         }));
  EXPECT_LE(most.load(), GetParam());
}

TEST_P(bulks, send_the_exception_of_the_first_position) {
  for (int round = 0; round != 20; ++round) {
    try {
      ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk(ex::par, 1000, [](int i) {
                      if (i % 100 == 37) throw i;
                    }));
      FAIL() << "nothing was thrown";
    } catch (int first) {
      EXPECT_EQ(first, 37);
    }
  }
}

TEST_P(bulks, have_no_error_where_nothing_throws) {
  auto quiet = ex::schedule(get_scheduler()) | ex::bulk(ex::par, 10, [](int) noexcept {});
  auto loud = ex::schedule(get_scheduler()) | ex::bulk(ex::par, 10, [](int) {});
  using token = ex::prop<ex::get_stop_token_t, ex::inplace_stop_token>;
  EXPECT_FALSE((ex::sends_stopped<decltype(quiet), ex::env<>>));
  EXPECT_TRUE((ex::sends_stopped<decltype(quiet), token>));
  EXPECT_TRUE((std::is_same_v<ex::error_types_of_t<decltype(quiet), ex::env<>, std::tuple>, std::tuple<>>));
  EXPECT_TRUE((std::is_same_v<ex::error_types_of_t<decltype(loud), ex::env<>, std::tuple>,
                              std::tuple<std::exception_ptr>>));
}

/// It is stopped long before its end, by a token of either kind.
template <class Source, class Token>
void expect_stopped(Source& source, const Token& token) {
  std::atomic<long> visited{0};
  constexpr long count = 1L << 40;
  const auto result =
      nopal::execution::wait(ex::schedule(get_scheduler()) | ex::bulk(ex::par, count,
                                                                      [&](long) noexcept {
                                                                        if (++visited == 1000)
                                                                          source.request_stop();
                                                                      }),
                             token);
  EXPECT_FALSE(result.has_value());
  EXPECT_LT(visited.load(), count);
}

TEST_P(bulks, end_soon_after_a_stop) {
  ex::inplace_stop_source in_place;
  expect_stopped(in_place, in_place.get_token());
#ifdef __cpp_lib_jthread
  std::stop_source shared;
  expect_stopped(shared, shared.get_token());
#endif
}

TEST_P(bulks, do_not_begin_where_stopped_before) {
  ex::inplace_stop_source source;
  bool ran = false;
  const auto result = nopal::execution::wait(ex::schedule(get_scheduler()) | ex::then([&source] {
                                               source.request_stop();
                                             }) | ex::bulk(ex::par, 100, [&ran](int) { ran = true; }),
                                             source.get_token());
  EXPECT_FALSE(result.has_value());
  EXPECT_FALSE(ran);
}

/// The bodies' code asks as in any scope that can be stopped.
TEST_P(bulks, tell_their_bodies_of_a_stop) {
  ex::inplace_stop_source source;
  const auto result = nopal::execution::wait(ex::schedule(get_scheduler()) |
                                                 ex::bulk_unchunked(ex::par, 2,
                                                                    [&source](int) {
                                                                      source.request_stop();
                                                                      while (!nopal::stop_requested())
                                                                        std::this_thread::yield();
                                                                    }),
                                             source.get_token());
  EXPECT_FALSE(result.has_value());
}

TEST_P(bulks, may_be_nested) {
  std::atomic<long> sum{0};
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk(ex::par, 30, [&](int) {
                  nopal::execution::wait(ex::schedule(get_scheduler()) |
                                         ex::bulk(ex::par, 100, [&](int j) { sum += j; }));
                }));
  EXPECT_EQ(sum.load(), 30L * 4950);
}

/// The stop was there before they would begin.
TEST_P(bulks, in_order_do_not_begin_where_stopped_before) {
  const auto expect_no_call = [](auto with_bulk) {
    ex::inplace_stop_source source;
    bool ran = false;
    const auto result = nopal::execution::wait(
        with_bulk(ex::schedule(get_scheduler()) | ex::then([&source] { source.request_stop(); }), ran),
        source.get_token());
    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(ran);
  };
  expect_no_call(
      [](auto before, bool& ran) { return before | ex::bulk(ex::seq, 10, [&ran](int) { ran = true; }); });
  expect_no_call([](auto before, bool& ran) {
    return before | ex::bulk_unchunked(ex::seq, 10, [&ran](int) { ran = true; });
  });
}

TEST_P(bulks, take_counts_of_any_type) {
  std::atomic<int> calls{0};
  const auto count_in = [&calls](auto) { ++calls; };
  ex::sync_wait(ex::schedule(get_scheduler()) | ex::bulk_unchunked(ex::par, true, count_in) |
                ex::bulk(ex::par, static_cast<signed char>(127), count_in) |
                ex::bulk(ex::seq, static_cast<unsigned char>(255), count_in) |
                ex::bulk_unchunked(ex::par, L'\x100', count_in));
  EXPECT_EQ(calls.load(), 1 + 127 + 255 + 256);
}

#if defined(__SIZEOF_INT128__) && !defined(__STRICT_ANSI__)
/// More positions than a loop of Nopal has.
TEST_P(bulks, are_longer_than_any_loop) {
  __extension__ using wide = unsigned __int128;
  const wide count = (wide{1} << 64U) + 3;
  ex::inplace_stop_source source;
  const auto result = nopal::execution::wait(ex::schedule(get_scheduler()) |
                                                 ex::bulk_chunked(ex::par, count,
                                                                  [&source](wide, wide to) noexcept {
                                                                    if (to > 3) source.request_stop();
                                                                  }),
                                             source.get_token());
  EXPECT_FALSE(result.has_value());  // it was not the three positions that are left of 64 bits
}
#endif

/// As lvalues and twice.
TEST_P(bulks, may_be_connected_again) {
  std::atomic<int> calls{0};
  const auto sender = ex::schedule(get_scheduler()) | ex::bulk(ex::par, 10, [&calls](int) { ++calls; });
  ex::sync_wait(sender);
  ex::sync_wait(sender);
  EXPECT_EQ(calls.load(), 20);
}

}  // namespace
