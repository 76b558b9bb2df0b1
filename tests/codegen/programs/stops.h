// What generated programs with stops are made of: bodies, forks, joins, requests, all of which tell the record.
#ifndef NOPAL_TESTS_PROGRAMS_STOPS_H
#define NOPAL_TESTS_PROGRAMS_STOPS_H

#include <thread>
#include <utility>
#include <vector>

#include <nopal/monoids.hpp>
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>
#include <nopal/speculate.hpp>

#include "stops_log.hpp"

#define FORKED_ALONE __attribute__((noinline))

namespace stops {

/// Objects that are counted while they live, and know whether they do.
inline std::atomic<long> living{0};
class counted {
public:
  explicit counted(long n = untouched) : number(n), self_(this) { ++living; }
  counted(const counted& other) : number(other.value()), self_(this) { ++living; }
  counted& operator=(const counted& other) {
    number = other.value();
    return *this;
  }
  ~counted() {
    static_cast<void>(value());
    self_ = nullptr;
    --living;
  }
  [[nodiscard]] long value() const {
    if (self_ != this) {
      std::fprintf(stderr, "stops: an object is used that does not live\n");
      std::abort();
    }
    return number;
  }

private:
  long number;
  const counted* volatile self_;
};

class error {
public:
  explicit error(long n) : number_(n) {}
  [[nodiscard]] long number() const { return number_.value(); }

private:
  counted number_;
};

inline nopal::reducer<nopal::op_vector_append<long>>* the_reducer;

inline void wait(unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    __asm__ volatile("");
  }
}

/// An activation, as its body sees it.
class here {
public:
  here(activation& me) : me_(me), inside_(me.inside) {}
  here(const here&) = delete;
  here& operator=(const here&) = delete;

  void note(does what, const void* object = nullptr, long value = 0) {
    stops::note(what, me_, ++me_.last_step, object, value);
  }

  // --- scopes and parts ---
  scope_record& scope(const part* its, bool in_order = false) {
    scope_record& made = the_record.scopes.take();
    made = {&me_, its, in_order, nullptr};
    if (its != nullptr) {
      enter(its);
    }
    return made;
  }
  const part* inside() const { return inside_; }
  part& new_part(kind is, const part* source = nullptr, bool soon = false) {
    return make_part(is, inside_, source, soon);
  }
  void enter(const part* which) {
    inside_ = which;
    note(does::opens, which);
  }
  void leave_to(const part* which) { inside_ = which; }

  // --- what begins elsewhere ---
  activation& forks(const scope_record& s, bool has_inlet = false) {
    const part* inside = inside_;
    if (s.its != nullptr && s.its->is == kind::unwinds) {
      inside = &make_part(kind::child, inside_, s.its);
    }
    activation& made = begin_at(how::forked, inside);
    made.scope = &s;
    made.has_inlet = has_inlet;
    note(does::forks, &made);
    return made;
  }
  void forked(const activation& child) { note(does::forked, &child); }
  void joins(scope_record& s, long value = 0) {
    s.joined_in = inside_;
    note(does::joins, &s, value);
  }
  activation& calls(how is, int count = 1) {
    activation& made = begin_at(is, inside_);
    made.count = count;
    note(does::calls, &made);
    return made;
  }
  void called(const activation& callee) { note(does::called, &callee); }

  // --- requests and questions ---
  template <class Scope>
  void stop(const part& which, Scope& s) {
    note(does::asks, &which);
    const bool first = s.request_stop();
    note(does::asked, &which, first ? 1 : 0);
  }
  void poll() {
    note(does::polls, inside_);
    nopal::poll();
    note(does::polled, inside_);
  }
  void look() {
    note(does::looks, inside_);
    const bool stopped = nopal::stop_requested();
    note(does::saw, inside_, stopped ? 1 : 0);
  }
  template <class Scope>
  void look(const part& at, const Scope& s) {
    note(does::looks, &at);
    const bool stopped = s.stop_requested();
    note(does::saw, &at, stopped ? 1 : 0);
  }

  /// Whether something of that chance, in a hundred, happens; the same in every run with the same number.
  bool is_drawn(unsigned site, unsigned percent) const {
    return mix_chance(me_.chance, site) % 100 < percent;
  }
  void throw_error() {
    const long number = 1 + the_record.numbers++;
    note(does::throws, nullptr, number);
    throw error(number);
  }
  void append() {
    const long number = 1 + the_record.numbers++;
    note(does::appends, nullptr, number);
    (*the_reducer)->push_back(number);
  }
  void find(const activation* child, const counted& where) {
    if (child != nullptr) {
      note(does::finds, child, where.value());
    }
  }

private:
  activation& begin_at(how is, const part* inside) {
    activation& made = the_record.activations.take();
    const int step = ++me_.last_step;
    made = {&me_,    step,  is, nullptr, inside,
            inside_, false, 0,  0,       mix_chance(me_.chance, static_cast<unsigned>(step)),
            never,   never, 0,  0};
    return made;
  }

  activation& me_;
  const part* inside_;
};

