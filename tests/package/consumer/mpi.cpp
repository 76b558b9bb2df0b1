// A program of a user's that waits by libnopal-mpi: one rank, which sends to itself.
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>

int main(int argc, char** argv) {
  nopal::mpi::session session(argc, argv);
  int got = 0;
  const int sent = 42;
  const int own = session.rank();
  nopal::scope s;
  s.fork([&] {
    nopal::mpi::complete(
        [&](MPI_Request* r) { return MPI_Irecv(&got, 1, MPI_INT, own, 0, MPI_COMM_WORLD, r); });
  });
  nopal::mpi::complete(
      [&](MPI_Request* r) { return MPI_Isend(&sent, 1, MPI_INT, own, 0, MPI_COMM_WORLD, r); });
  s.join();
  return got == sent ? 0 : 1;
}
