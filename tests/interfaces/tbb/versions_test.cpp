// The version of oneTBB that programs find: that of its own headers, where these are installed. A file beside this one stands
// for them.
#include <oneapi/tbb/version.h>
#include <tbb/parallel_for.h>

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace {

#ifdef NOPAL_TBB_WITHOUT_ONETBB
constexpr int year = 2021;
constexpr int update = 8;
constexpr int patch = 0;
constexpr int interface_version = 12080;
const char* const text = "2021.8.0";
#else
constexpr int year = 2029;
constexpr int update = 3;
constexpr int patch = 1;
constexpr int interface_version = 12930;
const char* const text = "2029.3.1";
#endif

static_assert(TBB_VERSION_MAJOR == year && TBB_VERSION_MINOR == update && TBB_VERSION_PATCH == patch);
static_assert(TBB_INTERFACE_VERSION == interface_version);
static_assert(TBB_INTERFACE_VERSION_MAJOR == interface_version / 1000 &&
              TBB_INTERFACE_VERSION_MINOR == interface_version % 1000 / 10);

TEST(versions, are_those_of_the_headers_also_when_the_program_runs) {
  EXPECT_STREQ(TBB_VERSION_STRING, text);
  EXPECT_STREQ(TBB_runtime_version(), text);
  EXPECT_EQ(TBB_runtime_interface_version(), interface_version);
  EXPECT_FALSE(std::string(TBB_VERSION_STRING).empty());
}

TEST(versions, change_nothing_of_what_runs) {
  EXPECT_EQ(NOPAL_COMPAT_TBB, 1);
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 1000, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1000);
}

}  // namespace
