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
// Ends the job if MPI numbers the processes in another way.
void compare_with_mpi(CallName call, const Door& door);
// Makes the communicator of a group. Collective over its members.
void make_communicator(CallName call, const Group& group, ARMCI_Group* handle);
void free_communicator(ARMCI_Group* handle);

}  // namespace gondwana::armci
