// The T.H.E. deque of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998), for the evaluation: thieves
// take a lock, the owner pays a fence at each pop and the lock only where it meets a thief at the
// last entry. `split` is the paper's H, `bottom` its T; `top` follows H once a thief is sure.
// Exceptions in flight at a fork are not recorded for thieves.

#include "deque/deque.hpp"

#ifdef NOPAL_DEQUE_THE

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

namespace {

/// The deque's lock lies where the split deque keeps its version.
class deque_lock {
public:
  explicit deque_lock(nopal_deque& deque) noexcept : word_(&deque.version_and_raising) {
    // Acquire and release: what is done under the lock is seen by the next holder.
    while (__atomic_exchange_n(word_, 1U, __ATOMIC_ACQUIRE) != 0) {
      os::yield();
    }
  }
  ~deque_lock() { __atomic_store_n(word_, 0U, __ATOMIC_RELEASE); }
  deque_lock(const deque_lock&) = delete;
  deque_lock& operator=(const deque_lock&) = delete;

private:
  std::uint64_t* word_;
};

}  // namespace

void reset(nopal_deque& deque) noexcept {
  poison(deque);
  const deque_lock lock(deque);
  __atomic_store_n(&deque.bottom, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&deque.top, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&deque.split, 0, __ATOMIC_SEQ_CST);
}

void lose_all(nopal_deque& deque) noexcept {
  poison(deque);
  deque.version_and_raising = 0;  // a thief may have held the lock
  deque.top = deque.bottom;
  deque.split = deque.bottom;
}

// Each entry is public once it is pushed; the youngest just was.
std::int32_t publish(nopal_deque&, std::int32_t) noexcept { return 1; }

std::int32_t publish(nopal_deque&, std::int32_t, void (*)(void*, nopal_frame*&), void*, bool) noexcept {
  return 1;
}

bool pop_slow(nopal_deque& deque, bool (*)(void*), void*, bool) noexcept {
  const std::int32_t wanted = deque.bottom;
  const deque_lock lock(deque);
  // Under the lock no thief is between its step and its check.
  if (wanted >= __atomic_load_n(&deque.split, __ATOMIC_SEQ_CST)) {
    return true;
  }
  __atomic_store_n(&deque.bottom, deque.top, __ATOMIC_RELAXED);
  return false;
}

steal_outcome steal(nopal_deque& victim, nopal_frame*& frame, bool (*observe)(void*),
                    void* context) noexcept {
  if (size(victim) <= 0) {
    return steal_outcome::empty;
  }
  const deque_lock lock(victim);
  const std::int32_t head = victim.split;
  // Sequentially consistent, with the owner's store of `bottom` and look at `split`: one of the two
  // sees the other.
  __atomic_store_n(&victim.split, head + 1, __ATOMIC_SEQ_CST);
  if (head + 1 > __atomic_load_n(&victim.bottom, __ATOMIC_SEQ_CST)) {
    __atomic_store_n(&victim.split, head, __ATOMIC_SEQ_CST);
    return steal_outcome::empty;
  }
  frame = __atomic_load_n(&victim.public_slots[head], __ATOMIC_RELAXED);
  if (!observe(context)) {
    __atomic_store_n(&victim.split, head, __ATOMIC_SEQ_CST);
    return steal_outcome::lost;
  }
  __atomic_store_n(&victim.top, head + 1, __ATOMIC_SEQ_CST);
  return steal_outcome::taken;
}

bool force_publish(nopal_deque&, bool (*)(), bool (*)(void*), void*) noexcept { return false; }

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
