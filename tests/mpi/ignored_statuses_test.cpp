// Waits without statuses where MPI's words for that are not null, as those of MPICH are not. The library's sources are
// compiled with such words, and nothing but nopal itself is linked.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

#undef MPI_STATUS_IGNORE
#undef MPI_STATUSES_IGNORE
// Nothing can be written there.
#define MPI_STATUS_IGNORE (reinterpret_cast<MPI_Status*>(1))
#define MPI_STATUSES_IGNORE (reinterpret_cast<MPI_Status*>(1))

// NOLINTBEGIN(bugprone-suspicious-include): see above
#include "mpi/binding.cpp"
#include "mpi/session.cpp"
#include "mpi/thread.cpp"
// NOLINTEND(bugprone-suspicious-include)

#include <array>
#include <cstddef>
#include <cstdio>

int main() {
  const nopal::mpi::session session;
  std::array<int, 2> got{};
  const std::array<int, 2> sent = {3, 4};
  std::array<MPI_Request, 4> requests{};
  // Messages that are there, and messages that come while a strand waits.
  for (const bool is_late : {false, true}) {
    const auto send = [&] {
      for (int i = 0; i < 2; ++i) {
        const auto at = static_cast<std::size_t>(i);
        MPI_Isend(&sent[at], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 + at]);
      }
    };
    got = {};
    MPI_Irecv(got.data(), 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests.data());
    MPI_Irecv(&got[1], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
    nopal::scope s;
    if (!is_late) send();
    s.fork([&] {
      nopal::mpi::wait(requests[0], MPI_STATUS_IGNORE);
      nopal::mpi::wait_all(std::span(requests).subspan(1, 1), MPI_STATUSES_IGNORE);
    });
    if (is_late) send();
    s.join();
    nopal::mpi::wait_all(std::span(requests).last(2), MPI_STATUSES_IGNORE);
    if (got != sent) {
      std::fprintf(stderr, "ignored_statuses_test.cpp: %d %d\n", got[0], got[1]);
      return 1;
    }
  }
  return 0;
}
