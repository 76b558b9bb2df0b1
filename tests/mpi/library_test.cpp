// libnopal-mpi, by all ranks of a communicator of any size: sessions, calls, requests that strands wait for,
// errors. Usage: library LEVEL, a number as MPI_Init_thread takes it.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>
#include <nopal/waiting.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace mpi = nopal::mpi;

void fail(const char* what, int line) {
  std::fprintf(stderr, "library_test.cpp:%d: not so: %s\n", line, what);
  std::_Exit(1);
}

#define CHECK(...) ((__VA_ARGS__) ? void() : fail(#__VA_ARGS__, __LINE__))

struct ranks {
  int own;
  int count;
  [[nodiscard]] int next() const { return (own + 1) % count; }
  [[nodiscard]] int last() const { return (own + count - 1) % count; }
};

template <class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const nopal::error& thrown) {
    return thrown.what();
  }
  return "";
}

bool begins_with(const std::string& text, const std::string& begin) { return text.rfind(begin, 0) == 0; }

void send(const int& value, int to, int tag, MPI_Request& request) {
  mpi::start([&] { return MPI_Isend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request); }, "MPI_Isend");
}
void receive(int& value, int from, int tag, MPI_Request& request) {
  mpi::start([&] { return MPI_Irecv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request); }, "MPI_Irecv");
}

/// Each strand waits for a message that a later one sends: a worker that was kept would wait for ever.
void strands_wait_without_workers(const ranks& r) {
  constexpr int strands = 100;
  std::array<int, strands> got{};
  nopal::scope s;
  for (int i = 0; i < strands; ++i) {
    s.fork([&got, &r, i] {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status{};
      receive(got.at(static_cast<std::size_t>(i)), r.last(), i, request);
      mpi::wait(request, &status);
      CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == r.last() && status.MPI_TAG == i);
    });
  }
  for (int i = strands - 1; i >= 0; --i) {
    s.fork([&r, i] {
      const int value = 1000 * r.own + i;
      MPI_Request request = MPI_REQUEST_NULL;
      send(value, r.next(), i, request);
      mpi::wait(request);
    });
  }
  s.join();
  for (int i = 0; i < strands; ++i) CHECK(got.at(static_cast<std::size_t>(i)) == 1000 * r.last() + i);
}

void many_requests_are_waited_for_at_once(const ranks& r) {
  constexpr std::size_t count = 300;
  std::vector<int> sent(count);
  std::vector<int> got(count);
  std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
  std::vector<MPI_Status> statuses(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    receive(got[i], r.last(), static_cast<int>(i), requests[i]);
  }
  for (std::size_t i = count; i-- > 0;) {
    sent[i] = static_cast<int>(7 * i) + r.own;
    send(sent[i], r.next(), static_cast<int>(i), requests[count + i]);
  }
  mpi::wait_all(requests, statuses.data());
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(got[i] == static_cast<int>(7 * i) + r.last());
    CHECK(statuses[i].MPI_TAG == static_cast<int>(i));
    CHECK(requests[i] == MPI_REQUEST_NULL);
  }
  mpi::wait_all({});
}

/// Larger than what is sent without asking: somebody has to look after it meanwhile.
void large_messages_arrive(const ranks& r) {
  constexpr int count = 1 << 20;
  std::vector<int> sent(count, r.own);
  std::vector<int> got(count, -1);
  std::array<MPI_Request, 2> requests{};
  mpi::start([&] {
    mpi::check(MPI_Irecv(got.data(), count, MPI_INT, r.last(), 0, MPI_COMM_WORLD, requests.data()),
               "MPI_Irecv");
    mpi::check(MPI_Isend(sent.data(), count, MPI_INT, r.next(), 0, MPI_COMM_WORLD, &requests[1]),
               "MPI_Isend");
  });
  nopal::scope s;
  s.fork([&] { mpi::wait_all(requests); });
  s.join();
  CHECK(got.front() == r.last() && got.back() == r.last());
}

