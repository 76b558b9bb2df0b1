/* To be loaded before a program: what it sends by MPI_Isend is complete once it is received, as MPI may have it of any
   message. A program that waits for its sends before it receives waits for ever then. */
#include <mpi.h>

int MPI_Isend(const void* data, int count, MPI_Datatype of, int to, int tag, MPI_Comm by,
              MPI_Request* request) {
  return PMPI_Issend(data, count, of, to, tag, by, request);
}
