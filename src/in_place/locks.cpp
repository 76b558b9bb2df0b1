// Mutexes whose work oneTBB does in its library. Those that speculate are plain here; the queuing one does not queue.

#include <atomic>
#include <cstdint>

#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

namespace tbb::detail::r1 {

struct rtm_mutex_impl {
  using lock = d1::rtm_mutex::scoped_lock;
  static void acquire(d1::rtm_mutex& mutex, lock& by) noexcept {
    mutex.lock();
    hold(mutex, by);
  }
  static bool try_acquire(d1::rtm_mutex& mutex, lock& by) noexcept {
    const bool got = mutex.try_lock();
    if (got) {
      hold(mutex, by);
    }
    return got;
  }
  static void release(lock& by) noexcept {
    by.m_mutex->unlock();
    by.m_mutex = nullptr;
    by.m_transaction_state = d1::rtm_mutex::rtm_state::rtm_none;
  }

private:
  static void hold(d1::rtm_mutex& mutex, lock& by) noexcept {
    by.m_mutex = &mutex;
    by.m_transaction_state = d1::rtm_mutex::rtm_state::rtm_real;
  }
};

void acquire(d1::rtm_mutex& mutex, d1::rtm_mutex::scoped_lock& by, bool) {
  rtm_mutex_impl::acquire(mutex, by);
}
bool try_acquire(d1::rtm_mutex& mutex, d1::rtm_mutex::scoped_lock& by) {
  return rtm_mutex_impl::try_acquire(mutex, by);
}
void release(d1::rtm_mutex::scoped_lock& by) { rtm_mutex_impl::release(by); }

struct rtm_rw_mutex_impl {
  using mutex = d1::rtm_rw_mutex;
  using lock = mutex::scoped_lock;
  using state = mutex::rtm_type;

  static void acquire(mutex& one, lock& by, bool writes) noexcept {
    writes ? one.lock() : one.lock_shared();
    hold(one, by, writes);
  }
  static bool try_acquire(mutex& one, lock& by, bool writes) noexcept {
    const bool got = writes ? one.try_lock() : one.try_lock_shared();
    if (got) {
      hold(one, by, writes);
    }
    return got;
  }
  static void release(lock& by) noexcept {
    by.m_transaction_state == state::rtm_real_writer ? by.m_mutex->unlock() : by.m_mutex->unlock_shared();
    by.m_mutex = nullptr;
    by.m_transaction_state = state::rtm_not_in_mutex;
  }
  /// False: it was let go in between.
  static bool change(lock& by, bool writes) noexcept {
    if ((by.m_transaction_state == state::rtm_real_writer) == writes) {
      return true;
    }
    mutex& one = *by.m_mutex;
    release(by);
    acquire(one, by, writes);
    return false;
  }

private:
  static void hold(mutex& one, lock& by, bool writes) noexcept {
    by.m_mutex = &one;
    by.m_transaction_state = writes ? state::rtm_real_writer : state::rtm_real_reader;
  }
};

void acquire_writer(d1::rtm_rw_mutex& mutex, d1::rtm_rw_mutex::scoped_lock& by, bool) {
  rtm_rw_mutex_impl::acquire(mutex, by, true);
}
void acquire_reader(d1::rtm_rw_mutex& mutex, d1::rtm_rw_mutex::scoped_lock& by, bool) {
  rtm_rw_mutex_impl::acquire(mutex, by, false);
}
bool try_acquire_writer(d1::rtm_rw_mutex& mutex, d1::rtm_rw_mutex::scoped_lock& by) {
  return rtm_rw_mutex_impl::try_acquire(mutex, by, true);
}
bool try_acquire_reader(d1::rtm_rw_mutex& mutex, d1::rtm_rw_mutex::scoped_lock& by) {
  return rtm_rw_mutex_impl::try_acquire(mutex, by, false);
}
bool upgrade(d1::rtm_rw_mutex::scoped_lock& by) { return rtm_rw_mutex_impl::change(by, true); }
bool downgrade(d1::rtm_rw_mutex::scoped_lock& by) { return rtm_rw_mutex_impl::change(by, false); }
void release(d1::rtm_rw_mutex::scoped_lock& by) { rtm_rw_mutex_impl::release(by); }

/// The mutex's one word has a writer's bit, one for a writer that waits, and the readers' count.
struct queuing_rw_mutex_impl {
  using mutex = d1::queuing_rw_mutex;
  using lock = mutex::scoped_lock;

