// Ends of sessions, as they should be and otherwise, one in a process. Usage: ends CASE.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace mpi = nopal::mpi;
using namespace std::chrono_literals;

void fail(const char* what, int line) {
  std::fprintf(stderr, "ends_test.cpp:%d: not so: %s\n", line, what);
  std::_Exit(1);
}

#define CHECK(...) ((__VA_ARGS__) ? void() : fail(#__VA_ARGS__, __LINE__))

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

bool is_finalized() {
  int found = 0;
  MPI_Finalized(&found);
  return found != 0;
}

void initialize() {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  CHECK(given == MPI_THREAD_MULTIPLE);
}

// What is to become of the next call of that name in this program.
std::atomic<bool> test_is_slow = false;
std::atomic<bool> is_in_test = false;
std::atomic<bool> split_fails = false;

/// Threads call again and again until they are refused, beside the ends of many sessions.
void end_beside_calls(mpi::thread_level level) {
  initialize();
  for (int round = 0; round < 500; ++round) {
    std::optional<mpi::session> session;
    session.emplace(mpi::options{.level = level});
    std::atomic<int> begun = 0;
    std::vector<std::thread> threads;
    constexpr int count = 4;
    threads.reserve(count);
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        begun.fetch_add(1);
        const std::string line = thrown_by([] {
          for (;;) {
            int found = 0;
            mpi::start([&] { return MPI_Initialized(&found); });
            mpi::yield();
          }
        });
        CHECK(begins_with(line, "nopal: mpi: there is no session"));
      });
    }
    while (begun.load() < count) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(round % 200));
    session.reset();
    for (std::thread& one : threads) one.join();
  }
  MPI_Finalize();
}

/// A call on the caller's own thread has begun, and MPI is there until its end.
void end_beside_a_long_call() {
  std::atomic<bool> is_begun = false;
  bool was_finalized = true;
  std::thread caller;
  {
    const mpi::session session;
    if (session.level() != mpi::thread_level::multiple) return;
    caller = std::thread([&] {
      mpi::start([&] {
        is_begun.store(true);
        std::this_thread::sleep_for(100ms);
        was_finalized = is_finalized();
      });
    });
    while (!is_begun.load()) std::this_thread::yield();
  }
  CHECK(is_finalized());
  caller.join();
  CHECK(!was_finalized);
}

/// A wait has begun, and has not come to the session's thread yet.
void end_beside_the_beginning_of_a_wait() {
  initialize();
  std::optional<mpi::session> session;
  session.emplace();
  int got = 0;
  const int sent = 7;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  std::thread waiter([&] {
    test_is_slow.store(true);
    mpi::wait(request);
  });
  while (!is_in_test.load()) std::this_thread::yield();
  std::thread sender([&] {
    std::this_thread::sleep_for(200ms);
    MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  });
  session.reset();
  waiter.join();
  sender.join();
  CHECK(got == sent && request == MPI_REQUEST_NULL);
  MPI_Finalize();
}

void use(const mpi::session& session) {
  int sum = 0;
  const int own = 1;
  mpi::complete(
      [&](MPI_Request* r) { return MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r); });
  CHECK(sum == session.size());
}

bool is_initialized() {
  int found = 0;
  MPI_Initialized(&found);
  return found != 0;
}

/// A number of workers that cannot be is refused before MPI begins, so that another session may follow.
void begin_with_wrong_workers() {
  for (const int workers : {-3, 5000, 2'000'000'000}) {
    const std::string line = thrown_by([&] { const mpi::session none({.workers = workers}); });
    CHECK(begins_with(line, "nopal: configure: workers = ") && !is_initialized());
  }
  nopal::scope s;
  s.fork([] {});
  s.join();
  const std::string line = thrown_by([] { const mpi::session none({.workers = nopal::workers() + 1}); });
  CHECK(begins_with(line, "nopal: configure: the runtime runs already") && !is_initialized());
  {
    const mpi::session session;
    use(session);
  }
  CHECK(is_finalized());
}

/// A beginning that fails once MPI has begun ends it.
void begin_and_fail() {
  split_fails.store(true);
  CHECK(begins_with(thrown_by([] { const mpi::session none; }), "nopal: mpi: MPI_Comm_split_type: "));
  CHECK(is_finalized());
  CHECK(begins_with(thrown_by([] { const mpi::session none; }), "nopal: mpi: MPI was finalized, and"));
}

/// The program's own MPI is left to it.
void adopt_and_fail() {
  initialize();
  split_fails.store(true);
  CHECK(begins_with(thrown_by([] { const mpi::session none; }), "nopal: mpi: MPI_Comm_split_type: "));
  CHECK(!is_finalized());
  split_fails.store(false);
  {
    const mpi::session session;
    use(session);
  }
  MPI_Finalize();
}

void refuse_what_is_behind_the_end() {
  const std::string line = thrown_by([] { mpi::barrier(); });
  CHECK(begins_with(line, "nopal: mpi: MPI was finalized within the session"));
  CHECK(thrown_by([] { mpi::call([] {}); }) == line);
  MPI_Request none = MPI_REQUEST_NULL;
  CHECK(thrown_by([&] { mpi::wait(none); }) == line);
}

/// The program ends what the session began.
void finalize_within(mpi::thread_level level) {
  const mpi::session session({.level = level});
  use(session);
  mpi::start([] { return MPI_Finalize(); });
  refuse_what_is_behind_the_end();
}

void finalize_what_was_adopted() {
  initialize();
  const mpi::session session;
  use(session);
  MPI_Finalize();
  refuse_what_is_behind_the_end();
}

}  // namespace

// The library's calls come here, and go on to MPI's own by its names for tools.
extern "C" {
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (test_is_slow.exchange(false)) {
    is_in_test.store(true);
    std::this_thread::sleep_for(100ms);
    *flag = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Test(request, flag, status);
}

int MPI_Comm_split_type(MPI_Comm of, int by, int key, MPI_Info info, MPI_Comm* made) {
  return split_fails.load() ? MPI_ERR_OTHER : PMPI_Comm_split_type(of, by, key, info, made);
}
}

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {
      {"beside_calls_of_strands", [] { end_beside_calls(mpi::thread_level::multiple); }},
      {"beside_calls_of_its_thread", [] { end_beside_calls(mpi::thread_level::funneled); }},
      {"beside_a_long_call", end_beside_a_long_call},
      {"beside_the_beginning_of_a_wait", end_beside_the_beginning_of_a_wait},
      {"wrong_workers", begin_with_wrong_workers},
      {"begin_and_fail", begin_and_fail},
      {"adopt_and_fail", adopt_and_fail},
      {"finalize_within", [] { finalize_within(mpi::thread_level::multiple); }},
      {"finalize_on_its_thread", [] { finalize_within(mpi::thread_level::funneled); }},
      {"finalize_what_was_adopted", finalize_what_was_adopted},
  };
  CHECK(argc == 2 && cases.count(argv[1]) == 1);
  cases.at(argv[1])();
  return 0;
}
