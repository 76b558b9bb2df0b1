// The standard library's tokens of parts that may be stopped. Made when somebody asks for one: most parts
// have none.
#ifndef NOPAL_DETAIL_STOP_TOKENS_HPP
#define NOPAL_DETAIL_STOP_TOKENS_HPP

#include <version>

#ifdef __cpp_lib_jthread

#include <memory>
#include <optional>
#include <stop_token>

#include <nopal/detail/check.h>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/stop.h>
#ifndef NOPAL_ELIDE
#include <nopal/detail/pinned.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// To the checker who makes or ends tokens holds a lock, as the standard's tokens do inside, by atomics.
class holds_tokens {
public:
  holds_tokens() noexcept {
#ifdef NOPAL_CHECKED
    nopal_check_lock(&lock);
#endif
  }
  holds_tokens(const holds_tokens&) = delete;
  holds_tokens& operator=(const holds_tokens&) = delete;
  ~holds_tokens() {
#ifdef NOPAL_CHECKED
    nopal_check_unlock(&lock);
#endif
  }

private:
  static constexpr char lock = 0;
};

/// The standard's tokens know by the thread who runs a callback: one that forks stays on it, and nothing else runs there
/// meanwhile. Without memory for that it may leave.
class stays_here {
public:
#ifdef NOPAL_ELIDE
  stays_here() noexcept {}
  ~stays_here() = default;
#else
  stays_here() noexcept : stays_(nopal_begin_pinned(&call_) == 0) {}
  ~stays_here() {
    if (stays_) nopal_end_pinned(&call_);
  }
#endif
  stays_here(const stays_here&) = delete;
  stays_here& operator=(const stays_here&) = delete;

#ifndef NOPAL_ELIDE
private:
  nopal_pinned call_;
  const bool stays_;
#endif
};

struct stop_tokens : nopal_tokens {
  stop_tokens() : nopal_tokens{&told, &dropped} {}
  stop_tokens(const stop_tokens&) = delete;
  stop_tokens& operator=(const stop_tokens&) = delete;
  ~stop_tokens() = default;

  void stop() noexcept {
    [[maybe_unused]] const stays_here callbacks;
    source.request_stop();
  }

  struct stops_too {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };
  std::stop_source source;
  /// Of the part around it.
  std::optional<std::stop_callback<stops_too>> outside;

private:
  static void told(nopal_tokens* these) { static_cast<stop_tokens*>(these)->stop(); }
  static void dropped(nopal_tokens* these) {
    [[maybe_unused]] const holds_tokens alone;
    delete static_cast<stop_tokens*>(these);
  }
};

inline stop_tokens& tokens_of(nopal_stop* part) {
  [[maybe_unused]] const holds_tokens alone;
  // Sequentially consistent, as nopal_tell_tokens is: it finds the tokens, or this finds the
  // request.
  auto* made = static_cast<stop_tokens*>(__atomic_load_n(&part->tokens, __ATOMIC_SEQ_CST));
  if (made != nullptr) {
    return *made;
  }
  auto own = std::make_unique<stop_tokens>();
  nopal_stop* outside = part->parent;
  while (outside != nullptr &&
         (nopal_kind_of(outside) == nopal_stop_child || nopal_kind_of(outside) == nopal_stop_use)) {
    outside = outside->parent;
  }
  if (outside != nullptr && nopal_kind_of(outside) != nopal_stop_shield) {
    own->outside.emplace(tokens_of(outside).source.get_token(), stop_tokens::stops_too{own->source});
  }
  nopal_tokens* expected = nullptr;
  if (!__atomic_compare_exchange_n(&part->tokens, &expected, static_cast<nopal_tokens*>(own.get()), false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    return *static_cast<stop_tokens*>(expected);
  }
  if (__atomic_load_n(&part->requested, __ATOMIC_SEQ_CST) != 0) {
    own->stop();
  }
  return *own.release();
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif

#endif
