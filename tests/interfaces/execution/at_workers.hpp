// The tests of senders run on one worker, on two, and on more than most machines have CPUs.
#ifndef NOPAL_TESTS_EXECUTION_AT_WORKERS_HPP
#define NOPAL_TESTS_EXECUTION_AT_WORKERS_HPP

#include <nopal/execution.hpp>
#include <nopal/nopal.hpp>

#include <gtest/gtest.h>

namespace ex = STDEXEC;

/// A test of its own process, so the runtime has not begun.
class at_workers : public testing::TestWithParam<int> {
protected:
  void SetUp() override { nopal::configure({.workers = GetParam()}); }
};

#define NOPAL_AT_WORKERS(group)                                                                              \
  using group = at_workers;                                                                                  \
  INSTANTIATE_TEST_SUITE_P(execution, group, testing::Values(1, 2, 7), testing::PrintToStringParamName())

#endif
