// Whether what a program with stops did is permitted by its series-parallel order. Compiled once; docs/programs.md has the rules
// in words.
#include <algorithm>
#include <cinttypes>
#include <map>
#include <string>

#include "stops.h"
#include "stops_kept.hpp"

namespace stops {

namespace {

#ifdef NOPAL_ELIDE
constexpr bool elided = true;
#else
constexpr bool elided = false;
#endif

class judge {
public:
  explicit judge(const std::vector<long>& reduced) {
    sort_events();
    for (auto& [who, own] : own_) {
      look_at(*who, own);
    }
    look_at_inlets();
    look_at_reducer(reduced);
  }
  const std::string& wrong() const { return wrong_; }
  long skipped = 0, begun = 0, unwound_children = 0, thrown = 0, inlets = 0;

private:
  /// Since each scope's last join, in the order of the forks.
  using children_of_scopes = std::map<const void*, std::vector<const activation*>>;

  void fail(const char* what, int at) {
    if (wrong_.empty()) {
      wrong_ = std::string(what) + ", at event " + std::to_string(at);
    }
  }
  void must(bool holds, const char* what, int at) {
    if (!holds) {
      fail(what, at);
    }
  }

  /// Times of activations and parts, and each activation's own events and children.
  void sort_events() {
    record& all = the_record;
    for (int i = 0; i < all.events.used(); ++i) {
      const event& e = all.events[i];
      own_[const_cast<activation*>(e.who)].push_back(i);
      auto& who = *const_cast<activation*>(e.who);
      auto* const which = static_cast<part*>(const_cast<void*>(e.object));
      switch (e.what) {
      case does::begins:
        must(who.begins == never, "a body begins twice", i);
        who.begins = i;
        break;
      case does::ends:
      case does::throws_out:
        must(who.ends == never, "a body ends twice", i);
        who.ends = i;
        (e.what == does::ends ? who.value : who.error) = e.value;
        break;
      case does::opens: which->opens = i; break;
      case does::asks: which->asks = std::min(which->asks, i); break;
      case does::asked:
        // Who asks a source second does not wait for its callbacks; a scope is stopped when the second call returns.
        if (which->is != kind::source || e.value != 0) {
          which->asked = std::min(which->asked, i);
        }
        break;
      default: break;
      }
    }
    for (int i = 0; i < all.parts.used(); ++i) {
      part& p = all.parts[i];
      if ((p.is == kind::skips || p.is == kind::unwinds) && p.of != nullptr && !p.soon) {
        p.asks = std::min(p.asks, p.of->asks);
        p.asked = std::min(p.asked, std::max(p.of->asked, p.opens));
      }
    }
    for (int i = 0; i < all.activations.used(); ++i) {
      activation& a = all.activations[i];
      must(a.begins == never || a.ends != never, "a body that began did not end", a.begins);
      if (a.parent != nullptr) {
        children_[a.parent].push_back(&a);
      }
      if (a.is == how::inlet) {
        inlets_[a.scope].push_back(&a);
      }
    }
  }

  void all_ended(const std::vector<const activation*>& of, int by) {
    for (const activation* child : of) {
      must(child->begins == never || child->ends < by, "a child ends after its join", by);
      for (const activation* inlet : children_[child]) {
        must(inlet->is != how::inlet || inlet->ends < by, "an inlet ends after its join", by);
      }
    }
  }

  /// An activation's own events. What it throws is explained by the last one that an exception did not bring about.
  void look_at(const activation& who, const std::vector<int>& own) {
    children_of_scopes pending;
    const event* cause = nullptr;
    int began = 0;
    must(own.size() < 2 || who.is == how::aside || who.begins == own[0],
         "a body does not begin with its beginning", own[0]);
    for (const int i : own) {
      const event& e = the_record.events[i];
      if (e.what == does::throws_out) {
        look_at_exception(cause, i, e.value, pending);
        continue;
      }
      if (e.what == does::joined) {
        std::vector<const activation*>& all = pending[e.object];
        all_ended(all, i);
        if (e.value == 0) {
          must(throws(all, 0), "a join does not throw what a child threw", i);
          all.clear();
        }
      }
      if ((e.what == does::joins || e.what == does::joined) && e.value != 0) {
        continue;
      }
      look_at_event(e, i, began, pending);
      cause = &e;
      began = i;
    }
  }

  /// The errors of the inlets of these children.
  std::vector<long> thrown_by_inlets(const std::vector<const activation*>& all) {
    std::vector<long> errors;
    for (const activation* child : all) {
      for (const activation* inlet : children_[child]) {
        if (inlet->is == how::inlet && inlet->error != 0) {
          errors.push_back(inlet->error);
        }
      }
    }
    return errors;
  }

