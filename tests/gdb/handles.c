// Handles for gdb to print.
#include <armci.h>
#include <gasnetex.h>
#include <shmem.h>

struct Handles {
  shmem_team_t world, none, shared, half, ended, back;
  shmem_ctx_t usual, other;
  gex_TM_t all, no_team;
  gex_Event_t complete;
  armci_hdl_t idle, transfer, aggregate;
};

__attribute__((noinline)) static void look_at(const struct Handles* handles) {
  __asm__ volatile("" ::"r"(handles) : "memory");
}

int main(void) {
  shmem_init();
  struct Handles handles = {.world = SHMEM_TEAM_WORLD,
                            .none = SHMEM_TEAM_INVALID,
                            .shared = SHMEM_TEAM_SHARED,
                            .usual = SHMEM_CTX_DEFAULT,
                            .no_team = GEX_TM_INVALID,
                            .complete = GEX_EVENT_INVALID,
                            .transfer = {7, 0},
                            .aggregate = {2, 3}};
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &handles.half);
  for (int i = 0; i < 100; ++i)  // the last has a number of three digits
    shmem_team_split_strided(SHMEM_TEAM_WORLD, shmem_n_pes() - 1, -1, shmem_n_pes(), NULL, 0,
                             &handles.back);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &handles.ended);
  shmem_team_destroy(handles.ended);
  shmem_ctx_create(0, &handles.other);
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Client_Init(&client, &endpoint, &handles.all, "HANDLES", NULL, NULL, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) look_at(&handles);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
