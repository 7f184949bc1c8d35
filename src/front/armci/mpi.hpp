// The MPI of this process, if it has one. Whichever it is, the library is the same: what it needs
// of MPI is found when the process is loaded.
#pragma once

#include "front/armci/door.hpp"

namespace gondwana::armci {

// For programs that leave MPI to this library. They do nothing in a process without MPI.
void start_mpi(CallName call, int* argc, char*** argv);
void end_mpi();
// Before the door opens: from now on MPI is used if it is initialised.
void find_mpi(CallName call);
// Whether it is used, and its program has not ended it.
bool uses_mpi();
// Lets MPI send and receive what it has begun, if its thread level allows this thread to call it:
// calls of this library count as calls of MPI.
enum class From : std::uint8_t { this_library, elsewhere };
void move_mpi(From call);
// Ends the job if MPI numbers the processes in another way.
void compare_with_mpi(CallName call, const Door& door);
// Makes the communicator of a group. Collective over its members.
void make_communicator(const Group& group, ARMCI_Group* handle);
void free_communicator(ARMCI_Group* handle);

}  // namespace gondwana::armci