  /// Whether a scope with these children since its last join throws that; 0: nothing. It is what the first one threw, and
  /// the unwinding only where nothing else was thrown. But what an inlet throws leaves with whichever child ran it.
  bool throws(const std::vector<const activation*>& all, long error) {
    const std::vector<long> of_inlets = thrown_by_inlets(all);
    bool unwinds = false;
    for (const activation* child : all) {
      const std::vector<long> seen = kept_.seen(*child);
      if (is_error(error) && has(seen, error)) {
        return true;
      }
      unwinds = unwinds || has(seen, unwound);
      if (of_inlets.empty() && !has(seen, 0) && !has(seen, unwound)) {
        return false;
      }
    }
    return of_inlets.empty() ? error == (unwinds ? unwound : 0)
                             : has(of_inlets, error) || (unwinds && error == unwound);
  }

  void look_at_event(const event& e, int i, int began, children_of_scopes& pending) {
    const auto* const child = static_cast<const activation*>(e.object);
    const auto* const p = static_cast<const part*>(e.object);
    switch (e.what) {
    case does::forks: pending[child->scope].push_back(child); break;
    case does::forked: look_at_fork(*child, began, i); break;
    case does::called: look_at_call(*child, i, 0); break;
    case does::caught: look_at_call(*child, i, e.value); break;
    case does::polled: must(!must_unwind(p, began), "a poll does not throw", i); break;
    case does::saw:
      must(e.value == 0 || may_be_stopped(p, i), "stopped, says a scope that nobody asked", i);
      must(e.value != 0 || !is_stopped(p, began), "not stopped, says a scope that was asked", i);
      break;
    case does::finds: {
      const bool assigned = child->begins != never && child->error == 0;
      must(e.value == (assigned ? child->value : untouched),
           assigned ? "a result was not assigned" : "a result was touched", i);
      break;
    }
    case does::gets:
      must(child->ends < i && child->error == 0, "an inlet runs for a child that did not return", i);
      must(e.value == child->value, "an inlet gets another value", i);
      break;
    case does::reduces: look_at_reduction(*child, i, e.value); break;
    default: break;
    }
  }

  /// A fork that returned: from event `began` to event `i`.
  void look_at_fork(const activation& child, int began, int i) {
    const part* const inside = child.outside;
    const part* const asked = elided ? child.scope->its : inside;
    if (child.begins != never) {
      ++begun;
      unwound_children += child.error == unwound;
      must(!is_stopped(asked, began), "a fork in a stopped scope begins its child", i);
    } else {
      ++skipped;
      must(may_be_stopped(inside, i), "a fork is skipped in a scope that nobody asked", i);
      must(!is_stopped(asked, began) || !must_unwind(inside, began), "a fork does not unwind", i);
    }
  }

  /// What a call that ended with `error` was to end with.
  void look_at_call(const activation& callee, int i, long error) {
    if (callee.is == how::called) {
      must(callee.error == error, "a call ends with another error", i);
      return;
    }
    std::vector<const activation*> all = positions_of(callee);
    must(std::adjacent_find(all.begin(), all.end(), [](auto* a, auto* b) { return a->step == b->step; }) ==
             all.end(),
         "a position of a pattern is begun twice", i);
    for (const activation* one : all) {
      must(one->ends < i, "a position ends after its pattern", i);
    }
    const long expected = first_error(all);
    if (error == unwound && expected != unwound) {
      must(may_unwind(callee.outside, i), "a pattern unwinds in a scope that nobody asked", i);
      return;
    }
    must(error == expected, "a pattern ends with another error than the first", i);
    if (error == 0 && static_cast<int>(all.size()) < callee.count) {
      must(callee.is != how::whole_invoke && may_be_stopped(callee.outside, i),
           "positions of a pattern are missing", i);
    }
  }

  std::vector<const activation*> positions_of(const activation& pattern) {
    std::vector<const activation*> all = children_[&pattern];
    std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->step < b->step; });
    return all;
  }

  void look_at_reduction(const activation& pattern, int i, long value) {
    std::vector<long> ran;
    for (const activation* one : positions_of(pattern)) {
      ran.push_back(one->value);
    }
    must(number_of(ran) == value, "a reduction's result is not that of what ran", i);
  }

  /// What a body throws, by what it did last.
  void look_at_exception(const event* cause, int i, long error, children_of_scopes& pending) {
    ++thrown;
    if (cause == nullptr) {
      return fail("something is thrown by nobody", i);
    }
    const auto* const child = static_cast<const activation*>(cause->object);
    switch (cause->what) {
    case does::throws: must(error == cause->value, "another error leaves than what was thrown", i); break;
    case does::calls: look_at_call(*child, i, error); break;
    case does::polls:
      must(error == unwound && may_unwind(static_cast<const part*>(cause->object), i), "a poll throws", i);
      break;
    case does::joins:
      look_at_join(*static_cast<const scope_record*>(cause->object), pending[cause->object], i, error);
      break;
    case does::forks:
      if (child->begins == never) {
        // Inlets that waited for it run.
        must((error == unwound && may_unwind(child->outside, i)) ||
                 has(thrown_by_inlets(pending[child->scope]), error),
             "a fork throws", i);
      } else {  // nothing was stolen
        must(throws(pending[child->scope], error), "a fork throws another error than its child", i);
      }
      break;
    default: fail("something is thrown by nobody", i);
    }
  }

