// The library's own walk over a thread's stack, against that of the compiler's runtime: the same return addresses, and the same values in the
// registers that calls preserve, over frames of every kind.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "arch/arch.hpp"
#include "os/unwind_tables.hpp"
#include "support/frames.hpp"

namespace {

namespace arch = nopal::internal::arch;

/// One function on the stack.
struct seen {
  std::uint64_t ip;
  std::uint64_t preserved[6];  // rbx, rbp, r12, r13, r14, r15
  friend bool operator==(const seen&, const seen&) = default;
};
constexpr std::size_t most_seen = 2000;

struct stack_seen {
  seen at[most_seen];
  std::size_t count = 0;
};

_Unwind_Reason_Code note(_Unwind_Context* context, void* to) {
  auto& all = *static_cast<stack_seen*>(to);
  const std::uint64_t ip = _Unwind_GetIP(context);
  if (ip == 0 || all.count == most_seen) return _URC_END_OF_STACK;
  seen& one = all.at[all.count++];
  one.ip = ip;
  constexpr int columns[] = {3, 6, 12, 13, 14, 15};
  for (int i = 0; i < 6; ++i) one.preserved[i] = _Unwind_GetGR(context, columns[i]);
  return _URC_NO_REASON;
}

std::uint64_t end_of_this_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  EXPECT_EQ(pthread_attr_getstack(&attributes, &low, &bytes), 0);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uint64_t>(low) + bytes;
}

/// Why the library's walk ended.
struct walked {
  arch::code last = arch::code::ordinary;
  arch::step step = arch::step::done;
};

walked walk(arch::registers at, bool looks_up, stack_seen& all) {
  const std::uint64_t end = end_of_this_stack();
  walked how;
  while (all.count < most_seen) {
    const arch::place here = arch::look(at, false, looks_up);
    how.last = here.kind;
    all.at[all.count++] = {at.ip, {at.rbx, at.rbp, at.r12, at.r13, at.r14, at.r15}};
    if (how.last != arch::code::ordinary) return how;
    how.step = arch::step_out(at, here, false, looks_up, end);
    if (how.step != arch::step::done) return how;
  }
  return how;
}

// Too large for the stacks of some tests, and used by one thread at a time.
stack_seen ours;
stack_seen theirs;

/// Both walks from here see the same. The first function is this one, in two places.
[[gnu::noinline]] void compare_walks() {
  ours.count = 0;
  theirs.count = 0;
  arch::registers here;
  arch::nopal_registers_here(&here);
  const walked how = walk(here, true, ours);
  _Unwind_Backtrace(note, &theirs);
  ASSERT_EQ(how.last, arch::code::outermost) << ours.count;
  ASSERT_EQ(ours.count, theirs.count);
  ASSERT_GT(ours.count, 3U);
  for (std::size_t i = 1; i < ours.count; ++i) ASSERT_EQ(ours.at[i].ip, theirs.at[i].ip) << i;
  for (std::size_t i = 1; i < ours.count; ++i) {
    for (int reg = 0; reg < 6; ++reg) {
      ASSERT_EQ(ours.at[i].preserved[reg], theirs.at[i].preserved[reg]) << i << ' ' << reg;
    }
  }
}

[[gnu::noinline]] void through_frames(int kinds, int depth) {
  if (depth == 0) return compare_walks();
  // Values that are kept in registers over the call.
  volatile long seed = depth;
  const long a = seed * 3;
  const long b = seed * 5;
  const long c = seed * 7;
  support::frames[kinds % support::frame_kinds](
      [=] { through_frames(kinds / support::frame_kinds, depth - 1); });
  EXPECT_EQ(a + b + c, 15L * depth);
}

class unwinding : public testing::Test {
protected:
  void SetUp() override {
    if (!nopal::internal::os::finds_unwind_entries()) GTEST_SKIP() << "the C library has no _dl_find_object";
    nopal::internal::os::note_lasting_objects();
    nopal::internal::arch::find_tables_by(nopal::internal::os::find_unwind_entry);
  }
};

TEST_F(unwinding, sees_what_the_compilers_runtime_sees) { compare_walks(); }

TEST_F(unwinding, goes_over_frames_of_all_kinds) {
  for (int kind = 0; kind < support::frame_kinds; ++kind) through_frames(kind, 1);
}

TEST_F(unwinding, goes_over_all_pairs_of_frames) {
  for (int kinds = 0; kinds < support::frame_kinds * support::frame_kinds; ++kinds) through_frames(kinds, 2);
}

TEST_F(unwinding, goes_over_many_frames) {
  for (int round = 0; round < 3; ++round) through_frames(0x12345670 + round, 40);
}

TEST_F(unwinding, ends_where_a_thread_began) {
  std::thread([] { compare_walks(); }).join();
  std::thread([] { through_frames(7 * 64 + 3 * 8 + 5, 3); }).join();
}

