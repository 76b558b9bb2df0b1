// Several threads of the program's own, each of which uses Nopal whenever it has something to compute: a server whose threads take
// requests from a queue. A request is answered in parallel; all threads share one pool of workers, and there is nothing to set up:
// a thread that the runtime does not know joins it at its first fork, and its outermost join returns on the same thread.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <nopal/parallel.hpp>

/// A queue of requests, closed when there will be no more.
template <class T>
class channel {
public:
  void send(T request) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(request));
    }
    changed_.notify_one();
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// The next request; none once the channel is closed and empty. The mutex is free again when it returns: none may be held
  /// across a fork or a join, since what follows them may be on another thread.
  std::optional<T> receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    T request = std::move(waiting_.front());
    waiting_.pop_front();
    return request;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> waiting_;
  bool closed_ = false;
};

/// "Which number from `first` to before `last` takes most steps to reach 1?", where an even number is halved, and an odd one
/// becomes one more than its triple.
struct request {
  std::size_t id;
  std::uint64_t first;
  std::uint64_t last;
};

struct reply {
  std::uint64_t number = 0;
  int steps = 0;
};

reply longest(const request& asked) {
  const auto steps_of = [](std::uint64_t number) {
    reply one{number, 0};
    for (; number > 1; ++one.steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return one;
  };
  const auto longer = [](const reply& left, const reply& right) {
    return left.steps < right.steps ? right : left;
  };
  return nopal::parallel_reduce(asked.first, asked.last, reply(), steps_of, longer);
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const int requests = argc > 2 ? std::atoi(argv[2]) : 40;
  if (argc > 3 || threads < 1 || threads > 64 || requests < 1 || requests > 100'000) {
    std::fprintf(
        stderr,
        "usage: request_server [THREADS [REQUESTS]]\nTHREADS is from 1 to 64, REQUESTS from 1 to 100000.\n");
    return 2;
  }
  channel<request> queue;
  std::vector<reply> replies(static_cast<std::size_t>(requests));
  const auto serve = [&] {
    while (const std::optional<request> next = queue.receive()) replies[next->id] = longest(*next);
  };
  std::vector<std::thread> servers;
  servers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) servers.emplace_back(serve);

  for (std::size_t id = 0; id < replies.size(); ++id)
    queue.send({id, 1 + 10'000 * id, 1 + 10'000 * id + 20'000});
  queue.close();
  for (std::thread& server : servers) server.join();

  for (std::size_t id = 0; id < replies.size(); ++id)
    std::printf("request %zu: %llu takes %d steps\n", id, static_cast<unsigned long long>(replies[id].number),
                replies[id].steps);
}
