// Beginnings and ends of sessions, one in a process. Usage: sessions CASE.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

namespace mpi = nopal::mpi;

void fail(const char* what, int line) {
  std::fprintf(stderr, "sessions_test.cpp:%d: not so: %s\n", line, what);
  std::_Exit(1);
}

#define CHECK(...) ((__VA_ARGS__) ? void() : fail(#__VA_ARGS__, __LINE__))

bool begins_with(const std::string& text, const std::string& begin) { return text.rfind(begin, 0) == 0; }

/// A ring of messages by strands.
void use(const mpi::session& session) {
  int got = -1;
  const int own = session.rank();
  const int size = session.size();
  nopal::scope s;
  s.fork([&] {
    mpi::complete([&](MPI_Request* r) {
      return MPI_Irecv(&got, 1, MPI_INT, (own + size - 1) % size, 0, MPI_COMM_WORLD, r);
    });
  });
  mpi::complete(
      [&](MPI_Request* r) { return MPI_Isend(&own, 1, MPI_INT, (own + 1) % size, 0, MPI_COMM_WORLD, r); });
  s.join();
  CHECK(got == (own + size - 1) % size);
}

/// The program initializes MPI, and has it for itself before, beside and after sessions.
void adopt(int level) {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, level, &given);
  CHECK(given == level);
  for (int i = 0; i < 2; ++i) {
    const mpi::session session;
    CHECK(static_cast<int>(session.level()) == level);
    use(session);
    if (level == MPI_THREAD_MULTIPLE) MPI_Barrier(MPI_COMM_WORLD);
  }
  {
    const mpi::session session({.level = mpi::thread_level::serialized});
    CHECK(session.level() == mpi::thread_level::serialized);
    use(session);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

/// One where the session's thread may not call MPI.
void refuse(int level) {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, level, &given);
  CHECK(given == level);
  std::string line;
  try {
    const mpi::session session;
  } catch (const nopal::error& thrown) {
    line = thrown.what();
  }
  CHECK(begins_with(line, "nopal: mpi: the program initialized MPI with MPI_THREAD_"));
  MPI_Finalize();
}

// The most that MPI gives in this program.
int most_given = MPI_THREAD_MULTIPLE;

/// Asked for MPI_THREAD_MULTIPLE, MPI gives less.
void take(mpi::thread_level given) {
  most_given = static_cast<int>(given);
  const mpi::session session;
  CHECK(session.level() == given);
  use(session);
  int is_main = 0;
  mpi::start([&] { return MPI_Is_thread_main(&is_main); });
  CHECK(is_main != 0);
}

void refuse_one_that_gives_single() {
  most_given = MPI_THREAD_SINGLE;
  std::string thrown;
  try {
    const mpi::session session;
  } catch (const nopal::error& refused) {
    thrown = refused.what();
  }
  CHECK(begins_with(thrown, "nopal: mpi: this MPI gives MPI_THREAD_SINGLE"));
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  CHECK(is_finalized != 0);
}

/// Without NOPAL_WORKERS.
void share_the_node() {
  const int all = nopal::workers();
  const mpi::session session;
  CHECK(nopal::workers() == (all / session.size() > 1 ? all / session.size() : 1));
  use(session);
}

/// With NOPAL_WORKERS=3.
void obey_the_environment() {
  {
    const mpi::session session;
    CHECK(nopal::workers() == 3);
    use(session);
  }
}

void obey_the_program() {
  const mpi::session session({.workers = 2});
  CHECK(nopal::workers() == 2);
  use(session);
}

/// The pool that runs stays as it is; a number for it is refused.
void leave_a_pool_that_runs() {
  nopal::scope s;
  s.fork([] {});
  s.join();
  const int before = nopal::workers();
  bool is_refused = false;
  int argc = 0;
  char* none = nullptr;
  char** argv = &none;
  const mpi::session session(argc, argv);
  CHECK(nopal::workers() == before);
  try {
    nopal::configure({.workers = before + 1});
  } catch (const nopal::error&) {
    is_refused = true;
  }
  CHECK(is_refused);
  use(session);
}

/// The session's end waits for strands that wait; the message comes late.
void end_beside_a_wait() {
  int got = -1;
  nopal::event is_begun;
  nopal::scope s;
  {
    const mpi::session session;
    if (session.rank() == 0) {
      s.fork([&, size = session.size()] {
        MPI_Request r = MPI_REQUEST_NULL;
        mpi::start([&] { return MPI_Irecv(&got, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, &r); });
        is_begun.set();
        mpi::wait(r);
      });
      is_begun.wait();
      // Time to begin the wait.
      const timespec short_time{0, 20'000'000};
      nanosleep(&short_time, nullptr);
    }
    if (session.rank() == session.size() - 1) {
      const timespec long_time{0, 200'000'000};
      nanosleep(&long_time, nullptr);
      const int sent = 9;
      mpi::call([&] { return MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); });
    }
    if (session.rank() != 0) got = 9;
  }
  s.join();
  CHECK(got == 9);
}

/// By one rank, while the others wait for ever: mpirun gives the code back.
void abort_all() {
  const mpi::session session;
  if (session.rank() == 0) mpi::start([] { return MPI_Abort(MPI_COMM_WORLD, 5); });
  int got = 0;
  mpi::complete([&](MPI_Request* r) { return MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, r); });
}

/// An exception that is caught behind the session: MPI is finalized on the way.
void throw_through_the_end() {
  bool is_caught = false;
  try {
    const mpi::session session;
    use(session);
    throw 1;
  } catch (int) {
    is_caught = true;
  }
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  CHECK(is_caught && is_finalized != 0);
}

/// MPI has no text for it then; the line has the number.
void check_codes_outside() {
  const auto line_of = [] {
    try {
      mpi::check(MPI_ERR_RANK, "MPI_Isend");
    } catch (const mpi::error& thrown) {
      CHECK(thrown.code() == MPI_ERR_RANK);
      return std::string(thrown.what());
    }
    return std::string();
  };
  const std::string expected = "nopal: mpi: MPI_Isend: " + std::to_string(MPI_ERR_RANK);
  CHECK(line_of() == expected);
  {
    const mpi::session session;
    CHECK(begins_with(line_of(), "nopal: mpi: MPI_Isend: MPI_ERR_RANK"));
  }
  CHECK(line_of() == expected);
}

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int asked, int* given) {
  const int code = PMPI_Init_thread(argc, argv, asked, given);
  *given = std::min(*given, most_given);
  return code;
}

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {
      {"adopts_multiple", [] { adopt(MPI_THREAD_MULTIPLE); }},
      {"adopts_serialized", [] { adopt(MPI_THREAD_SERIALIZED); }},
      {"refuses_funneled", [] { refuse(MPI_THREAD_FUNNELED); }},
      {"refuses_single", [] { refuse(MPI_THREAD_SINGLE); }},
      {"take_funneled", [] { take(mpi::thread_level::funneled); }},
      {"take_serialized", [] { take(mpi::thread_level::serialized); }},
      {"refuse_one_that_gives_single", refuse_one_that_gives_single},
      {"share_the_node", share_the_node},
      {"obey_the_environment", obey_the_environment},
      {"obey_the_program", obey_the_program},
      {"leave_a_pool_that_runs", leave_a_pool_that_runs},
      {"end_beside_a_wait", end_beside_a_wait},
      {"abort_all", abort_all},
      {"throw_through_the_end", throw_through_the_end},
      {"check_codes_outside", check_codes_outside},
  };
  CHECK(argc == 2 && cases.count(argv[1]) == 1);
  cases.at(argv[1])();
  return 0;
}