/// With steps that were kept alone: the same, or the walk says that something was not kept. Two steps may
/// want one place, by their addresses; so each is also looked up right before it is to be there.
TEST_F(unwinding, of_what_was_kept_needs_no_tables) {
  const auto by_kept_steps = [](bool all_are_kept) {
    arch::registers here;
    arch::nopal_registers_here(&here);
    theirs.count = 0;
    ours.count = 0;
    walk(here, true, theirs);
    const walked how = walk(here, false, ours);
    EXPECT_EQ(how.last == arch::code::outermost, ours.count == theirs.count);
    EXPECT_TRUE(how.last == arch::code::outermost || how.last == arch::code::not_looked_up);
    for (std::size_t i = 0; i < ours.count; ++i) EXPECT_EQ(ours.at[i], theirs.at[i]) << i;

    const std::uint64_t end = end_of_this_stack();
    std::size_t count = 0;
    for (arch::code last = arch::code::ordinary; last == arch::code::ordinary && count < most_seen; ++count) {
      EXPECT_EQ(here.ip, theirs.at[count].ip) << count;
      const arch::place looked_up = arch::look(here, false, true);
      last = looked_up.kind;
      if (last != arch::code::ordinary) continue;
      const arch::place kept = arch::look(here, false, false);
      if (looked_up.way_out != 0) {
        EXPECT_EQ(kept.kind, last) << count;
        EXPECT_EQ(kept.way_out, looked_up.way_out) << count;
      } else {
        EXPECT_FALSE(all_are_kept) << count;
        EXPECT_EQ(kept.kind, arch::code::not_looked_up) << count;
      }
      EXPECT_EQ(arch::step_out(here, looked_up, false, looked_up.way_out == 0, end), arch::step::done);
    }
    EXPECT_EQ(count, theirs.count);
  };
  by_kept_steps(true);
  // A step of this kind is worked out each time.
  support::realigned_frame_that_grows([&] { by_kept_steps(false); });
}

TEST_F(unwinding, knows_no_code_where_there_is_none) {
  alignas(8) static const char data[64] = {};
  for (const std::uint64_t ip :
       {std::uint64_t{0}, std::uint64_t{1}, reinterpret_cast<std::uint64_t>(data + 8), ~std::uint64_t{0},
        std::uint64_t{1} << 47}) {
    arch::registers at{};
    at.ip = ip;
    for (const bool exact : {false, true}) {
      EXPECT_EQ(arch::look(at, exact, false).kind, arch::code::not_looked_up) << ip;
      EXPECT_EQ(arch::look(at, exact, true).kind, arch::code::unknown) << ip;
    }
  }
}

/// The frame of a caller that ends beyond the stack's end is not read.
TEST_F(unwinding, stays_on_its_stack) {
  arch::registers at;
  arch::nopal_registers_here(&at);
  const arch::place here = arch::look(at, false, true);
  ASSERT_EQ(here.kind, arch::code::ordinary);
  const arch::registers before = at;
  EXPECT_EQ(arch::step_out(at, here, false, true, at.sp), arch::step::off_stack);
  EXPECT_EQ(at.ip, before.ip);
  EXPECT_EQ(at.sp, before.sp);
}

/// Threads keep steps beside each other, of more places than there is room for.
template <int number>
[[gnu::noinline]] int of_many_functions(int depth) {
  volatile int kept = depth;
  if (depth > 0) {
    return of_many_functions<(number + 1) % 64>(depth - 1) + kept;
  }
  arch::registers here;
  arch::nopal_registers_here(&here);
  const std::uint64_t end = end_of_this_stack();
  int frames = 0;
  arch::place found = arch::look(here, false, true);
  for (; found.kind == arch::code::ordinary; found = arch::look(here, false, true)) {
    if (arch::step_out(here, found, false, true, end) != arch::step::done) return -1000000;
    ++frames;
  }
  return frames > 0 && found.kind == arch::code::outermost ? kept : -1000000;
}

TEST_F(unwinding, keeps_steps_for_several_threads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&wrong] {
      for (int depth = 0; depth < 300; ++depth) {
        if (of_many_functions<0>(depth) != depth * (depth + 1) / 2) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
}

/// Plug-ins of which each may lie where the one before it did, with another frame.
TEST_F(unwinding, knows_no_code_that_has_gone) {
  for (int round = 0; round < 4; ++round) {
    for (const char* const path : {UNWINDING_PLUGIN_SMALL, UNWINDING_PLUGIN_LARGE}) {
      void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      ASSERT_NE(plugin, nullptr) << dlerror();
      using caller = void (*)(void (*)());
      const auto call = reinterpret_cast<caller>(dlsym(plugin, "call_in_a_frame"));
      ASSERT_NE(call, nullptr);
      call(compare_walks);
      ASSERT_EQ(dlclose(plugin), 0);
    }
  }
}

}  // namespace
