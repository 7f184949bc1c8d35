/* The library may be started and ended several times, nested and one after another. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static long cell = 0;

/* The handles as programs see them, and below as bindings of other languages do. */
static const shmem_team_t teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
static const shmem_ctx_t contexts[] = {SHMEM_CTX_INVALID, SHMEM_CTX_DEFAULT};
#undef SHMEM_TEAM_INVALID
#undef SHMEM_TEAM_WORLD
#undef SHMEM_TEAM_SHARED
#undef SHMEM_CTX_INVALID
#undef SHMEM_CTX_DEFAULT

static int handles_are_variables(void) {
  return SHMEM_TEAM_INVALID == teams[0] && SHMEM_TEAM_WORLD == teams[1] &&
         SHMEM_TEAM_SHARED == teams[2] && SHMEM_CTX_INVALID == contexts[0] &&
         SHMEM_CTX_DEFAULT == contexts[1];
}

static int one_life(int life) {
  shmem_init();
  shmem_init(); /* the inner pair changes nothing */
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  long* heap = shmem_calloc(1000, sizeof(long));
  shmem_long_p(&heap[999], life, next);
  shmem_long_p(&cell, life, next);
  shmem_finalize();
  shmem_barrier_all();
  const int good = heap[999] == life && cell == life;
  shmem_free(heap);
  shmem_finalize();
  return good;
}

int main(void) {
  if (!handles_are_variables()) return 2;
  for (int life = 1; life <= 3; ++life) {
    if (one_life(life)) continue;
    fprintf(stderr, "life %d: a put did not arrive\n", life);
    return 1;
  }
  int major = 0;
  int minor = 0;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  return major != SHMEM_MAJOR_VERSION || minor != SHMEM_MINOR_VERSION ||
         strcmp(name, SHMEM_VENDOR_STRING) != 0;
}