/// The body `f(here&)` of an activation; what it returns.
template <class F>
counted run(activation& me, F&& f) {
  here in(me);
  in.note(does::begins);
  try {
    const long value = f(in);
    in.note(does::ends, nullptr, value);
    return counted(value);
  } catch (const error& e) {
    in.note(does::throws_out, nullptr, e.number());
    throw;
  } catch (const nopal::stopped&) {
    in.note(does::throws_out, nullptr, unwound);
    throw;
  }
}

/// For a pattern that nothing stops once it has begun; in the elision it is as others.
inline void make_whole(activation& pattern) {
#ifndef NOPAL_ELIDE
  pattern.inside = &make_part(kind::shield, pattern.inside);
#else
  static_cast<void>(pattern);
#endif
}

/// One position of a pattern.
inline activation& position(const activation& pattern, int at) {
  activation& made = the_record.activations.take();
  made = {&pattern,       at,    how::called, nullptr, pattern.inside,
          pattern.inside, false, 0,           0,       mix_chance(pattern.chance, static_cast<unsigned>(at)),
          never,          never, 0,           0};
  return made;
}

/// The inlet of a child, in the parts that the fork was in.
template <class F>
void inlet(const activation& child, const counted& value, F&& f) {
  activation& me = the_record.activations.take();
  me = {&child,
        inlet_step,
        how::inlet,
        child.scope,
        child.outside,
        child.outside,
        false,
        0,
        0,
        mix_chance(child.chance, 99),
        never,
        never,
        0,
        0};
  run(me, [&](here& in) -> long {
    in.note(does::gets, &child, value.value());
    return f(in);
  });
}

/// A call; with `catches`, errors end here.
template <class F>
FORKED_ALONE void call(here& from, bool catches, F&& f) {
  activation& callee = from.calls(how::called);
  try {
    run(callee, f);
    from.called(callee);
  } catch (const error& e) {
    if (!catches) {
      throw;
    }
    from.note(does::caught, &callee, e.number());
  }
}

template <class F>
void shielded(here& from, F&& f) {
  activation& callee = from.calls(how::called);
  nopal::shield([&] {
    part& shield = make_part(kind::shield, from.inside());
    callee.inside = callee.outside = &shield;
    run(callee, f);
  });
  from.called(callee);
}

/// Calls `which.request_stop()` when a token is stopped, on whatever thread.
template <class Scope>
class stops_other {
public:
  stops_other(const part& which, Scope& s) : which_(&which), scope_(&s) {}
  void operator()() noexcept {
    activation& me = the_record.activations.take();
    me = {nullptr, 0, how::aside, nullptr, nullptr, nullptr, false, 0, 0, 0, never, never, 0, 0};
    here(me).stop(*which_, *scope_);
  }

private:
  const part* which_;
  Scope* scope_;
};

/// A thread of the program that asks the scope to stop some time later, if it is drawn.
class outsider {
public:
  template <class Scope>
  outsider(const part& which, Scope& s, unsigned pause, bool drawn) {
    if (drawn) {
      thread_ = std::thread([ask = stops_other(which, s), pause]() mutable {
        wait(pause);
        ask();
      });
    }
  }
  outsider(const outsider&) = delete;
  outsider& operator=(const outsider&) = delete;
  ~outsider() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }

private:
  std::thread thread_;
};

/// Around a scope of the function: `scope_begins` is made before it, `scope_ends` after it.
class scope_begins {
public:
  scope_begins(here& of) : of_(of), outside_(of.inside()), exceptions_(std::uncaught_exceptions()) {}
  scope_begins(const scope_begins&) = delete;
  scope_begins& operator=(const scope_begins&) = delete;
  ~scope_begins() {
    of_.leave_to(outside_);
    const bool throws = std::uncaught_exceptions() > exceptions_;
    of_.note(does::joined, scope_, !throws ? 0 : exceptional_ ? 1 : 2);
  }

private:
  friend class scope_ends;
  here& of_;
  const part* outside_;
  int exceptions_;
  const scope_record* scope_ = nullptr;
  bool exceptional_ = false;
};
class scope_ends {
public:
  scope_ends(scope_begins& begin, scope_record& s) : begin_(begin), scope_(s) { begin.scope_ = &s; }
  scope_ends(const scope_ends&) = delete;
  scope_ends& operator=(const scope_ends&) = delete;
  ~scope_ends() {
    begin_.exceptional_ = std::uncaught_exceptions() > begin_.exceptions_;
    begin_.of_.joins(scope_, begin_.exceptional_ ? 1 : 0);
  }

private:
  scope_begins& begin_;
  scope_record& scope_;
};

/// What reductions reduce.
inline std::vector<long> one(const counted& value) { return {value.value()}; }
inline std::vector<long> joined(std::vector<long> left, std::vector<long> right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// A number for a sequence.
inline long number_of(const std::vector<long>& all) {
  std::uint64_t h = all.size();
  for (const long each : all) {
    h = (h ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  }
  return static_cast<long>(h >> 1);
}

struct program {
  const char* name;
  long (*run)(here& me);
};

/// Runs each program that often, and has each run judged. Ends the process at one that is not permitted.
int run_programs(const program* programs, int count, int argc, char** argv);

}  // namespace stops

#endif
