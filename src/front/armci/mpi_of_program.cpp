// mpi.h comes first: armci.h then declares what takes communicators. Its C++ interface is not used.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstring>

#include "front/armci/mpi.hpp"
#include "front/armci/process_door.hpp"
#include "front/armci/profiled.hpp"

namespace gondwana::armci {
namespace {

// Communicators are a pointer or an int. Programs read them where the handle begins.
void store(MPI_Comm communicator, ARMCI_Group* handle) {
  static_assert(sizeof(MPI_Comm) <= sizeof(void*));
  handle->comm = nullptr;
  std::memcpy(static_cast<void*>(&handle->comm), static_cast<const void*>(&communicator),
              sizeof(MPI_Comm));
}
MPI_Comm communicator_in(const ARMCI_Group* handle) {
  MPI_Comm communicator;
  std::memcpy(static_cast<void*>(&communicator), static_cast<const void*>(&handle->comm),
              sizeof(MPI_Comm));
  return communicator;
}

bool is_running() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized != 0 && is_finalized == 0;
}

void check_running(CallName call) {
  if (!is_running())
    give_up(call,
            "MPI is not initialised; call MPI_Init before, or link with libarmci, which needs "
            "no MPI");
}

// Whether it has all processes, in their order.
bool is_world(const Group& group) {
  for (std::uint32_t i = 0; i < group.size(); ++i)
    if (index(group.rank_of(i)) != i) return false;
  return group.size() == group.door().ranks();
}

void check_world(CallName call, MPI_Comm communicator) {
  check_running(call);
  int how = MPI_UNEQUAL;
  MPI_Comm_compare(communicator, MPI_COMM_WORLD, &how);
  if (how != MPI_IDENT && how != MPI_CONGRUENT)
    give_up(call, "the communicator has not the processes of MPI_COMM_WORLD in their order");
}

}  // namespace

void start_mpi(int* argc, char*** argv) {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized == 0) MPI_Init(argc, argv);
}

void end_mpi() {
  if (is_running()) MPI_Finalize();
}

void compare_with_mpi(CallName call, const Door& door) {
  check_running(call);
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (static_cast<std::uint32_t>(size) == door.ranks() &&
      static_cast<std::uint32_t>(rank) == index(door.rank()))
    return;
  give_up(call, fmt::format("this is process {} of {} to MPI, but {} of {} here; start the program "
                            "by the mpirun of its MPI, or by srun",
                            rank, size, index(door.rank()), door.ranks()));
}

void make_communicator(CallName /*call*/, const Group& group, ARMCI_Group* handle) {
  MPI_Comm made = MPI_COMM_NULL;
  if (is_world(group)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  } else if (group.me()) {
    std::vector<int> ranks;
    ranks.reserve(group.size());
    for (std::uint32_t i = 0; i < group.size(); ++i)
      ranks.push_back(static_cast<int>(index(group.rank_of(i))));
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members);
    MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &made);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
  }
  store(made, handle);
}

// A program may end MPI first.
void free_communicator(ARMCI_Group* handle) {
  MPI_Comm communicator = communicator_in(handle);
  if (is_running() && communicator != MPI_COMM_NULL) MPI_Comm_free(&communicator);
  store(MPI_COMM_NULL, handle);
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

int PARMCI_Init_mpi_comm(MPI_Comm comm) {
  check_world("ARMCI_Init_mpi_comm", comm);
  start("ARMCI_Init_mpi_comm");
  return 0;
}

int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) {
  check_world("ARMCI_Init_thread_comm", comm);
  return PARMCI_Init_thread(armci_requested);
}

MPI_Comm armci_group_comm(ARMCI_Group* group) {
  return communicator_in(group);
}

GONDWANA_PROFILED(Init_mpi_comm);
GONDWANA_PROFILED(Init_thread_comm);
