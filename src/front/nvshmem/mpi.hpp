// The only code of this door that depends on MPI.
#pragma once

namespace gondwana::nvshmem {

// Ends the job unless the communicator has the ranks of the job in their order. `mpi_comm` is the
// address of an MPI_Comm.
void require_same_ranks(const char* call, const void* mpi_comm);

}  // namespace gondwana::nvshmem