  /// A join that waited unwinds where a poll would, unless a child threw.
  void look_at_join(const scope_record& scope, const std::vector<const activation*>& all, int i, long error) {
    const bool unwinds = !elided && error == unwound && throws(all, 0) && may_unwind(scope.joined_in, i);
    must(unwinds || throws(all, error), "a join throws another error than the first", i);
  }

  void look_at_inlets() {
    for (auto& [scope, all] : inlets_) {
      std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->begins < b->begins; });
      for (std::size_t n = 1; n < all.size(); ++n) {
        must(all[n - 1]->ends < all[n]->begins, "two inlets run at a time", all[n]->begins);
        must(!scope->in_order || all[n - 1]->parent->step < all[n]->parent->step, "inlets are not in order",
             all[n]->begins);
      }
    }
    for (int i = 0; i < the_record.activations.used(); ++i) {
      const activation& child = the_record.activations[i];
      if (!child.has_inlet) {
        continue;
      }
      const auto of_it = std::count_if(children_[&child].begin(), children_[&child].end(),
                                       [](auto* one) { return one->is == how::inlet; });
      inlets += of_it;
      must(of_it == (child.begins != never && child.error == 0 ? 1 : 0),
           "a child has another number of inlets", child.ends);
    }
  }

  void look_at_reducer(const std::vector<long>& reduced) {
    std::vector<std::pair<std::vector<int>, long>> all;
    for (int i = 0; i < the_record.events.used(); ++i) {
      const event& e = the_record.events[i];
      if (e.what == does::appends) {
        all.emplace_back(place_of(e.who, e.step), e.value);
      }
    }
    std::sort(all.begin(), all.end());
    std::vector<long> expected;
    for (const auto& [place, value] : all) {
      expected.push_back(value);
    }
    must(reduced == expected, "the reducer has not what ran, in its order", the_record.events.used());
  }

  std::map<activation*, std::vector<int>> own_;
  children_of_activations children_;
  const kept_errors kept_{children_};
  std::map<const scope_record*, std::vector<const activation*>> inlets_;
  std::string wrong_;
};

void print_record() {
  const auto number = [](const void* object) {
    return object == nullptr ? -1L : static_cast<long>(reinterpret_cast<std::uintptr_t>(object) % 1000000);
  };
  for (int i = 0; i < the_record.events.used(); ++i) {
    const event& e = the_record.events[i];
    std::fprintf(stderr, "%4d %*s%ld %s %ld %ld\n", i, static_cast<int>(place_of(e.who, 0).size()), "",
                 number(e.who), names[static_cast<int>(e.what)], number(e.object), e.value);
  }
}

/// What is left over when nothing runs.
std::string left_over() {
  if (living != 0) {
    return std::to_string(living) + " objects live at the end";
  }
#ifndef NOPAL_ELIDE
  static std::uint64_t views = 0;
  const nopal::statistics now = nopal::stats();
  views = views == 0 ? now.view_sets_in_use : views;
  if (now.total.steals != now.joins_with_children) return "a steal is not joined";
  if (now.stacks_in_use != 0 || now.total.stacks_taken != now.total.stacks_returned)
    return "a stack is in use at the end";
  if (now.view_sets_in_use > views) return "a set of views is in use at the end";
#endif
  return {};
}

}  // namespace

int run_programs(const program* programs, int count, int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 1;
  long runs = 0, skipped = 0, begun = 0, unwound = 0, thrown = 0, inlets = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int i = 0; i < count; ++i) {
      the_record.clear();
      nopal::reducer<nopal::op_vector_append<long>> reducer;
      the_reducer = &reducer;
      activation& root = the_record.activations.take();
      root = {nullptr,     0,
              how::called, nullptr,
              nullptr,     nullptr,
              false,       0,
              0,           mix_chance(static_cast<unsigned>(repetition), static_cast<unsigned>(i)),
              never,       never,
              0,           0};
      try {
        run(root, programs[i].run);
      } catch (const error&) {
      }
      const judge judged(reducer.take());
      const std::string left = judged.wrong().empty() ? left_over() : judged.wrong();
      if (!left.empty()) {
        print_record();
        std::fprintf(stderr, "stops: %s, repetition %d: %s\n", programs[i].name, repetition, left.c_str());
        return 1;
      }
      ++runs, skipped += judged.skipped, begun += judged.begun, unwound += judged.unwound_children,
          thrown += judged.thrown, inlets += judged.inlets;
    }
  }
  std::printf("%ld runs: %ld children, %ld skipped, %ld unwound, %ld exceptions, %ld inlets\n", runs, begun,
              skipped, unwound, thrown, inlets);
  return 0;
}

}  // namespace stops
