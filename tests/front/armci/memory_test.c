// Start and end, more than once, and all kinds of memory.
#include <stdint.h>
#include <unistd.h>

#include "job.h"

enum { many = 100, large = 1 << 20 };

static void* blocks[job_most];

static int is_aligned(const void* address, size_t alignment) {
  return (uintptr_t)address % alignment == 0;
}

// Puts a number to the block of the right neighbour, and checks the one that has arrived here.
static void use(void** at, int number) {
  if (at[job_right] != NULL) {
    ARMCI_PutValueInt(number + job_me, at[job_right], job_right);
    CHECK_INT(ARMCI_GetValueInt(at[job_right], job_right), number + job_me);
  }
  ARMCI_Barrier();
  if (at[job_me] != NULL) CHECK_INT(*(int*)at[job_me], number + job_left);
}

// Process i allocates nothing, or more than process i - 1.
static armci_size_t size_of(int rank) {
  return rank % 3 == 1 ? 0 : 1000 * (rank + 1);
}

static void different_sizes(void) {
  CHECK_INT(ARMCI_Malloc(blocks, size_of(job_me)), 0);
  for (int i = 0; i < job_ranks; ++i) {
    CHECK((blocks[i] == NULL) == (size_of(i) == 0));
    CHECK(is_aligned(blocks[i], 64));
    if (blocks[i] == NULL) continue;
    char* last = (char*)blocks[i] + size_of(i) - job_ranks;
    ARMCI_Put(&job_me, last + job_me, 1, i);
  }
  ARMCI_Barrier();
  ARMCI_Access_begin(blocks[job_me]);
  for (int i = 0; i < job_ranks && blocks[job_me] != NULL; ++i)
    CHECK_INT(((char*)blocks[job_me])[size_of(job_me) - job_ranks + i], i);
  ARMCI_Access_end(blocks[job_me]);
  PARMCI_Access_begin(blocks[job_me]);
  PARMCI_Access_end(blocks[job_me]);
  CHECK_INT(ARMCI_Free(blocks[job_me]), 0);
  CHECK_INT(ARMCI_Malloc(blocks, 0), 0);
  for (int i = 0; i < job_ranks; ++i) CHECK(blocks[i] == NULL);
  CHECK_INT(ARMCI_Free(NULL), 0);
}

static void large_blocks(void) {
  const armci_size_t size = large + 4096 * job_me + 1;
  CHECK_INT(PARMCI_Malloc(blocks, size), 0);
  CHECK(is_aligned(blocks[job_me], (size_t)sysconf(_SC_PAGESIZE)));
  use(blocks, 70);
  CHECK_INT(PARMCI_Free(blocks[job_me]), 0);
  for (int i = 0; i < 100; ++i) {  // more than a node has, unless memory is reused
    CHECK_INT(ARMCI_Malloc(blocks, 1024L * large / job_ranks), 0);
    CHECK_INT(ARMCI_Free(blocks[job_me]), 0);
  }
}

static void many_blocks(void) {
  static void* all[many][job_most];
  for (int i = 0; i < many; ++i)
    CHECK_INT(ARMCI_Malloc(all[i], 4 + (i * 37 + job_me * 11) % 3000), 0);
  for (int i = 0; i < many; ++i) ARMCI_PutValueInt(i * 10 + job_me, all[i][job_right], job_right);
  ARMCI_Barrier();
  for (int i = 0; i < many; ++i) CHECK_INT(*(int*)all[i][job_me], i * 10 + job_left);
  for (int i = 0; i < many; ++i)  // in another order
    CHECK_INT(ARMCI_Free(all[i * 37 % many][job_me]), 0);
}

