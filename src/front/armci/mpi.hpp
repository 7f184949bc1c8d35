// The MPI of this process, if any. The library is the same for every MPI: it looks up the MPI
// functions when the process is loaded.
#pragma once

#include "front/armci/door.hpp"

namespace gondwana::armci {

// For programs that leave starting and ending MPI to this library. No effect without MPI.
void start_mpi(CallName call, int* argc, char*** argv);
void end_mpi();
// Called before the door opens. From then on the library uses MPI if MPI is initialized.
void find_mpi(CallName call);
// Whether the library uses MPI, and the program has not finalized it.
bool uses_mpi();
// Makes progress of MPI if its thread level allows this thread to call it. Calls of this library
// count as MPI calls.
enum class From : std::uint8_t { this_library, elsewhere };
void move_mpi(From call);
// Ends the job if MPI numbers the processes differently.
void compare_with_mpi(CallName call, const Door& door);
// Creates the communicator of a group. Collective over its members.
void make_communicator(const Group& group, ARMCI_Group* handle);
void free_communicator(ARMCI_Group* handle);

}  // namespace gondwana::armci
