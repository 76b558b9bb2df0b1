// What happens in a generated program with stops, in the order in which it happens, and where in the tree of
// activations. An activation is one call of a generated body: by a fork, by an ordinary call, for a position of a
// loop, or as an inlet. A part is what can be stopped: a scope, a shield, a child of a scope that unwinds.
//
// Each event takes the next number of one counter. So an event that happens before another one has the smaller
// number, and what an event's number says of two strands holds for the strands.
#ifndef NOPAL_TESTS_PROGRAMS_STOPS_LOG_HPP
#define NOPAL_TESTS_PROGRAMS_STOPS_LOG_HPP

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace stops {

inline constexpr int never = 1 << 30;  ///< later than all events
inline constexpr int inlet_step = 1 << 29;

enum class does : std::uint8_t {
  begins,
  ends,        ///< normally; the value is what it returns
  throws_out,  ///< the value: the error's number, or `unwound`
  forks,       ///< is about to; the object is the child
  forked,      ///< goes on behind the fork
  calls,       ///< is about to call a function, or a pattern, which is an activation of its own
  called,      ///< the call returned
  caught,      ///< it threw; the value as for `throws_out`
  joins,       ///< is about to join; the object is the scope; the value: whether an exception does that
  joined,      ///< the same; the value is 2 if the join itself threw
  opens,       ///< the object is a part, which exists by now
  asks,        ///< is about to request a stop; the object is a part, or a source of tokens
  asked,       ///< has; the value: whether it was the first
  polls,       ///< is about to
  polled,      ///< and nothing was thrown
  looks,       ///< is about to ask whether the part, the object, is stopped
  saw,         ///< the answer is the value
  throws,      ///< is about to throw the error with this number
  appends,     ///< the value, to the program's reducer
  finds,       ///< the value, where a child, the object, was to assign; `untouched`: nothing
  gets,        ///< an inlet gets the value
  reduces      ///< the value stands for the result of a reduction, the object
};
inline constexpr const char* names[] = {"begins",  "ends",   "throws out", "forks",  "forked", "calls",
                                        "called",  "caught", "joins",      "joined", "opens",  "asks",
                                        "asked",   "polls",  "polled",     "looks",  "saw",    "throws",
                                        "appends", "finds",  "gets",       "reduces"};

inline constexpr long unwound = -1;
inline constexpr long untouched = -7;

enum class kind : std::uint8_t { skips, unwinds, shield, child, source };

struct part {
  kind is;
  const part* around;      ///< null: none
  const part* of;          ///< a child: of which scope; a scope: the source of the token that stops it, too
  bool soon;               ///< stopped by its source some time after that was asked
  int asks, asked, opens;  ///< when it was asked to stop first, and when it surely was
};

struct activation;

struct scope_record {
  const activation* of;
  const part* its;                  ///< null: it cannot be stopped
  bool in_order;                    ///< its inlets
  const part* joined_in = nullptr;  ///< the innermost part at its last join
};

enum class how : std::uint8_t { forked, called, loop, invoke, whole_invoke, reduction, inlet, aside };

struct activation {
  const activation* parent;
  int step;  ///< of the parent's, when it begins; for a pattern's own: the position
  how is;
  const scope_record* scope;  ///< where it was forked; of an inlet
  const part* inside;         ///< the innermost part that it begins in
  const part* outside;        ///< a child: that of the fork
  bool has_inlet;
  int count;      ///< a pattern's positions
  int last_step;  ///< of its own
  std::uint32_t chance;
  // What the judge fills in.
  int begins, ends;
  long value, error;  ///< error: 0 none
};

struct event {
  does what;
  const activation* who;
  int step;
  const void* object;
  long value;
};

/// Room for so many of each, handed out once in a run.
template <class T, int count>
class room {
public:
  T& take() {
    // Relaxed: what is taken is passed on by forks and joins.
    const int i = used_.fetch_add(1, std::memory_order_relaxed);
    if (i >= count) {
      std::fprintf(stderr, "stops: a program is too large\n");
      std::abort();
    }
    return all_[i];
  }
  /// Sequentially consistent, so that numbers follow what happens before what.
  int take_number() {
    const int i = used_.fetch_add(1, std::memory_order_seq_cst);
    if (i >= count) {
      std::fprintf(stderr, "stops: a program is too large\n");
      std::abort();
    }
    return i;
  }
  T& operator[](int i) { return all_[i]; }
  [[nodiscard]] int used() const { return used_.load(std::memory_order_relaxed); }
  void clear() { used_.store(0, std::memory_order_relaxed); }

private:
  std::atomic<int> used_{0};
  T all_[count];
};

struct record {
  room<event, 1 << 17> events;
  room<activation, 1 << 15> activations;
  room<part, 1 << 14> parts;
  room<scope_record, 1 << 13> scopes;
  std::atomic<long> numbers{0};
  void clear() {
    events.clear();
    activations.clear();
    parts.clear();
    scopes.clear();
    numbers = 0;
  }
};
inline record the_record;

inline void note(does what, const activation& who, int step, const void* object = nullptr, long value = 0) {
  const int i = the_record.events.take_number();
  the_record.events[i] = {what, &who, step, object, value};
}

inline part& make_part(kind is, const part* around, const part* of = nullptr, bool soon = false) {
  part& made = the_record.parts.take();
  made = {is, around, of, soon, never, never, never};
  return made;
}

inline std::uint32_t mix_chance(std::uint32_t before, std::uint32_t more) {
  std::uint64_t h = (std::uint64_t{before} << 32 | more) * 0x9e3779b97f4a7c15U;
  return static_cast<std::uint32_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9U >> 32);
}

}  // namespace stops

#endif
