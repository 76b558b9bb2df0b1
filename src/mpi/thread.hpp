// The thread of a session: makes calls for strands, and looks after the requests that they wait for.
//
// Invariants:
// * `an order ends once`: the thread tells the order's event last, and touches it no more.
// * `the batch is active`: each request of the batch is active. So testing it brings only what completes.
// * `a request is one thread's`: between `put` and the end of the order nobody else touches its requests.
#ifndef NOPAL_MPI_THREAD_HPP
#define NOPAL_MPI_THREAD_HPP

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include <nopal/mpi.hpp>
#include <nopal/waiting.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

/// What is asked of the thread: a call, or a wait for requests. Lies on the stack of who asks.
struct order {
  void (*run)(void*) = nullptr;  ///< null: a wait
  void* context = nullptr;
  bool is_last = false;  ///< a call that is made once no request is waited for

  MPI_Request* requests = nullptr;
  MPI_Status* statuses = nullptr;  ///< null, or one for each
  std::size_t count = 0;
  std::size_t first = 0;         ///< those before are complete
  std::size_t left = 0;          ///< that the thread tests for it
  std::size_t first_failed = 0;  ///< whose failure `thrown` is

  std::exception_ptr thrown{};  ///< of the call, or of the first request that failed
  event told{};                 ///< by the thread, at the end
  order* next = nullptr;        ///< of the thread's queue
};

/// `error` of what MPI returned, with its text. Where MPI may be called.
std::exception_ptr failure_of(int code, const char* name) noexcept;

/// Tests the order's requests in turn, up to the first that is not complete; whether all are.
bool test_in_turn(order& wait);

class thread {
public:
  /// Throws `nopal::error` if the system refuses it.
  thread();
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;
  /// Once all orders are over. By another thread.
  ~thread();

  /// Whether it is the one that asks.
  [[nodiscard]] static bool is_this() noexcept;

  /// Gives it the order, whose event is to be waited for.
  void put(order& one);

private:
  /// Whose request it is, in the batch.
  struct owner {
    order* wait;
    std::size_t at;
  };

  static void* run_for(void* argument) noexcept;
  void loop() noexcept;
  /// Waits until there is something to do; false: it is over.
  [[nodiscard]] bool pause();
  void take_orders() noexcept;
  void begin(order& one) noexcept;
  static void make_call(order& one) noexcept;
  bool make_room_for(order& wait) noexcept;
  void add_to_batch(order& wait) noexcept;
  /// Whether something was complete.
  bool test_batch() noexcept;
  bool test_each() noexcept;
  void complete(std::size_t at, const MPI_Status& status, int code) noexcept;
  void drop_complete() noexcept;

  std::mutex lock_;                   // of the queue and `is_over_`
  std::condition_variable has_work_;  // an order, or the end
  order* head_ = nullptr;
  order** tail_ = &head_;
  bool is_over_ = false;
  // Whether the queue holds an order: set by who asks, cleared by the thread, both under the lock. Read without
  // it by the thread alone, which takes the lock before it looks at an order.
  std::atomic<bool> has_orders_{false};

  // The batch, and room for what MPI_Testsome says. The thread's own.
  std::vector<MPI_Request> requests_;
  std::vector<owner> owners_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  order* last_ = nullptr;        // to be begun once the batch is empty
  std::int64_t last_event_ = 0;  // when an order came or a request completed; ns of the steady clock
  std::int64_t pause_ns_ = 0;    // the next sleep

  pthread_t thread_{};
};

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
