#include <shmem.h>

enum { rows = 4, columns = 5 };
static double matrix[rows][columns];

int main(void) {
  int wrong = 0;
  shmem_init();
  const int me = shmem_my_pe();
  const int next = (me + 1) % shmem_n_pes();
  const int before = (me + shmem_n_pes() - 1) % shmem_n_pes();
  for (int i = 0; i < rows; ++i)
    matrix[i][columns - 1] = 10 * me + i;
  shmem_double_iput(&matrix[0][0], &matrix[0][columns - 1], columns,
                    columns, rows, next);
  shmem_barrier_all();
  for (int i = 0; i < rows; ++i)
    wrong |= matrix[i][0] != 10 * before + i;
  shmem_finalize();
  return wrong;
}