void collectives_complete(const ranks& r) {
  int sum = 0;
  const int own = r.own + 1;
  mpi::complete(
      [&](MPI_Request* one) { return MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, one); });
  CHECK(sum == r.count * (r.count + 1) / 2);
  mpi::barrier();
  int rank = -1;
  mpi::call([&] { mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank"); });
  CHECK(rank == r.own);
}

/// Below `multiple` all calls come from the thread that initialized MPI; there, strands call themselves.
void calls_are_made_where_the_level_allows(bool strands_call) {
  const std::thread::id own = std::this_thread::get_id();
  const auto is_main = [] {
    int found = 0;
    mpi::check(MPI_Is_thread_main(&found), "MPI_Is_thread_main");
    return found != 0;
  };
  CHECK(mpi::call(is_main) == !strands_call);
  mpi::start(
      [&] { CHECK((std::this_thread::get_id() == own) == strands_call && is_main() == !strands_call); });
}

struct immovable_size {
  explicit immovable_size(int of) : value(of) {}
  int value;
};

void calls_give_back(const ranks& r) {
  CHECK(mpi::call([] { return 7; }) == 7);
  CHECK(mpi::call([] { return immovable_size(3); }).value == 3);
  int one = 1;
  int& same = mpi::call([&one]() -> int& { return one; });
  CHECK(&same == &one);
  nopal::scope s;
  for (int i = 0; i < 20; ++i) {
    s.fork([&r, i] {
      bool is_caught = false;
      try {
        mpi::call([i] {
          if (i >= 0) throw i;
        });
      } catch (int thrown) {
        is_caught = thrown == i;
      }
      CHECK(is_caught);
      // Within a call all is MPI's own.
      mpi::call([&r] {
        const int sent = 5;
        int got = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::start([&] { return MPI_Isend(&sent, 1, MPI_INT, r.own, 900, MPI_COMM_WORLD, &request); });
        mpi::check(MPI_Recv(&got, 1, MPI_INT, r.own, 900, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
        mpi::wait(request);
        CHECK(got == 5);
      });
    });
  }
  s.join();
}

void requests_that_are_none_are_over(const ranks& r) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status{};
  mpi::wait(none, &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);

  int sent = 0;
  int got = -1;
  std::array<MPI_Request, 2> persistent{};
  mpi::start([&] {
    mpi::check(MPI_Send_init(&sent, 1, MPI_INT, r.next(), 1, MPI_COMM_WORLD, persistent.data()),
               "MPI_Send_init");
    mpi::check(MPI_Recv_init(&got, 1, MPI_INT, r.last(), 1, MPI_COMM_WORLD, &persistent[1]), "MPI_Recv_init");
  });
  mpi::wait_all(persistent);  // inactive
  for (int i = 0; i < 5; ++i) {
    sent = 10 * i + r.own;
    mpi::start([&] { return MPI_Startall(2, persistent.data()); }, "MPI_Startall");
    mpi::wait_all(persistent);
    CHECK(got == 10 * i + r.last());
    CHECK(persistent[0] != MPI_REQUEST_NULL && persistent[1] != MPI_REQUEST_NULL);
  }
  mpi::start([&] {
    mpi::check(MPI_Request_free(persistent.data()), "MPI_Request_free");
    mpi::check(MPI_Request_free(&persistent[1]), "MPI_Request_free");
  });
}

void cancelled_requests_are_over(const ranks& r) {
  int got = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  receive(got, r.last(), 901, request);
  mpi::start([&] { return MPI_Cancel(&request); }, "MPI_Cancel");
  mpi::wait(request, &status);
  int is_cancelled = 0;
  mpi::start([&] { return MPI_Test_cancelled(&status, &is_cancelled); });
  CHECK(is_cancelled != 0);
}

void errors_are_thrown(const ranks& r) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  const std::string line = thrown_by([&] { send(value, r.count + 5, 0, request); });
  CHECK(begins_with(line, "nopal: mpi: MPI_Isend: MPI_ERR_RANK"));
  int code = MPI_SUCCESS;
  try {
    mpi::start([&] { return MPI_Isend(&value, -1, MPI_INT, r.own, 0, MPI_COMM_WORLD, &request); });
  } catch (const mpi::error& thrown) {
    code = thrown.code();
  }
  CHECK(code != MPI_SUCCESS);

  // Too long for its buffer, between two that are not.
  const std::array<int, 3> sent = {1, 2, 3};
  std::array<int, 3> got{};
  std::array<MPI_Request, 6> requests{};
  nopal::scope s;
  std::string thrown;
  s.fork([&] {
    mpi::start([&] {
      for (int i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(i);
        MPI_Irecv(&got[at], 1, MPI_INT, r.last(), 20 + i, MPI_COMM_WORLD, &requests[at]);
      }
    });
    thrown = thrown_by([&] { mpi::wait_all(std::span(requests).first(3)); });
  });
  mpi::start([&] {
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Isend(sent.data(), i == 1 ? 3 : 1, MPI_INT, r.next(), 20 + i, MPI_COMM_WORLD, &requests[3 + at]);
    }
  });
  mpi::wait_all(std::span(requests).last(3));
  s.join();
  // Of what a rank sends to itself, Open MPI 4.1 does not say so.
  CHECK(begins_with(thrown, "nopal: mpi: MPI_Wait: MPI_ERR_TRUNCATE") || r.count == 1);
  CHECK(got[0] == 1 && got[2] == 1);
}

