#include <shmem.h>

static long mine, row_sum, column_sum;

int main(void) {
  shmem_init();
  const int width = 2;  // PEs 0 1 | 2 3 | 4 5 ...
  shmem_team_t row, column;
  if (shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &row,
                          NULL, 0, &column) != 0)
    shmem_global_exit(1);
  mine = 1;
  shmem_long_sum_reduce(row, &row_sum, &mine, 1);
  shmem_long_sum_reduce(column, &column_sum, &mine, 1);
  const int wrong = row_sum != shmem_team_n_pes(row) ||
                    column_sum != shmem_team_n_pes(column);
  shmem_team_destroy(row);
  shmem_team_destroy(column);
  shmem_finalize();
  return wrong;
}
