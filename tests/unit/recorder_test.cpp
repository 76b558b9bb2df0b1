// Recording a serial run, and the law fitted to times.
#define NOPAL_PROGRAM_VARIANT recorder_test
#include "record/scope.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "simulate/fit.hpp"

namespace {

using bench::recorder_test::scope;
using recording::event_kind;
using recording::graph;
using recording::not_recorded;
using recording::recorder;

int fib(int n) {
  if (n < 2) return n;
  int x = 0;
  scope s;
  s.fork_into(x, fib, n - 1);
  const int y = fib(n - 2);
  s.join();
  return x + y;
}

template <class F>
recorder recorded(std::size_t most_events, int runs, F program) {
  recorder notes(most_events);
  for (int i = 0; i < runs; ++i) {
    notes.begin_run();
    program();
    notes.finish_run();
  }
  return notes;
}

TEST(Recorder, GraphOfARecursion) {
  const recorder notes = recorded(1000, 3, [] { fib(5); });
  const graph of = notes.make_graph(0, 1'000'000);
  EXPECT_EQ(of.forks, 7U);
  EXPECT_EQ(of.scopes, 7U);
  EXPECT_EQ(of.events.size(), 3 * 7 + 1U);
  EXPECT_NEAR(static_cast<double>(recording::work_of(of)), 1e6, 1e3);
  EXPECT_LT(recording::span_of(of), recording::work_of(of));
  EXPECT_EQ(of.events.front().kind(), event_kind::fork);
  EXPECT_EQ(of.events[of.events.front().partner].partner, 0U);
}

TEST(Recorder, AScopeWithoutAJoinIsJoinedAtItsEnd) {
  const recorder notes = recorded(100, 1, [] {
    scope s;
    s.fork([] {});
    s.fork([] {});
  });
  const graph of = notes.make_graph(0, 1000);
  EXPECT_EQ(of.scopes, 1U);
  EXPECT_EQ(of.events[4].kind(), event_kind::join);
}

TEST(Recorder, AScopeUsedAgainCountsAgain) {
  const recorder notes = recorded(100, 1, [] {
    scope s;
    s.join();
    s.fork([] {});
    s.join();
    s.fork([] {});
    s.join();
  });
  EXPECT_EQ(notes.make_graph(0, 1000).scopes, 2U);
}

TEST(Recorder, CountsWithoutKeeping) {
  recorder notes(22, recorder::keep::count_only);
  notes.begin_run();
  fib(5);
  notes.finish_run();
  EXPECT_EQ(notes.events(), 3 * 7 + 1U);
  EXPECT_THROW(std::ignore = notes.make_graph(0, 1000), not_recorded);
}

TEST(Recorder, StopsAProgramThatIsTooLarge) {
  for (std::size_t most = 0; most < 21; ++most) {
    recorder notes(most);
    notes.begin_run();
    EXPECT_THROW(fib(5), recording::too_many_events) << most;
  }
}

TEST(Recorder, RefusesScopesThatInterleave) {
  const recorder notes = recorded(100, 1, [] {
    scope s;
    scope t;
    s.fork([] {});
    t.fork([] {});
    s.join();
    t.join();
  });
  EXPECT_THROW(std::ignore = notes.make_graph(0, 1000), not_recorded);
}

TEST(Recorder, RefusesRunsThatDiffer) {
  int n = 5;
  const recorder notes = recorded(100, 2, [&n] { fib(n--); });
  EXPECT_THROW(std::ignore = notes.make_graph(0, 1000), not_recorded);
}

TEST(Fit, FindsTheConstantsOfExactTimes) {
  std::vector<simulate::time_point> points;
  for (const double work : {1.0, 10.0, 1000.0}) {
    for (const double span : {0.5, 1.0, 3.0}) points.push_back({work, span, 1.07 * work + 2.5 * span});
  }
  const simulate::time_fit fit = simulate::fit_times(points);
  EXPECT_NEAR(fit.work_constant, 1.07, 1e-9);
  EXPECT_NEAR(fit.span_constant, 2.5, 1e-9);
  EXPECT_NEAR(fit.r_squared, 1, 1e-9);
  EXPECT_NEAR(fit.mean_relative_error, 0, 1e-9);
  EXPECT_NEAR(simulate::greatest_span_constant(points), 2.5 + 0.07 * 2000, 1e-6);
}

TEST(Fit, SaysNothingWhereTheTermsCannotBeToldApart) {
  const std::vector<simulate::time_point> points = {{1, 2, 3}, {2, 4, 6}};
  EXPECT_EQ(simulate::fit_times(points).work_constant, 0);
  EXPECT_EQ(simulate::fit_times({}).points, 0U);
}

}  // namespace
