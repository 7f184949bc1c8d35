// Which processes share a node, and whether they reach each other's memory by loads and stores.
#include "job.h"

static void nodes(void) {
  const armci_domain_t node = ARMCI_DOMAIN_SMP;
  const int mine = armci_domain_my_id(node);
  int in_all = 0;
  CHECK_INT(armci_domain_id(node, job_me), mine);
  CHECK_INT(armci_domain_nprocs(node, -1), armci_domain_nprocs(node, mine));
  for (int id = 0; id < armci_domain_count(node); ++id)
    for (int i = 0; i < armci_domain_nprocs(node, id); ++i, ++in_all) {
      const int rank = armci_domain_glob_proc_id(node, id, i);
      CHECK_INT(armci_domain_id(node, rank), id);
      CHECK_INT(ARMCI_Same_node(rank), id == mine);
      CHECK_INT(armci_domain_same_id(node, rank), id == mine);
      CHECK_INT(armci_sameclusnode(rank), id == mine);
    }
  CHECK_INT(in_all, job_ranks);
  int of_node = 1;
  armci_msg_clus_igop(&of_node, 1, "+");
  CHECK_INT(of_node, armci_domain_nprocs(node, mine));
}

// If memory is shared, processes of a node see each other's stores.
static void loads_and_stores(void) {
  void* blocks[job_most];
  ARMCI_Malloc(blocks, 64);
  memset(blocks[job_me], 0, 64);
  ARMCI_Barrier();
  for (int i = 0; i < job_ranks; ++i)
    if (ARMCI_Uses_shm() && ARMCI_Same_node(i)) ((int*)blocks[i])[job_me] = job_me + 1;
  ARMCI_Barrier();
  for (int i = 0; i < job_ranks; ++i) {
    const int sees = ARMCI_Uses_shm() && ARMCI_Same_node(i);
    CHECK_INT(((int*)blocks[job_me])[i], sees ? i + 1 : 0);
  }
  ARMCI_Free(blocks[job_me]);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  nodes();
  loads_and_stores();
  return job_end();
}