/// A strand that computes, and lets one that waits for a message go on, also on one worker.
void strands_yield(const ranks& r) {
  std::atomic<bool> is_here = false;
  const int sent = r.own;
  nopal::scope s;
  s.fork([&] {
    int got = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    receive(got, r.last(), 60, request);
    mpi::wait(request);
    CHECK(got == r.last());
    is_here.store(true, std::memory_order_release);
  });
  MPI_Request request = MPI_REQUEST_NULL;
  send(sent, r.next(), 60, request);
  // Acquire pairs with the release above.
  while (!is_here.load(std::memory_order_acquire)) mpi::yield();
  s.join();
  mpi::wait(request);
}

/// Its destructor waits, also for an exception.
void guards_wait(const ranks& r) {
  int got = -1;
  const int sent = r.own;
  bool is_caught = false;
  try {
    mpi::request incoming;
    mpi::request outgoing;
    receive(got, r.last(), 30, *incoming.handle());
    send(sent, r.next(), 30, *outgoing.handle());
    throw 1;
  } catch (int) {
    is_caught = true;
  }
  CHECK(is_caught && got == r.last());
}

void threads_wait_as_well(const ranks& r) {
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&r, i] {
      int got = -1;
      const int sent = r.own;
      MPI_Request incoming = MPI_REQUEST_NULL;
      MPI_Request outgoing = MPI_REQUEST_NULL;
      receive(got, r.last(), 40 + i, incoming);
      send(sent, r.next(), 40 + i, outgoing);
      mpi::wait(incoming);
      mpi::wait(outgoing);
      CHECK(got == r.last());
    });
  }
  for (std::thread& one : threads) one.join();
}

/// To stop a scope ends no wait: MPI has the buffer until the request is complete.
void stopped_strands_wait_on(const ranks& r) {
  int got = -1;
  const int sent = r.own;
  nopal::cancel_scope s;
  nopal::event is_begun;
  s.fork([&] {
    MPI_Request incoming = MPI_REQUEST_NULL;
    receive(got, r.last(), 50, incoming);
    is_begun.set();
    mpi::wait(incoming);
    CHECK(got == r.last());
  });
  is_begun.wait();
  static_cast<void>(s.request_stop());
  MPI_Request outgoing = MPI_REQUEST_NULL;
  send(sent, r.next(), 50, outgoing);
  mpi::wait(outgoing);
  s.join();
  CHECK(got == r.last());
}

void new_processes_are_refused() {
  const pid_t child = fork();
  if (child == 0) {
    const std::string line = thrown_by([] { mpi::barrier(); });
    const std::string again = thrown_by([] { const mpi::session second; });
    _exit(begins_with(line, "nopal: mpi: this process was made by fork(2)") && again == line ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

void a_second_session_is_refused() {
  CHECK(begins_with(thrown_by([] { const mpi::session second; }), "nopal: mpi: there is a session already"));
}

void no_session_is_an_error() {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(begins_with(thrown_by([&] { mpi::wait(request); }), "nopal: mpi: there is no session"));
  CHECK(begins_with(thrown_by([] { mpi::call([] {}); }), "nopal: mpi: there is no session"));
}

void run_all(const ranks& r) {
  for (const auto test :
       {strands_wait_without_workers, many_requests_are_waited_for_at_once, large_messages_arrive,
        collectives_complete, calls_give_back, requests_that_are_none_are_over, cancelled_requests_are_over,
        errors_are_thrown, strands_yield, guards_wait, threads_wait_as_well, stopped_strands_wait_on})
    test(r);
  new_processes_are_refused();
  a_second_session_is_refused();
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const auto level = static_cast<mpi::thread_level>(argv[1][0] - '0');
  no_session_is_an_error();
  CHECK(begins_with(thrown_by([] { const mpi::session none({.level = static_cast<mpi::thread_level>(9)}); }),
                    "nopal: mpi: a level that is none"));
  {
    mpi::session session(argc, argv, {.level = level});
    CHECK(session.level() == level);
    const ranks r{session.rank(), session.size()};
    calls_are_made_where_the_level_allows(level == mpi::thread_level::multiple);
    run_all(r);
    // In a strand of its own, as well as on the thread.
    nopal::scope s;
    s.fork([&] { run_all(r); });
    s.join();
    mpi::barrier();
  }
  no_session_is_an_error();
  CHECK(begins_with(thrown_by([] { const mpi::session second; }), "nopal: mpi: MPI was finalized"));
  return 0;
}
