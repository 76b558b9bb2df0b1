// Serial work beside a hungry thief: what its questions cost where nothing answers to them.
#include <algorithm>
#include <vector>

#include <nopal/nopal.hpp>

#include "measure/busy_worker.hpp"
#include "measure/promotion_costs.hpp"
#include "measure/samples.hpp"
#include "programs/serial_work.hpp"

extern "C" {
/// Calls `f(context)`, and has no unwind tables.
void measure_call_without_tables(void (*f)(void*), void* context);
}

__asm__(".pushsection .text\n"
        ".globl measure_call_without_tables\n"
        ".hidden measure_call_without_tables\n"
        ".type measure_call_without_tables, @function\n"
        "measure_call_without_tables:\n"
        "  pushq %rbx\n"
        "  movq %rdi, %rax\n"
        "  movq %rsi, %rdi\n"
        "  call *%rax\n"
        "  popq %rbx\n"
        "  ret\n"
        ".size measure_call_without_tables, . - measure_call_without_tables\n"
        ".popsection\n");

namespace measure {
namespace {

/// Pieces of equal work. The clock is looked at between them.
struct pieces {
  std::int64_t until_ns;
  std::vector<std::int64_t> ns{};
};

[[gnu::noinline]] void work(void* context) {
  constexpr std::int64_t steps = 20'000;
  auto& of = *static_cast<pieces*>(context);
  std::uint64_t state = 1;
  std::int64_t before = now_ns();
  while (before < of.until_ns) {
    state = bench::take_steps(state, steps);
    const std::int64_t after = now_ns();
    of.ns.push_back(after - before);
    before = after;
  }
}

/// What others took of a piece shows; whoever took longer than any answer was somebody else.
quiet_time judge(std::vector<std::int64_t> ns) {
  constexpr std::int64_t somebody_else_ns = 100'000;
  const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
  std::nth_element(ns.begin(), middle, ns.end());
  const std::int64_t usual = *middle;
  std::int64_t all = 0;
  std::int64_t lost = 0;
  for (const std::int64_t each : ns) {
    if (each > usual + somebody_else_ns) continue;
    all += each;
    lost += std::max<std::int64_t>(0, each - usual);
  }
  return {static_cast<double>(all) / 1e9, static_cast<double>(lost) / 1e9, 0};
}

}  // namespace

quiet_time time_quiet_work(quiet_stack kind, double seconds) {
  pieces of{0};
  of.ns.reserve(static_cast<std::size_t>(seconds * 1e6));
  std::uint64_t signals = 0;
  auto take_all = [&](busy_worker& thief) {
    settle();
    const std::uint64_t before = nopal::stats().total.signals_sent;
    thief.release();
    of.until_ns = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    if (kind == quiet_stack::cut) {
      measure_call_without_tables(work, &of);
    } else {
      work(&of);
    }
    signals = nopal::stats().total.signals_sent - before;
  };
  beside_busy_worker(take_all);
  quiet_time result = judge(std::move(of.ns));
  result.signals = signals;
  return result;
}

}  // namespace measure
