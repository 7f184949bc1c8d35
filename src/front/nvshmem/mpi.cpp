#include "front/nvshmem/mpi.hpp"

#include <dlfcn.h>

#include <string>

#include "front/nvshmem/say.hpp"
#include "shmem.h"

namespace gondwana::nvshmem {
namespace {

// A communicator is a pointer in Open MPI, and an int in MPICH and its derivatives.
template <typename Handle>
int ask(void* function, const void* communicator) {
  int answer = -1;
  reinterpret_cast<int (*)(Handle, int*)>(function)(*static_cast<const Handle*>(communicator),
                                                    &answer);
  return answer;
}

int ask(const char* call, const char* question, const void* communicator) {
  void* function = ::dlsym(RTLD_DEFAULT, question);
  if (function == nullptr || communicator == nullptr)
    give_up(call,
            "NVSHMEMX_INIT_WITH_MPI_COMM: this process has no MPI, or no communicator was passed; "
            "call nvshmem_init");
  const bool is_pointer = ::dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
  return is_pointer ? ask<void*>(function, communicator) : ask<int>(function, communicator);
}

}  // namespace

void require_same_ranks(const char* call, const void* mpi_comm) {
  const int size = ask(call, "MPI_Comm_size", mpi_comm);
  const int rank = ask(call, "MPI_Comm_rank", mpi_comm);
  if (size == shmem_n_pes() && rank == shmem_my_pe()) return;
  give_up(
      call,
      "this process is rank " + std::to_string(rank) + " of " + std::to_string(size) +
          " in the communicator and " + std::to_string(shmem_my_pe()) + " of " +
          std::to_string(shmem_n_pes()) +
          " in the job; pass MPI_COMM_WORLD: parts of a job and other orders are not implemented");
}

}  // namespace gondwana::nvshmem