static void other_forms(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  CHECK_INT(ARMCI_Malloc_group(blocks, 100, &world), 0);
  use(blocks, 10);
  CHECK_INT(ARMCI_Free_group(blocks[job_me], &world), 0);
  CHECK_INT(ARMCI_Malloc_memdev(blocks, 100, "host"), 0);
  use(blocks, 20);
  CHECK_INT(ARMCI_Free_memdev(blocks[job_me]), 0);
  CHECK_INT(ARMCI_Malloc_group_memdev(blocks, 100, &world, NULL), 0);
  use(blocks, 30);
  CHECK_INT(PARMCI_Free_group(blocks[job_me], &world), 0);
  CHECK_INT(PARMCI_Malloc_group(blocks, 100, &world), 0);
  use(blocks, 40);
  CHECK_INT(PARMCI_Free_memdev(blocks[job_me]), 0);
  ARMCI_Set_shm_limit(1);
  for (armci_size_t size = 0; size < 100000; size = size * 3 + 1) {
    char* mine = (char*)ARMCI_Malloc_local(size);
    CHECK(mine != NULL);
    memset(mine, 1, (size_t)size);
    CHECK_INT(ARMCI_Free_local(mine), 0);
  }
  CHECK_INT(PARMCI_Free_local(PARMCI_Malloc_local(10)), 0);
}

static void shared_by_structure(void) {
  armci_meminfo_t all[job_most];
  for (int i = 0; i < job_ranks; ++i) {
    if (i == job_me) ARMCI_Memget(1000, &all[i], 0);
    armci_msg_bcast(&all[i], sizeof(all[i]), i);
    CHECK_INT((long long)all[i].size, 1000);
    int* there = (int*)ARMCI_Memat(&all[i], 8);
    const int reaches = i == job_me || (ARMCI_Uses_shm() && ARMCI_Same_node(i));
    CHECK_INT(there != NULL, reaches);
    if (there != NULL) there[job_me] = i * 100 + job_me;
  }
  armci_msg_barrier();
  for (int i = 0; i < job_ranks; ++i) {
    int* own = (int*)ARMCI_Memat(&all[job_me], 8);
    if (i == job_me || (ARMCI_Uses_shm() && ARMCI_Same_node(i)))
      CHECK_INT(own[i], job_me * 100 + i);
  }
  armci_msg_barrier();
  for (int i = 0; i < job_ranks; ++i) ARMCI_Memdt(&all[i], 8);
  for (int i = 0; i < job_ranks; ++i) ARMCI_Memctl(&all[i]);
}

// Each process publishes an address inside its block.
static void exchanged_addresses(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  void* shown[job_most] = {NULL};
  CHECK_INT(ARMCI_Malloc(blocks, 1000), 0);
  shown[job_me] = (char*)blocks[job_me] + 16 * (job_me + 1);
  armci_exchange_address(shown, job_ranks);
  for (int i = 0; i < job_ranks; ++i) CHECK(shown[i] == (char*)blocks[i] + 16 * (i + 1));
  use(shown, 50);
  shown[job_me] = job_me == 0 ? NULL : blocks[job_me];
  armci_exchange_address_grp(shown, job_ranks, &world);
  for (int i = 0; i < job_ranks; ++i) CHECK(shown[i] == (i == 0 ? NULL : blocks[i]));
  use(shown, 60);
  CHECK_INT(ARMCI_Free(blocks[job_me]), 0);
}

static void live(void) {
  CHECK_INT(ARMCI_Initialized(), 1);
  different_sizes();
  large_blocks();
  many_blocks();
  other_forms();
  shared_by_structure();
  exchanged_addresses();
  ARMCI_Cleanup();
}

int main(int argc, char** argv) {
  CHECK_INT(ARMCI_Initialized(), 0);
  job_start(&argc, &argv, 0);
  live();
  CHECK_INT(ARMCI_Init(), 0);  // a second init requires a second finalize
  CHECK_INT(ARMCI_Finalize(), 0);
  live();
  CHECK_INT(ARMCI_Finalize(), 0);
  CHECK_INT(ARMCI_Initialized(), 0);
  CHECK_INT(ARMCI_Init_thread(2), 0);
  live();
  CHECK_INT(PARMCI_Finalize(), 0);
  CHECK_INT(PARMCI_Initialized(), 0);
  armci_msg_init(&argc, &argv);
  CHECK_INT(ARMCI_Malloc(blocks, 100), 0);  // not freed by the program
  use(blocks, 80);
  armci_msg_finalize();
  CHECK_INT(ARMCI_Init(), 0);
  CHECK_INT(armci_msg_nproc(), job_ranks);
  return job_end();
}
