#include <shmem.h>

static double settings[3];

int main(void) {
  static double read[3];
  shmem_init();
  if (shmem_my_pe() == 0) {  // from a file, for instance
    read[0] = 0.5;
    read[1] = 1.5;
    read[2] = 2.5;
  }
  shmem_double_broadcast(SHMEM_TEAM_WORLD, settings, read, 3, 0);
  const int wrong = settings[0] != 0.5 || settings[2] != 2.5;
  shmem_finalize();
  return wrong;
}
