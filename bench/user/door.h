// The library that a program of `gondwana bench` measures: OpenSHMEM, or with DOOR_GASNET,
// DOOR_ARMCI, DOOR_ARMCI_MPI (ARMCI over MPI) or DOOR_MPI another one. Each door has, under the
// same names,
//   start_door, end_door      a job whose ranks have a block of memory each; if there is a
//   processor
//                             for each rank, each is bound to one
//   block_of                  the block of a rank
//   meet_all                  a barrier
//   put_now, get_now          transfers that are complete, also at the target, on return
//   put_later, complete_puts  transfers that are complete after the second call
//   put_and_tell, wait_for    a message: bytes, followed by a word that the other rank waits for
//   fetch_add, swap           atomic operations, and those of HAS_ADD and HAS_COMPARE_SWAP
//   start_collectives, broadcast_words, sum_words
#ifndef GONDWANA_BENCH_DOOR_H_
#define GONDWANA_BENCH_DOOR_H_

#include "../common/barriers.h"

struct block {
  char* owner;   // its address in calls of the library
  char* mapped;  // its address here; NULL: not mapped
};

#if defined(DOOR_GASNET)
#include "door_gasnet.h"
#elif defined(DOOR_ARMCI) || defined(DOOR_ARMCI_MPI)
#include "door_armci.h"
#elif defined(DOOR_MPI)
#include "door_mpi.h"
#else
#include "door_shmem.h"
#endif

#endif
