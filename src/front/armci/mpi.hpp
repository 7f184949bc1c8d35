// What the library knows of MPI. mpi_of_program.cpp is compiled for each MPI, without_mpi.cpp for
// programs without one.
#pragma once

#include "front/armci/door.hpp"

namespace gondwana::armci {

// For programs that leave MPI to this library.
void start_mpi(int* argc, char*** argv);
void end_mpi();
// Ends the job if MPI numbers the processes in another way, or is not initialised.
void compare_with_mpi(CallName call, const Door& door);
// Makes the communicator of a group. Collective over its members.
void make_communicator(CallName call, const Group& group, ARMCI_Group* handle);
void free_communicator(ARMCI_Group* handle);

}  // namespace gondwana::armci