  static bool try_acquire(mutex& one, lock& by, bool writes) noexcept {
    std::uintptr_t seen = __atomic_load_n(word_of(one), __ATOMIC_RELAXED);
    const std::uintptr_t in_the_way = writes ? ~waits : writer | waits;
    // Acquire pairs with the release in release and downgrade.
    if ((seen & in_the_way) != 0 ||
        !__atomic_compare_exchange_n(word_of(one), &seen, writes ? writer : seen + reader, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return false;
    }
    by.my_mutex = &one;
    by.my_state.store(writes ? 1 : 0, std::memory_order_relaxed);
    return true;
  }
  static void acquire(mutex& one, lock& by, bool writes) noexcept {
    for (d0::atomic_backoff pause; !try_acquire(one, by, writes); pause.pause()) {
      if (writes) {
        __atomic_fetch_or(word_of(one), waits, __ATOMIC_RELAXED);  // readers leave it the next turn
      }
    }
  }
  static void release(lock& by) noexcept {
    mutex& one = *by.my_mutex;
    by.my_mutex = nullptr;
    if (is_writer(by)) {
      __atomic_fetch_and(word_of(one), ~writer, __ATOMIC_RELEASE);
    } else {
      __atomic_fetch_sub(word_of(one), reader, __ATOMIC_RELEASE);
    }
  }
  static bool upgrade(lock& by) noexcept {
    if (is_writer(by)) {
      return true;
    }
    mutex& one = *by.my_mutex;
    for (std::uintptr_t alone : {reader, reader | waits}) {
      if (__atomic_compare_exchange_n(word_of(one), &alone, writer, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
        by.my_state.store(1, std::memory_order_relaxed);
        return true;
      }
    }
    release(by);
    acquire(one, by, true);
    return false;
  }
  static bool downgrade(lock& by) noexcept {
    if (is_writer(by)) {
      by.my_state.store(0, std::memory_order_relaxed);
      __atomic_fetch_add(word_of(*by.my_mutex), reader - writer, __ATOMIC_RELEASE);
    }
    return true;
  }
  static bool is_writer(const lock& by) noexcept { return by.my_state.load(std::memory_order_relaxed) == 1; }

private:
  static constexpr std::uintptr_t writer = 1;
  static constexpr std::uintptr_t waits = 2;
  static constexpr std::uintptr_t reader = 4;

  static std::uintptr_t* word_of(mutex& one) noexcept {
    return reinterpret_cast<std::uintptr_t*>(&one.q_tail);
  }
};

void acquire(d1::queuing_rw_mutex& mutex, d1::queuing_rw_mutex::scoped_lock& by, bool writes) {
  queuing_rw_mutex_impl::acquire(mutex, by, writes);
}
bool try_acquire(d1::queuing_rw_mutex& mutex, d1::queuing_rw_mutex::scoped_lock& by, bool writes) {
  return queuing_rw_mutex_impl::try_acquire(mutex, by, writes);
}
void release(d1::queuing_rw_mutex::scoped_lock& by) { queuing_rw_mutex_impl::release(by); }
bool upgrade_to_writer(d1::queuing_rw_mutex::scoped_lock& by) { return queuing_rw_mutex_impl::upgrade(by); }
bool downgrade_to_reader(d1::queuing_rw_mutex::scoped_lock& by) {
  return queuing_rw_mutex_impl::downgrade(by);
}
bool is_writer(const d1::queuing_rw_mutex::scoped_lock& by) { return queuing_rw_mutex_impl::is_writer(by); }
/// Names it for a tool.
void construct(d1::queuing_rw_mutex&);
void construct(d1::queuing_rw_mutex&) {}

}  // namespace tbb::detail::r1
