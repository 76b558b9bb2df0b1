// Each rank gives a value to the next one, and computes meanwhile.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

#include <cstdio>
#include <vector>

int given_by_the_rank_before(const nopal::mpi::session& session, int value) {
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  int got = 0;
  std::vector<double> numbers(100'000, 2.0);
  nopal::scope s;
  s.fork([&] {
    MPI_Request requests[2];
    nopal::mpi::start([&] {
      MPI_Irecv(&got, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
    });
    nopal::mpi::wait_all(requests);  // the strand waits, and no worker does
  });
  nopal::parallel_for(numbers.begin(), numbers.end(), [](double& x) { x *= x; });
  s.join();
  return got;
}

int main(int argc, char** argv) {
  nopal::mpi::session session(argc, argv);
  const int got = given_by_the_rank_before(session, session.rank() + 10);
  int sum = 0;
  nopal::mpi::complete([&](MPI_Request* request) {
    return MPI_Iallreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
  });
  const int ranks = session.size();
  if (session.rank() == 0) std::printf("%d ranks x %d workers: %d\n", ranks, nopal::workers(), sum);
  return sum == 10 * ranks + ranks * (ranks - 1) / 2 ? 0 : 1;
}
